package source

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/v1/types"
)

func isIndexType(t string) bool { return types.MediaType(t).IsIndex() }

func isManifestType(t string) bool { return types.MediaType(t).IsImage() }

// isConfigType reports whether runtimes take a config of this type for that of
// an image. Old registries gave it no type of its own.
func isConfigType(t string) bool {
	switch t {
	case string(types.OCIConfigJSON), string(types.DockerConfigJSON), "application/octet-stream", "":
		return true
	}
	return false
}

// Layers by media type.
type layerKind uint8

const (
	layerTar layerKind = iota
	layerForeign
	layerEncrypted
	layerUnknown
)

// Types of layers without their compression, which is told from the bytes (OCI
// image-spec, media-types.md, and Docker's schema 2).
const (
	ociLayer      = "application/vnd.oci.image.layer.v1.tar"
	ociForeign    = "application/vnd.oci.image.layer.nondistributable.v1.tar"
	dockerLayer   = "application/vnd.docker.image.rootfs.diff.tar"
	dockerForeign = "application/vnd.docker.image.rootfs.foreign.diff.tar"
)

func layerKindOf(t string) layerKind {
	if strings.HasSuffix(t, "+encrypted") {
		return layerEncrypted
	}
	for _, end := range []string{"+gzip", "+zstd", ".gzip", ".zstd"} {
		if bare, ok := strings.CutSuffix(t, end); ok {
			t = bare
			break
		}
	}
	switch t {
	case ociLayer, dockerLayer, "":
		return layerTar
	case ociForeign, dockerForeign:
		return layerForeign
	}
	return layerUnknown
}

// artifacts says in words what is no image, by the media type of its config, its
// artifact type or its first layer.
var artifacts = map[string]string{
	"application/vnd.cncf.helm.config.v1+json":             "a Helm chart",
	"application/vnd.dev.cosign.simplesigning.v1+json":     "a signature",
	"application/vnd.dev.cosign.artifact.sig.v1+json":      "a signature",
	"application/vnd.dev.sigstore.bundle.v0.3+json":        "a signature",
	"application/vnd.cncf.notary.signature":                "a signature",
	"application/vnd.in-toto+json":                         "an attestation",
	"application/vnd.wasm.config.v0+json":                  "a WebAssembly module",
	"application/vnd.module.wasm.config.v1+json":           "a WebAssembly module",
	"application/vnd.wasm.content.layer.v1+wasm":           "a WebAssembly module",
	"application/vnd.module.wasm.content.layer.v1+wasm":    "a WebAssembly module",
	"application/vnd.docker.plugin.v1+json":                "an engine plugin",
	"application/vnd.docker.ai.gguf.v3":                    "a model",
	"application/vnd.docker.ai.model.config.v0.1+json":     "a model",
	"application/vnd.oci.empty.v1+json":                    "an artifact without a config",
	"application/vnd.unknown.config.v1+json":               "an artifact without a config",
	"application/vnd.docker.distribution.manifest.v1+json": "a manifest of Docker's schema 1",
}

// artifact returns what m is if it is no image; empty if runtimes would unpack
// it. An artifact type alone does not keep them from it.
func (d *document) artifact() string {
	if !isConfigType(d.Config.MediaType) {
		if d.ArtifactType != "" && artifacts[d.Config.MediaType] == artifacts["application/vnd.oci.empty.v1+json"] {
			return describeArtifact(d.ArtifactType)
		}
		return describeArtifact(d.Config.MediaType)
	}
	for _, l := range d.Layers {
		if layerKindOf(l.MediaType) != layerUnknown {
			return ""
		}
	}
	if len(d.Layers) == 0 {
		return ""
	}
	return describeArtifact(d.Layers[0].MediaType)
}

func describeArtifact(mediaType string) string {
	if words := artifacts[mediaType]; words != "" {
		return words
	}
	return fmt.Sprintf("an artifact of type %.80q", mediaType)
}
