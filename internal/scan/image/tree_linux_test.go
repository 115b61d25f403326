package image

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestTreeCapability(t *testing.T) {
	root, dir := plant(t)
	// struct vfs_cap_data, revision 2, effective: CAP_SETUID.
	value := "\x01\x00\x00\x02\x80\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	if err := syscall.Setxattr(filepath.Join(dir, "bin/su"), "security.capability", []byte(value), 0); err != nil {
		t.Skipf("this user can't set capabilities: %v", err)
	}
	c := NewScanner(nil, limits.Default()).Tree(t.Context(), root)
	if got := c.events[1].file.Xattrs["security.capability"]; got != value {
		t.Errorf("got %q", got)
	}
}
