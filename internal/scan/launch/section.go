package launch

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// sections reads a configuration and the files that it includes.
func (t *tracer) sections(f *image.File) (all []section, why string) {
	all, why = t.ini(f)
	if why != "" {
		return nil, why
	}
	for _, s := range all {
		if s.name != "include" {
			continue
		}
		for pattern := range strings.FieldsSeq(s.values["files"].text) {
			pattern = strings.ReplaceAll(pattern, "%(here)s", path.Dir(f.Path))
			for _, g := range t.matching(absolute(path.Dir(f.Path), pattern)) {
				more, why := t.ini(g)
				if why != "" {
					return nil, why
				}
				all = append(all, more...)
			}
		}
	}
	return all[:min(len(all), maxSections)], ""
}

// ini reads one file of sections.
func (t *tracer) ini(f *image.File) (out []section, why string) {
	text, ok := services.Of(f)
	switch {
	case f.Fate.How == image.Perhaps:
		return nil, "a command that could not be understood may have changed " + f.Path
	case !ok && f.Size != 0:
		return nil, "the text of " + f.Path + " was not read"
	}
	key := ""
	for i, line := range strings.Split(text.String(), "\n") {
		if j := strings.Index(line, " ;"); j >= 0 {
			line = line[:j]
		}
		trimmed := strings.TrimSpace(line)
		switch {
		case trimmed == "" || trimmed[0] == ';' || trimmed[0] == '#':
		case trimmed[0] == '[':
			name, _, _ := strings.Cut(trimmed[1:], "]")
			out = append(out, section{name, f, i + 1, map[string]setting{}})
			key = ""
		case len(out) == 0:
		case (line[0] == ' ' || line[0] == '\t') && key != "":
			s := out[len(out)-1].values[key]
			s.text += " " + trimmed
			out[len(out)-1].values[key] = s
		default:
			j := strings.IndexAny(trimmed, "=:")
			if j < 0 {
				continue
			}
			key = strings.ToLower(strings.TrimSpace(trimmed[:j]))
			out[len(out)-1].values[key] = setting{strings.TrimSpace(trimmed[j+1:]), i + 1}
		}
	}
	return out, ""
}

// words are those of a command, as supervisord splits it: quotes are removed.
func (t *tracer) words(c *call, s section, text string) (out []shell.Word) {
	var b strings.Builder
	some := false
	var quote byte
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || quote == 0 && (text[i] == ' ' || text[i] == '\t'):
			if some {
				out = append(out, t.expanded(c, s, b.String()))
			}
			b.Reset()
			some = false
		case quote != 0 && text[i] == quote:
			quote = 0
		case quote == 0 && (text[i] == '"' || text[i] == '\''):
			quote, some = text[i], true
		case text[i] == '\\' && quote != '\'' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
			some = true
		default:
			b.WriteByte(text[i])
			some = true
		}
	}
	return out
}

// expanded puts in what supervisord does: %(ENV_NAME)s, %(here)s, %(program_name)s.
func (t *tracer) expanded(c *call, s section, text string) shell.Word {
	w := shell.Word{Known: true}
	for {
		before, rest, found := strings.Cut(text, "%(")
		w.Text += before
		if !found {
			return w
		}
		name, after, _ := strings.Cut(rest, ")")
		text = strings.TrimLeft(after, "0123456789")
		text = text[min(1, len(text)):]
		_, program, _ := strings.Cut(s.name, ":")
		switch {
		case name == "here":
			w.Text += path.Dir(s.file.Path)
		case name == "program_name":
			w.Text += program
		case strings.HasPrefix(name, "ENV_"):
			v := c.vars[name[4:]]
			if len(v.words) != 1 {
				w.Known = false
				continue
			}
			w.Text, w.Known = w.Text+v.words[0].Text, w.Known && v.words[0].Known
			w.Holds = strings.TrimSpace(w.Holds + " " + v.words[0].Holds)
			w.Loose = w.Loose || v.words[0].Loose
		default:
			w.Known = false
		}
	}
}

// splitPairs yields the parts of 'A="x,y",B=z'.
func splitPairs(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		var quote byte
		from := 0
		for i := 0; i <= len(text); i++ {
			switch {
			case i == len(text) || quote == 0 && text[i] == ',':
				if part := text[from:i]; strings.Contains(part, "=") && !yield(part) {
					return
				}
				from = i + 1
			case quote != 0 && text[i] == quote:
				quote = 0
			case quote == 0 && (text[i] == '"' || text[i] == '\''):
				quote = text[i]
			}
		}
	}
}
