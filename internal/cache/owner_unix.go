//go:build unix

package cache

import (
	"io/fs"
	"os"
	"syscall"
)

// private reports whether the file is this user's, and nobody else can read it.
func private(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && info.Mode().Perm()&0o077 == 0
}
