package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

// pages are the Markdown pages of the repository, by their paths from its root.
func pages(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS("../..")
	all := map[string]string{}
	for _, pattern := range []string{"*.md", "docs/*.md", "rules/*.md", "rules/docs/*.md"} {
		names, err := fs.Glob(root, pattern)
		if err != nil || len(names) == 0 {
			t.Fatalf("no pages at %s: %v", pattern, err)
		}
		for _, name := range names {
			b, err := fs.ReadFile(root, name)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = string(b)
		}
	}
	return all
}

var (
	fenced  = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	spans   = regexp.MustCompile("`[^`\n]*`")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	headed  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	noSlug  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	command = regexp.MustCompile(`(?:^|[|;&] |\$\()sandbox-audit( .*)?$`)
)

// anchors are the names of a page's headings as GitHub makes them.
func anchors(page string) []string {
	var all []string
	for _, m := range headed.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		slug := strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")
		all = append(all, slug)
	}
	return all
}

// Every link from a page to another leads to a file, and to a heading that is there.
func TestLinks(t *testing.T) {
	all := pages(t)
	for from, page := range all {
		text := spans.ReplaceAllString(fenced.ReplaceAllString(page, ""), "")
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") || strings.HasPrefix(m[1], "mailto:") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			to := from
			if file != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(from), file))
			}
			if _, err := os.Stat(filepath.Join("../..", to)); err != nil {
				t.Errorf("%s: nothing is at %s", from, m[1])
				continue
			}
			if anchor != "" && !slices.Contains(anchors(all[to]), anchor) {
				t.Errorf("%s: %s has no heading %q", from, to, anchor)
			}
		}
	}
}

// Every page of docs can be reached from their index.
func TestIndexOfDocs(t *testing.T) {
	all := pages(t)
	for name := range all {
		base := filepath.Base(name)
		if filepath.Dir(name) == "docs" && base != "README.md" && !strings.Contains(all["docs/README.md"], "]("+base+")") {
			t.Errorf("docs/README.md does not lead to %s", base)
		}
	}
}

// The page on how we judge names the rules that an isolation tier lowers.
func TestTiersOfDocs(t *testing.T) {
	_, section, _ := strings.Cut(pages(t)["docs/judging.md"], "## Isolation tiers")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, r := range rules.All() {
		if said := strings.Contains(section, r.ID); said != r.Kernel {
			t.Errorf("%s: lowered is %v, docs/judging.md says %v", r.ID, r.Kernel, said)
		}
	}
}

// Every command in the pages' blocks exists, with its flags.
func TestCommandsOfDocs(t *testing.T) {
	n := 0
	for name, page := range pages(t) {
		if name == "CHANGELOG.md" {
			continue
		}
		for _, block := range fenced.FindAllString(page, -1) {
			for line := range strings.Lines(block) {
				line = strings.TrimSpace(line)
				line, _, _ = strings.Cut(line, " # ")
				line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(line, "- "), "run: "), "script: ")
				m := command.FindStringSubmatch(strings.TrimSpace(line))
				if m == nil {
					continue
				}
				n++
				words := strings.Fields(m[1])
				if i := slices.IndexFunc(words, func(w string) bool { return strings.ContainsAny(w, "|>;&") }); i >= 0 {
					words = words[:i]
				}
				checkWords(t, name, words)
			}
		}
	}
	if n < 20 {
		t.Errorf("only %d commands were found", n)
	}
}

func checkWords(t *testing.T, page string, words []string) {
	t.Helper()
	root := newRoot(process{}, new(int))
	cmd, rest, err := root.Find(words)
	if err != nil {
		cmd, rest = root, words
	}
	cmd.InitDefaultHelpFlag()
	cmd.InitDefaultVersionFlag()
	for _, w := range rest {
		name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
		switch {
		case strings.HasPrefix(w, "--") && lookup(cmd, name) == nil,
			strings.HasPrefix(w, "-") && len(w) == 2 && cmd.Flags().ShorthandLookup(name) == nil:
			t.Errorf("%s: %s has no flag %s", page, cmd.CommandPath(), w)
		}
	}
}

func lookup(cmd *cobra.Command, name string) *pflag.Flag { return cmd.Flags().Lookup(name) }

var (
	toRun   = regexp.MustCompile("(?s)<!-- run: ([0-9]) -->\n```sh\n(.*?)```\n")
	toShow  = regexp.MustCompile("(?s)<!-- shown -->\n```\n(.*?)```\n")
	trailer = regexp.MustCompile(`\s+`)
)

// The quick start does what it says: its commands end with the codes that stand above
// them, and print what it shows.
func TestQuickStart(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no shell")
	}
	page := pages(t)["docs/quickstart.md"]
	dir := t.TempDir()
	var out bytes.Buffer
	blocks := toRun.FindAllStringSubmatch(page, -1)
	if len(blocks) < 4 {
		t.Fatalf("only %d blocks are to be run", len(blocks))
	}
	for _, b := range blocks {
		cmd := exec.Command("sh", "-ec", b[2])
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
		cmd.Env = append(os.Environ(), cacheVariable+"="+filepath.Join(dir, ".cache"))
		_ = cmd.Run() // the code says it
		if want, _ := strconv.Atoi(b[1]); cmd.ProcessState.ExitCode() != want {
			t.Errorf("exit code %d, want %d, of\n%s\n%s", cmd.ProcessState.ExitCode(), want, b[2], out.String())
		}
	}
	for _, b := range toShow.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(b[1]) {
			if !strings.Contains(trailer.ReplaceAllString(out.String(), " "), trailer.ReplaceAllString(strings.TrimSpace(line), " ")) {
				t.Errorf("%q was not printed", line)
			}
		}
	}
}
