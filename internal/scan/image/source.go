package image

import (
	"context"
	"io"
)

// A Source is an image ready to be read: its manifest and config are verified,
// its layers can be opened, or were already read from a pipe.
type Source struct {
	Name     string // as the user typed it, plus what picks one image of several
	Kind     string // "docker-archive", "oci-archive", "oci-layout", "registry", "docker", "podman", "rootfs"
	Tags     []string
	Digest   string // manifest digest, or the config's digest if there is no manifest; computed from the bytes
	Platform string // "linux/amd64", as the config says
	Config   Config
	NoConfig bool   // a bare root file system: how a container of it starts is unknown
	Layers   []Blob // one per Config.DiffIDs, oldest first
	Problems []Problem
	// Statements are the in-toto statements on where the image comes from that its
	// index attaches to it. They are what the index names, but nothing else of what
	// they say is verified.
	Statements [][]byte
}

// A Blob is one layer as it is stored. Exactly one of Open and Content is set.
type Blob struct {
	Digest    string // "sha256:..." of the stored bytes; empty if nothing names it
	Size      int64  // stored bytes, or -1 if nothing says
	MediaType string // as the manifest says; only noted, compression is sniffed
	Name      string // where it is: member, path or digest; for messages
	Addressed bool   // whoever fetches it does so by Digest, and refuses any other bytes
	Open      func(context.Context) (io.ReadCloser, error)
	Content   *Content
}
