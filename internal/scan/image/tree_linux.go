package image

import (
	"fmt"
	"os"
	"syscall"
)

// capability returns the extended attribute that gives a file capabilities
// (capabilities(7), "File capabilities"); nil if it has none or it is hidden from
// this user. It is read by descriptor, so that no link is followed out of root.
func capability(root *os.Root, name string) map[string]string {
	const attr = "security.capability"
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	var value [64]byte // struct vfs_ns_cap_data is 24 bytes
	n, err := syscall.Getxattr(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), attr, value[:])
	if err != nil {
		return nil
	}
	return map[string]string{attr: string(value[:n])}
}
