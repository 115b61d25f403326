package accounts

import "strings"

// sudoers is what a sudoers(5) file and those it includes say.
type sudoers struct {
	specs    []spec
	members  map[string][]member  // by kind and name: "User_Alias ADMINS"
	commands map[string][]allowed // Cmnd_Alias by name
	defaults []defaults
}

// A spec says who may run which commands on which hosts.
type spec struct {
	users, hosts []member
	allowed      []allowed
	source       Source
}

// A member is one element of a list of users, hosts or users to run as.
type member struct {
	name    string // "app", "%sudo", "#1000", "+netgroup", "ALL", or an alias
	not     bool
	literal bool // never an alias or ALL
}

// An allowed is one command of a spec or alias, with the tags and options that
// count for it.
type allowed struct {
	runas    []member
	chosen   bool   // runas stands there, be it empty: as the user who calls
	password Answer // Yes for PASSWD, No for NOPASSWD, Unknown for neither
	setenv   bool
	timed    bool // allowed at some times only
	not      bool
	command  Command
}

// A Command is a command as a policy names it.
type Command struct {
	// Path is "ALL", a path, which may be a pattern or a directory with a slash at
	// its end, "sudoedit" or "list"; in a Cmnd_Alias or spec also an alias.
	Path string
	// Args are the arguments: any if nil, none if empty. They may be a pattern.
	Args *string
}

// defaults is one Defaults line.
type defaults struct {
	scope    byte // 0 for all, or one of ":@>!"
	who      []member
	commands []allowed // for scope '!'
	settings []setting
}

// A setting is "name", "!name" or "name=value".
type setting struct {
	name, op, value string
	not             bool
}

const (
	wordStop    = "#>!=:,() \t\"" // what ends a name
	commandStop = ",:= \t#"
)

// directive parses one line. It reports false for what is no sudoers syntax: sudo
// skips such a line, or refuses to work (before 1.9.3).
func (p *sudoers) directive(line string, src Source) bool {
	s := &scanner{line: line}
	rest := s.rest()
	if rest == "" {
		return true
	}
	if strings.HasPrefix(rest, "Defaults") && len(rest) > 8 && strings.IndexByte(" \t:@>!", rest[8]) >= 0 {
		s.at += 8
		return p.defaultsLine(s)
	}
	kind, _, _ := strings.Cut(strings.ReplaceAll(rest, "\t", " "), " ")
	switch kind {
	case "User_Alias", "Runas_Alias", "Host_Alias":
		s.at += len(kind)
		return p.aliases(s, kind)
	case "Cmnd_Alias", "Cmd_Alias":
		s.at += len(kind)
		return p.aliases(s, "")
	}
	return p.userSpecs(s, src)
}

// aliases reads "NAME = list : NAME = list".
func (p *sudoers) aliases(s *scanner, kind string) bool {
	for {
		name, ok := s.word(wordStop)
		if !ok || s.take("=") == 0 {
			return false
		}
		if kind == "" {
			list, ok := s.commands()
			if !ok {
				return false
			}
			if _, twice := p.commands[name.name]; !twice {
				p.commands[name.name] = list
			}
		} else {
			list, ok := s.list()
			if !ok {
				return false
			}
			if key := kind + " " + name.name; p.members[key] == nil {
				p.members[key] = list
			}
		}
		if s.take(":") == 0 {
			return s.rest() == ""
		}
	}
}

// userSpecs reads "users hosts = commands : hosts = commands".
func (p *sudoers) userSpecs(s *scanner, src Source) bool {
	users, ok := s.list()
	if !ok {
		return false
	}
	for {
		hosts, ok := s.list()
		if !ok || s.take("=") == 0 {
			return false
		}
		list, ok := s.commands()
		if !ok {
			return false
		}
		p.specs = append(p.specs, spec{users, hosts, list, src})
		if s.take(":") == 0 {
			return s.rest() == ""
		}
	}
}

// list reads names with commas between them.
func (s *scanner) list() (out []member, ok bool) {
	for {
		s.blanks()
		var m member
		if id := s.id(); id != "" {
			m = member{name: id}
		} else if m, ok = s.word(wordStop); !ok {
			return nil, false
		} else if id := s.id(); m.name == "%" || m.name == "%:" {
			m.name += id
		}
		out = append(out, m)
		if s.take(",") == 0 {
			return out, true
		}
	}
}

// id reads "#1000", if that comes next.
func (s *scanner) id() string {
	r := s.line[s.at:]
	if !strings.HasPrefix(r, "#") || !isID(r) {
		return ""
	}
	end := 1 + strings.IndexFunc(r[1:], func(c rune) bool { return c != '-' && (c < '0' || c > '9') })
	if end == 0 {
		end = len(r)
	}
	s.at += end
	return r[:end]
}

// defaultsLine reads what follows "Defaults".
func (p *sudoers) defaultsLine(s *scanner) (ok bool) {
	d := defaults{}
	if c := s.line[s.at]; strings.IndexByte(":@>!", c) >= 0 {
		s.at++
		if d.scope = c; c == '!' {
			d.commands, ok = s.commandNames()
		} else {
			d.who, ok = s.list()
		}
		if !ok {
			return false
		}
	}
	for s.rest() != "" {
		x := setting{}
		for s.take("!") != 0 {
			x.not = !x.not
		}
		x.name, _ = s.until("=+-, \t")
		if x.name == "" {
			return false
		}
		if op := s.take("+-"); op != 0 {
			x.op = string(op)
		}
		if s.take("=") != 0 {
			x.op += "="
			if s.take(`"`) != 0 {
				if x.value, ok = s.quoted(); !ok {
					return false
				}
			} else {
				s.blanks()
				x.value, _ = s.until(", \t#")
			}
		}
		d.settings = append(d.settings, x)
		if s.take(",") == 0 {
			break
		}
	}
	p.defaults = append(p.defaults, d)
	return s.rest() == ""
}

// commandNames reads the commands that a Defaults line is for, which have no
// arguments.
func (s *scanner) commandNames() (out []allowed, ok bool) {
	for {
		a := allowed{}
		for s.take("!") != 0 {
			a.not = !a.not
		}
		a.command.Path, _ = s.until(", \t#")
		if a.command.Path == "" {
			return nil, false
		}
		out = append(out, a)
		if s.take(",") == 0 {
			return out, true
		}
	}
}
