//go:build !linux

package image

import "os"

// capability returns nil: only Linux keeps file capabilities.
func capability(*os.Root, string) map[string]string { return nil }
