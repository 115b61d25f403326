package commands

import (
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A Written text is one that a script puts into a file.
type Written struct {
	Path string // absolute; ~ is taken for root's
	Text string
}

// maxWritten is how many texts a script puts into files at most: each substitution of
// sed is one for each of its files.
const maxWritten = 1000

// Written lists what the script adds to files by echo and printf, and puts into them by
// the substitutions of sed -i. What else the files hold is not known.
func (s *Script) Written() []Written {
	var out []Written
	for _, c := range s.Commands() {
		if len(out) >= maxWritten {
			return out[:maxWritten]
		}
		switch c.Name() {
		case "echo", "printf":
			if p := home(c.output); path.IsAbs(p) {
				out = append(out, Written{p, plainText(c.Args())})
			}
		case "sed":
			out = append(out, edited(c)...)
		}
	}
	return out
}

var homeDir = regexp.MustCompile(`^(~|\$HOME|\$\{HOME\})/`)

func home(p string) string { return homeDir.ReplaceAllString(p, "/root/") }

// plainText is what is printed, as far as it is known.
func plainText(args []shell.Word) string {
	var words []string
	for _, w := range args {
		if w.Known && !strings.HasPrefix(w.Text, "-") {
			words = append(words, w.Text)
		}
	}
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(strings.Join(words, " "))
}

var sedOptions = shell.Options{"-e": "e", "--expression": "e", "-f": "f", "--file": "f", "-l": "l", "-s": "s"}

// edited are the texts that "sed -i" puts in the place of others (sed(1)).
func edited(c Command) []Written {
	p := sedOptions.Parse(c.Args(), true)
	program, files := p.Values["e"], p.Rest
	if !program.Known && len(files) > 0 {
		program, files = files[0], files[1:]
	}
	if !p.Flags["-i"] && !p.Flags["--in-place"] || !program.Known {
		return nil
	}
	var out []Written
	for command := range strings.SplitSeq(program.Text, ";") {
		if len(command) < 2 || command[0] != 's' {
			continue
		}
		part := strings.Split(command, command[1:2])
		for _, f := range files {
			if f := home(f.Text); len(part) > 2 && path.IsAbs(f) && len(out) < maxWritten {
				out = append(out, Written{f, strings.TrimLeft(part[2], `\123456789^&`)})
			}
		}
	}
	return out
}
