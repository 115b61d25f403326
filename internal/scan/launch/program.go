package launch

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

const elf = "\x7fELF"

// heads keeps what the kernel looks at first in a program: its "#!" line, or the
// magic number of an ELF file; empty for anything else.
var heads = &image.Probe[string]{
	Name: "program-head", Version: 2,
	Want: func(e image.Entry) bool { return e.Mode&0o111 != 0 || sourced(e.Path) },
	Head: 256, // the kernel's BINPRM_BUF_SIZE
	Read: func(_ image.Entry, b []byte) (string, bool) {
		switch {
		case bytes.HasPrefix(b, []byte(elf)):
			return elf, true
		case bytes.HasPrefix(b, []byte("#!")):
			line, _, _ := bytes.Cut(b, []byte("\n"))
			return string(line), true
		}
		return "", true
	},
}

// scripts keeps the text of every shell script that could be an entrypoint or a
// part of one: which it is, is known only after all layers went by.
var scripts = &image.Probe[packed.Text]{
	Name: "shell-script", Version: 2,
	Want: func(e image.Entry) bool {
		return e.Size <= shell.MaxBytes && (e.Mode&0o111 != 0 || sourced(e.Path))
	},
	Read: func(e image.Entry, b []byte) (packed.Text, bool) {
		line, _, _ := bytes.Cut(b, []byte("\n"))
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 || !sourced(e.Path) && !forShell(string(line)) {
			return packed.Text{}, false
		}
		return packed.Pack(b), true
	},
}

// sourced reports whether a file is by its name a script that shells read without
// executing it.
func sourced(p string) bool {
	switch path.Base(p) {
	case "activate", "profile", "bash.bashrc", ".profile", ".bashrc":
		return true
	}
	switch path.Dir(p) {
	case "/etc/default", "/etc/sysconfig", "/etc/conf.d":
		return true
	}
	return slices.Contains([]string{".sh", ".bash", ".env"}, path.Ext(p))
}

// forShell reports whether a "#!" line names a shell, be it behind env.
func forShell(line string) bool {
	return strings.HasPrefix(line, "#!") && slices.ContainsFunc(strings.Fields(line[2:]), shell.Is)
}

// interpreter takes a "#!" line apart as the kernel does: a path and at most one
// argument (execve(2)).
func interpreter(head string) []string {
	line := strings.Trim(strings.TrimPrefix(head, "#!"), " \t")
	name, arg, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	if arg = strings.TrimSpace(arg); arg == "" {
		return []string{name}
	}
	return []string{name, arg}
}
