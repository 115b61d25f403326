package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/cache"
)

// cacheBytes is what the cache may hold: the layers of some hundred large images.
const cacheBytes = 1 << 30

// cacheVariable names the directory of the cache where --cache-dir does not.
const cacheVariable = "SANDBOX_AUDIT_CACHE_DIR"

// openCache lets the audit know layers of earlier runs. Without a cache it only takes
// longer, so one that can't be used is told of where it was asked for.
func (a *audit) openCache() {
	if a.noCache || a.cached != nil {
		return
	}
	dir := cmp.Or(a.cacheDir, a.proc.getenv(cacheVariable))
	asked := dir != ""
	if !asked {
		base, err := os.UserCacheDir()
		if err != nil {
			a.noCache = true
			return
		}
		dir = filepath.Join(base, "sandbox-audit")
	}
	c, err := cache.Open(dir, generation(), cacheBytes)
	if err != nil {
		a.noCache = true
		a.sayUncached(err, asked)
		return
	}
	a.cached, a.known.Store = c, c
}

// closeCache ends the use of the cache.
func (a *audit) closeCache() {
	if a.cached != nil {
		a.sayUncached(a.cached.Close(), false)
	}
}

func (a *audit) sayUncached(err error, asked bool) {
	if err != nil && (asked && !a.quiet || a.verbose) {
		complain(a.proc.stderr, &hinted{err, "the audit is the same without a cache, only slower; --no-cache leaves it out"})
	}
}

// generation changes with what the program makes of a layer: with its version, or
// with its file where no release is in it.
func generation() string {
	v := buildVersion()
	if !strings.HasSuffix(v, "-dev") && !strings.Contains(v, "dirty") {
		return v
	}
	exe, err := os.Executable()
	if err != nil {
		return v
	}
	info, err := os.Stat(exe)
	if err != nil {
		return v
	}
	return fmt.Sprintf("%s, %s, %d bytes of %d", v, runtime.Version(), info.Size(), info.ModTime().UnixNano())
}
