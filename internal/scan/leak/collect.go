package leak

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
)

// A collector gathers the places of all credentials of a target.
type collector struct {
	*scan.Pass
	*Leaks
	owners *packages.Owners
	inv    *python.Inventory
	found  []Place
}

func (c *collector) add(w Where, at scan.Location, creds ...Credential) {
	for _, k := range creds {
		if k.Line > 0 && at.Path != "" {
			at.Line = k.Line
		}
		c.place(Place{Where: w, At: at, Credential: k})
	}
}

func (c *collector) place(p Place) {
	if c.Options.Identify != nil {
		p.ID = c.Options.Identify(p.value[:])
	}
	switch {
	case p.Default:
		c.Defaults = append(c.Defaults, p)
	case p.At.File != nil && isPlaceholder(p.At.Path):
		c.Placeholders = append(c.Placeholders, p)
	default:
		c.found = append(c.found, p)
		if p.At.File != nil {
			c.files[p.At.File] = true
		}
	}
}

// judged returns what is kept of a named value, if it is a credential.
func judged(name, value string) []Credential {
	var s sink
	s.named(name, value, 0)
	return s.kept
}

// config looks at what the image's config holds, and at the environment and build
// arguments that its history records.
func (c *collector) config() {
	for _, kv := range c.Image.Config.Env {
		name, value, _ := strings.Cut(kv, "=")
		c.add(InEnv, c.AtField("Env."+name), judged(name, value)...)
	}
	for _, r := range c.Overwritten() {
		for _, k := range judged(r.Name, r.Value) {
			if !k.Default {
				c.place(Place{Where: InEnv, At: r.At, Past: true, Credential: k})
			}
		}
	}
	for _, r := range c.BuildArgs() {
		c.add(InBuildArg, r.At, judged(r.Name, r.Value)...)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Image.Config.Labels)) {
		value := c.Image.Config.Labels[name]
		s := sink{}
		s.named(name, value, 0)
		s.text(value)
		c.add(InInstruction, c.AtField("Labels."+name), s.kept...)
	}
	c.command("Entrypoint", c.Image.Config.Entrypoint)
	c.command("Cmd", c.Image.Config.Cmd)
	c.command("Healthcheck", c.Image.Config.Healthcheck)
	for _, trigger := range c.Image.Config.OnBuild {
		at := c.AtField("OnBuild." + trigger)
		at.Field = "OnBuild" // the trigger's text may be the secret
		c.add(InInstruction, at, InCommand(triggered(trigger))...)
	}
}

func (c *collector) command(field string, words []string) {
	c.add(InInstruction, c.AtField(field), InCommand(line(words))...)
}

// history looks at the commands on record. ENV and ARG have rules of their own.
func (c *collector) history() {
	for i, s := range c.Image.Steps {
		text := s.CreatedBy
		if _, nop, ok := strings.Cut(text, "#(nop)"); ok {
			text = strings.TrimSpace(nop)
		}
		cmd, rest, _ := strings.Cut(text, " ")
		switch strings.ToUpper(cmd) {
		case "ENV", "ARG":
			continue
		case "LABEL":
			text = strings.TrimSpace(rest)
		}
		c.add(InInstruction, c.AtStep(i), InCommand(triggered(withoutArgs(text)))...)
	}
}

var (
	// runArgs are the build arguments that builders write in front of a command.
	runArgs = regexp.MustCompile(`^(RUN )?\|\d+ .*?(/\S+ -\S*c )`)
	// opening is what stands in front of a command for a shell.
	opening = regexp.MustCompile(`(?i)^(?:ONBUILD )?(?:RUN|CMD|ENTRYPOINT|HEALTHCHECK(?: --\S+)* CMD)? ?(?:/\S+ -\S*c )?`)
)

func withoutArgs(text string) string { return runArgs.ReplaceAllString(text, "$1$2") }

func triggered(text string) string {
	return strings.TrimSuffix(opening.ReplaceAllString(text, ""), "# buildkit")
}

// line puts words that a shell ran, or that a program gets, on one line.
func line(words []string) string {
	for i, w := range words {
		if (w == "-c" || strings.HasSuffix(w, "c") && strings.HasPrefix(w, "-") || w == "CMD-SHELL") && i+1 < len(words) {
			return words[i+1]
		}
	}
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = w
		if strings.ContainsAny(w, " \t\n'\"$;&|<>()#*?\\") {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// content looks at the files of all layers.
func (c *collector) content() {
	for f := range c.Image.Files() {
		if f.HardLink || f.Fate.How == image.Perhaps && f.Fate.By == f.Layer {
			continue // known by another name, or the command that stores it may itself remove it again
		}
		for _, probe := range []*image.Probe[[]Credential]{stored, searched, archived, compiled} {
			if creds, ok := probe.Of(f); ok {
				c.file(f, creds)
			}
		}
	}
}

func (c *collector) file(f *image.File, creds []Credential) {
	where := InFile
	switch {
	case isBytecode(f.Path):
		where = InBytecode
	case !f.Live():
		where = InLowerLayer
	}
	o := c.origin(f)
	for _, k := range creds {
		if o.counts(path.Join(f.Path, k.Member), k) {
			c.add(where, c.At(f), k)
		}
	}
}

// isPlaceholder reports whether p is the key that a package makes so that a server can
// start before it has one of its own (ssl-cert, make-ssl-cert(8)).
func isPlaceholder(p string) bool { return strings.HasSuffix(p, "/ssl-cert-snakeoil.key") }
