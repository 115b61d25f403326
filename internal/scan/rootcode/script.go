package rootcode

import (
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
)

// interpreters run the first file among their arguments. Python is looked at apart,
// for what it imports.
var interpreters = []string{
	"sh", "bash", "dash", "ash", "ksh", "zsh", "busybox", "node", "nodejs", "bun", "deno", "perl", "ruby", "php", "lua", "luajit",
	"Rscript", "tclsh", "expect", "java", "make",
}

// script adds the file that an interpreter is told to run.
func (b *builder) script(l launch.Link) {
	if len(l.Argv) == 0 {
		return
	}
	name := strings.TrimRight(path.Base(l.Argv[0]), "0123456789.-")
	if !slices.Contains(interpreters, name) {
		return
	}
	for _, a := range l.Argv[1:] {
		if strings.HasPrefix(a, "-") || a == "" || strings.Contains(a, "\n") {
			continue
		}
		if f := b.p.Image.Lookup(b.abs(a)); f != nil && f.Mode.IsRegular() {
			b.add(b.abs(a), "the script that "+name+" runs as root", Nothing)
			return
		}
	}
}
