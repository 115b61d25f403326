package dockerfile

import (
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/command"
)

// History is one entry of an image's history (OCI image-spec, config.md).
type History struct {
	CreatedBy string
	Comment   string
	Empty     bool // made no layer
	// Holds reports whether the entry's layer has a file of that name, in any
	// directory. Nil if that is not known.
	Holds func(name string) bool
}

// A dialect is a way in which builders record instructions. Each has a hand of
// its own, but all of one kind can be read alike.
type dialect uint8

const (
	// anyDialect is what an entry could be in that shows none.
	anyDialect dialect = iota
	// solved is BuildKit's: instructions expanded, commands behind their build
	// arguments and shell, "# buildkit" behind those that work on files (buildkit,
	// dockerfile2llb, commitToHistory).
	solved
	// commanded is that of the classic builder and of Buildah: a RUN is the bare
	// command, all else stands behind "/bin/sh -c #(nop)", COPY has a sum of what
	// it brought in place of its sources (moby, builder/dockerfile; buildah,
	// imagebuildah, getCreatedBy).
	commanded
	// written is Kaniko's: instructions as they stand in the file, and only those
	// that changed files.
	written
)

// An entry is a history entry, taken apart.
type entry struct {
	dialect  dialect
	empty    bool
	squashed bool     // it names no instruction: a layer that other builds call nothing, or a merge of layers
	cmd      string   // upper case
	body     string   // canonical, without flags
	names    []string // of the arguments that Buildah lists for an ARG, which are all so far; never nil then
	sum      string   // "file", "dir" or "multi", if a COPY or ADD is recorded by a sum
	dest     string   // then; canonical
	holds    func(name string) bool
}

var (
	nop       = regexp.MustCompile(`^(?:/\S+|cmd|powershell)(?: [-/]\S+| pipefail)* +#\(nop\) *`)
	shellRun  = regexp.MustCompile(`^(?:\|\d+ |/\S+(?: -\S+| pipefail)* -\S*c )`)
	leadFlags = regexp.MustCompile(`^(?:--\S+\s+)+`)
	copySum   = regexp.MustCompile(`^(?:--link\s+)?(?:--chown=\S*?\s*)?(?:(file|dir|multi):[0-9a-f]+)? *in (.*)$`)
	// labelled is what Buildah adds for options of the build that no instruction gives.
	labelled = regexp.MustCompile(`(?:\|(?:inherit|unset|force|rewrite|source)[A-Za-z-]*=[^\s|]*)+$`)
	// mountSums is what it adds for bind mounts of a RUN.
	mountSums = regexp.MustCompile(`(?::[a-z0-9]+:[0-9a-f]+)+$`)
)

// nothing stands for the sum of a COPY that brought no content.
const nothing = "nothing"

const buildkitMark = "# buildkit"

func readEntries(history []History) []entry {
	var before []string // arguments, at the last ARG
	entries := make([]entry, len(history))
	for i, h := range history {
		e := readEntry(h)
		if e.names != nil {
			e.body = strings.Join(added(e.names, before), " ")
			before = e.names
		}
		entries[i] = e
	}
	return entries
}

// added returns the names that a list has more than the one before it. One that
// lacks some of that is the first of a stage.
func added(names, before []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(before, n) {
			out = append(out, n)
		}
	}
	if len(names)-len(out) < len(before) {
		return names
	}
	return out
}

func readEntry(h History) entry {
	s, marked := strings.CutSuffix(strings.TrimSpace(h.CreatedBy), buildkitMark)
	s = strings.TrimSpace(s)
	e := entry{empty: h.Empty, squashed: s == "", holds: h.Holds}
	rest := nop.ReplaceAllString(s, "")
	switch {
	case marked || strings.HasPrefix(h.Comment, "buildkit."):
		e.dialect = solved
	case rest != s || shellRun.MatchString(s):
		e.dialect = commanded
		rest = strings.TrimSpace(labelled.ReplaceAllString(rest, ""))
		if strings.Contains(rest, "--mount=") {
			rest = mountSums.ReplaceAllString(rest, "")
		}
	}
	cmd, body, _ := strings.Cut(rest, " ")
	if rest != s {
		cmd = strings.ToUpper(cmd) // some builders record it as it was written
	}
	if _, ok := command.Commands[strings.ToLower(cmd)]; !ok || cmd != strings.ToUpper(cmd) || e.dialect == commanded && rest == s {
		e.cmd, e.body = "RUN", canonical(rest)
		return e
	}
	body = strings.TrimSpace(body)
	if m := copySum.FindStringSubmatch(body); m != nil && (cmd == "COPY" || cmd == "ADD") && e.dialect == commanded {
		e.sum, e.dest = m[1], canonical(m[2])
		if e.sum == "" {
			e.sum = nothing
		}
	}
	if e.dialect == anyDialect && (cmd == "RUN" || cmd == "COPY" || cmd == "ADD") {
		e.dialect = written
	}
	if cmd == "ARG" && e.dialect == commanded && !strings.Contains(body, "=") {
		e.names = append([]string{}, strings.Fields(body)...)
	}
	e.cmd, e.body = cmd, canonical(leadFlags.ReplaceAllString(body, ""))
	return e
}

// dialectOf is the dialect of the builder that came last.
func dialectOf(entries []entry) dialect {
	for i := len(entries) - 1; i >= 0; i-- {
		if d := entries[i].dialect; d != anyDialect {
			return d
		}
	}
	return anyDialect
}

// makesFiles reports whether the instruction may bring or change files.
func (e *entry) makesFiles() bool {
	switch e.cmd {
	case "RUN", "COPY", "ADD":
		return !e.squashed
	}
	return false
}

// behindArguments reports whether the entry is that of a command behind its build
// arguments: "|2 A=one two B=three /bin/sh -c text". Values may hold anything but
// a second shell: then nobody can tell where they end.
func (e *entry) behindArguments(text string, shell []string) bool {
	args, ok := strings.CutSuffix(e.body, " "+text)
	if !ok || text == "" || !buildArguments.MatchString(args) {
		return false
	}
	own := canonical(strings.Join(shell, " "))
	return !strings.Contains(args, "/bin/sh -c") && (own == "" || !strings.Contains(args, own))
}

// buildArguments is how many there are, as Buildah counts their words, and what
// they are.
var buildArguments = regexp.MustCompile(`^\|(?:0|\d+ [^ =]+=.*)$`)

// punctuation is what dialects differ in.
var punctuation = strings.NewReplacer("[", " ", "]", " ", `"`, "", `'`, "", ",", " ", `\`, "")

// canonical reduces text to what all dialects have in common.
func canonical(s string) string { return strings.Join(strings.Fields(punctuation.Replace(s)), " ") }
