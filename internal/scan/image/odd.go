package image

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
)

const (
	// nameMax is the longest name that Linux file systems store (limits.h, NAME_MAX).
	nameMax = 255
	// sizeMax is more than any file of a container that can be started.
	sizeMax = 1 << 40
)

// odd tells what runtimes can't unpack, or not all in the same way. e.Path is
// clean, name is what the archive says.
func (b *Builder) odd(name string, e *Entry) {
	say := func(format string, args ...any) { b.problem(Ambiguous, e.Path, fmt.Sprintf(format, args...), "") }
	if leavesRoot(name) {
		b.problem(Ambiguous, name, "leaves the image root; runtimes clamp it or refuse it", "")
	}
	if len(name) > nameMax && longest(e.Path) > nameMax {
		say("has a name of over %d bytes; runtimes refuse the layer", nameMax)
	}
	if strings.Contains(path.Dir(e.Path), "/"+whiteoutPrefix) {
		say("lies below a whiteout name; runtimes unpack it as an ordinary file")
	}
	if e.Size > sizeMax {
		say("says that it holds %d bytes; runtimes refuse the layer where a disk has no room for them", e.Size)
	}
	if e.Mode&fs.ModeDevice != 0 && !strings.HasPrefix(e.Path, "/dev/") {
		say("is a device outside of /dev; runtimes without root leave it out or refuse the layer")
	}
	if c, ok := e.Xattrs["security.capability"]; ok && !isCapability(c) {
		say("has file capabilities of %d bytes that no kernel takes; runtimes refuse the layer", len(c))
	}
}

// longest is the length of the longest name in a path.
func longest(p string) int {
	n := 0
	for name := range strings.SplitSeq(p, "/") {
		n = max(n, len(name))
	}
	return n
}

// isCapability reports whether the attribute security.capability has the length of
// its version, which is in the last byte of its first word (linux/capability.h,
// struct vfs_cap_data and vfs_ns_cap_data).
func isCapability(v string) bool {
	if len(v) < 4 {
		return false
	}
	return len(v) == map[byte]int{1: 12, 2: 20, 3: 24}[v[3]]
}
