package source

import (
	"slices"
	"strings"
)

// kinds are what other tools put in front of a target to say what it is
// (containers-transports(5)), and what is written here.
var kinds = []struct{ before, here string }{
	{"docker://", ""}, {"docker-daemon:", "--from docker "}, {"containers-storage:", "--from podman "}, {"docker-archive:", ""},
	{"oci-archive:", ""}, {"oci-layout://", ""}, {"oci-layout:", ""}, {"oci:", ""}, {"dir:", ""}, {"file://", ""},
	{"http://", "--from registry --insecure "}, {"https://", "--from registry "},
}

// splitKind splits what other tools put in front of a target from the rest, as it is to be
// written here. Where the whole can be the name of an image, it is empty.
func (op *opener) splitKind(target string) (kind, here string) {
	for _, k := range kinds {
		rest, ok := strings.CutPrefix(target, k.before)
		if !ok {
			continue
		}
		if _, err := op.parseReference(target); err == nil && !exists(rest) {
			continue
		}
		if strings.HasPrefix(k.before, "http") {
			rest = withoutUser(rest)
		}
		return k.before, k.here + rest
	}
	return "", ""
}

// withoutUser is what stands behind the scheme of a URL, without a user and a password,
// in which somebody may have left a slash as it is.
func withoutUser(rest string) string {
	name, _, _ := strings.Cut(rest, "@sha256:")
	return rest[strings.LastIndexByte(name, '@')+1:]
}

// isPath reports whether target can only be meant as a path.
func isPath(target string) bool {
	for _, start := range []string{"/", "./", "../", "~"} {
		if strings.HasPrefix(target, start) {
			return true
		}
	}
	if strings.Contains(target, `\`) { // no reference has one
		return true
	}
	file, _, _ := strings.Cut(target, "@")
	return slices.ContainsFunc([]string{".tar", ".tgz", ".tar.gz", ".tar.zst", ".oci"}, func(end string) bool {
		return strings.HasSuffix(file, end)
	})
}
