package dockerfile

import "strings"

// A Ref is an image reference with nothing left out but the tag.
type Ref struct {
	Name   string // "docker.io/library/python"
	Tag    string // empty if none is given
	Digest string // "sha256:..."; empty if none is given
}

// ParseRef fills in what an image reference leaves out (distribution/reference,
// ParseNormalizedNamed). It does not check it.
func ParseRef(ref string) Ref {
	var r Ref
	ref, r.Digest, _ = strings.Cut(ref, "@")
	slash := strings.LastIndexByte(ref, '/')
	if i := strings.LastIndexByte(ref, ':'); i > slash {
		ref, r.Tag = ref[:i], ref[i+1:]
	}
	host, rest, ok := strings.Cut(ref, "/")
	switch {
	case !ok || !strings.ContainsAny(host, ".:") && host != "localhost" && host == strings.ToLower(host):
		host, rest = "docker.io", ref
	case host == "index.docker.io":
		host = "docker.io"
	}
	if host == "docker.io" && !strings.Contains(rest, "/") {
		rest = "library/" + rest
	}
	r.Name = host + "/" + rest
	return r
}
