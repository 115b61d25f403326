package source

import (
	"fmt"
	"io/fs"
	"syscall"
	"time"
)

// inodeOf names the inode of a file and says when it was last changed.
func inodeOf(info fs.FileInfo) (name string, changed time.Time) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", time.Time{}
	}
	return fmt.Sprintf("inode %d of %d", s.Ino, s.Dev), time.Unix(s.Ctimespec.Unix())
}
