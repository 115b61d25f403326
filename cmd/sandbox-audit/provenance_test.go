package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

type object map[string]any

// attestImage attaches provenance to the image of a layout, as BuildKit does, with a
// Dockerfile and the line behind each layer of it; 0 stands for one of the base.
func attestImage(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: attest LAYOUT DOCKERFILE LINE...")
	}
	dir := ts.MkAbs(args[0])
	var index struct {
		Manifests []object `json:"manifests"`
	}
	readObject(ts, filepath.Join(dir, "index.json"), &index)
	img := index.Manifests[0]
	digest := img["digest"].(string)
	var manifest struct {
		Layers []object `json:"layers"`
	}
	readObject(ts, blobPath(dir, digest), &manifest)
	s := statementOf(digest, []byte(ts.ReadFile(args[1])), manifest.Layers, args[2:])
	statement := writeBlob(ts, dir, "application/vnd.in-toto+json", s)
	statement["annotations"] = object{"in-toto.io/predicate-type": s["predicateType"]}
	config := writeBlob(ts, dir, "application/vnd.oci.image.config.v1+json", object{"os": "unknown", "architecture": "unknown", "rootfs": object{"diff_ids": []string{}}})
	m := writeBlob(ts, dir, "application/vnd.oci.image.manifest.v1+json", object{"schemaVersion": 2, "config": config, "layers": []object{statement}})
	m["platform"] = object{"os": "unknown", "architecture": "unknown"}
	m["annotations"] = object{"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": digest}
	b, err := json.Marshal(object{"schemaVersion": 2, "manifests": []object{img, m}})
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "index.json"), b, 0o600))
}

// statementOf is the provenance of a build in which each step made one layer of
// the image.
func statementOf(digest string, dockerfile []byte, layers []object, lines []string) object {
	steps, locations, results := []object{{"id": "step0"}}, object{}, object{"step0:0": [][]object{layers[:1]}}
	for i := 1; i < len(layers); i++ {
		id := fmt.Sprintf("step%d", i)
		steps = append(steps, object{"id": id, "inputs": []string{fmt.Sprintf("step%d:0", i-1)}})
		results[id+":0"] = [][]object{layers[:i+1]}
		if n, err := strconv.Atoi(lines[min(i, len(lines)-1)]); err == nil && n > 0 {
			locations[id] = object{"locations": []object{{"ranges": []object{{"start": object{"line": n}, "end": object{"line": n}}}}}}
		}
	}
	return object{"_type": "https://in-toto.io/Statement/v1", "predicateType": "https://slsa.dev/provenance/v1",
		"subject": []object{{"name": "x", "digest": object{"sha256": strings.TrimPrefix(digest, "sha256:")}}},
		"predicate": object{
			"buildDefinition": object{
				"buildType":          "https://github.com/moby/buildkit/blob/master/docs/attestations/slsa-definitions.md",
				"internalParameters": object{"buildConfig": object{"llbDefinition": steps}}},
			"runDetails": object{"metadata": object{"buildkit_metadata": object{"layers": results,
				"source": object{"locations": locations, "infos": []object{{"filename": "docker/Dockerfile", "language": "Dockerfile", "data": dockerfile}}}}}},
		}}
}

func blobPath(dir, digest string) string {
	return filepath.Join(dir, "blobs", "sha256", strings.TrimPrefix(digest, "sha256:"))
}

func readObject(ts *testscript.TestScript, path string, v any) {
	b, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(json.Unmarshal(b, v))
}

func writeBlob(ts *testscript.TestScript, dir, mediaType string, v any) object {
	b, err := json.Marshal(v)
	ts.Check(err)
	digest := fmt.Sprintf("sha256:%x", sha256.Sum256(b))
	ts.Check(os.WriteFile(blobPath(dir, digest), b, 0o600))
	return object{"mediaType": mediaType, "digest": digest, "size": len(b)}
}
