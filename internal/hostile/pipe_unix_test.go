//go:build unix

package hostile

import "syscall"

func makePipe(path string) error { return syscall.Mkfifo(path, 0o600) }
