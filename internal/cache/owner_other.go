//go:build !unix

package cache

import "io/fs"

// Elsewhere the directory of a user's caches says who may read it.
func private(fs.FileInfo) bool { return true }
