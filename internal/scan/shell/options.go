package shell

import "strings"

// Options maps the options of a command that take a value to the name under which
// the value is kept: {"-u": "user", "--user": "user"}. Others are flags.
type Options map[string]string

// A Parsed is a command line taken apart, without its first word.
type Parsed struct {
	Values map[string]Word
	Flags  map[string]bool // as written: "-D", "--system"
	Rest   []Word          // operands
}

// Parse takes words apart as getopt_long(3) does: short options in clusters,
// values attached or following, "--" ends them. With permute, options may stand
// among the operands; else the first operand ends them.
func (o Options) Parse(words []Word, permute bool) Parsed {
	p := Parsed{Values: map[string]Word{}, Flags: map[string]bool{}}
	for len(words) > 0 {
		w := words[0]
		option := w.Known && strings.HasPrefix(w.Text, "-") && w.Text != "-"
		switch {
		case option && w.Text == "--", !option && !permute:
			if option {
				words = words[1:]
			}
			p.Rest = append(p.Rest, words...)
			return p
		case !option:
			p.Rest = append(p.Rest, w)
			words = words[1:]
		case strings.HasPrefix(w.Text, "--"):
			words = p.long(o, w, words[1:])
		default:
			words = p.short(o, w, words[1:])
		}
	}
	return p
}

func (p Parsed) long(o Options, w Word, rest []Word) []Word {
	name, value, attached := strings.Cut(w.Text, "=")
	key, takes := o[name]
	switch {
	case !takes:
		p.Flags[name] = true
	case attached:
		p.Values[key] = Word{Text: value, Known: true, Loose: w.Loose, Holds: w.Holds}
	case len(rest) > 0:
		p.Values[key] = rest[0]
		return rest[1:]
	}
	return rest
}

func (p Parsed) short(o Options, w Word, rest []Word) []Word {
	cluster := w.Text[1:]
	for i := range len(cluster) {
		key, takes := o["-"+cluster[i:i+1]]
		if !takes {
			p.Flags["-"+cluster[i:i+1]] = true
			continue
		}
		if value := cluster[i+1:]; value != "" {
			p.Values[key] = Word{Text: value, Known: true, Loose: w.Loose, Holds: w.Holds}
		} else if len(rest) > 0 {
			p.Values[key] = rest[0]
			return rest[1:]
		}
		break
	}
	return rest
}
