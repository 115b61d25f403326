package accounts

import (
	"regexp"
	"strings"
)

var (
	tag    = regexp.MustCompile(`^(NO)?(PASSWD|EXEC|SETENV|LOG_INPUT|LOG_OUTPUT|MAIL|FOLLOW|INTERCEPT)[ \t]*:`)
	option = regexp.MustCompile(`^(ROLE|TYPE|PRIVS|LIMITPRIVS|APPARMOR_PROFILE|TIMEOUT|NOTBEFORE|NOTAFTER|CWD|CHROOT)[ \t]*=[ \t]*("[^"]*"|(\\.|[^ \t,:\\])+)`)
	alias  = regexp.MustCompile(`^[A-Z][A-Z0-9_]*$`)
	digest = regexp.MustCompile(`^sha(224|256|384|512)[ \t]*:[ \t]*[0-9A-Za-z+/=]+[ \t]*,?`)
)

// commands reads a list of commands. Who to run as, tags and options hold on for
// the commands that follow.
func (s *scanner) commands() (out []allowed, ok bool) {
	a := allowed{}
	for {
		if s.take("(") != 0 {
			a.chosen, a.runas = true, nil
			if !s.runas(&a) {
				return nil, false
			}
		}
		s.tags(&a)
		a.not = false
		for s.take("!") != 0 {
			a.not = !a.not
		}
		for digest.MatchString(s.rest()) {
			s.at += len(digest.FindString(s.line[s.at:]))
		}
		if a.command, ok = s.command(); !ok {
			return nil, false
		}
		out = append(out, a)
		if s.take(",") == 0 {
			return out, true
		}
	}
}

// runas reads "users : groups)". Groups alone are for a command that runs as the
// user who calls.
func (s *scanner) runas(a *allowed) (ok bool) {
	if r := s.rest(); r != "" && r[0] != ':' && r[0] != ')' {
		if a.runas, ok = s.list(); !ok {
			return false
		}
	}
	if s.take(":") != 0 && (len(a.runas) > 0 || !strings.HasPrefix(s.rest(), ")")) {
		if _, ok := s.list(); !ok {
			return false
		}
	}
	return s.take(")") != 0
}

// tags reads options and then tags.
func (s *scanner) tags(a *allowed) {
	for o := option.FindStringSubmatch(s.rest()); o != nil; o = option.FindStringSubmatch(s.rest()) {
		a.timed = a.timed || strings.HasPrefix(o[1], "NOT")
		s.at += len(o[0])
	}
	for {
		t := tag.FindStringSubmatch(s.rest())
		if t == nil {
			return
		}
		s.at += len(t[0])
		switch t[2] {
		case "PASSWD":
			if a.password = Yes; t[1] != "" {
				a.password = No
			}
		case "SETENV":
			a.setenv = t[1] == ""
		}
	}
}

// command reads a command with its arguments.
func (s *scanner) command() (c Command, ok bool) {
	r := s.rest()
	switch {
	case r == "":
		return c, false
	case r[0] == '^': // a regular expression
		c.Path, _ = s.until(", \t#")
	case r[0] == '/':
		c.Path, _ = s.until(commandStop)
	default:
		w, ok := s.word(wordStop)
		c.Path = w.name
		if !ok || c.Path != "sudoedit" {
			return c, ok && (c.Path == "list" || alias.MatchString(c.Path))
		}
	}
	var args []string
	for s.rest() != "" && strings.IndexByte(",:=#", s.line[s.at]) < 0 {
		word, _ := s.until(",: \t#")
		args = append(args, word)
	}
	if args != nil {
		text := strings.Join(args, " ")
		if text == `""` {
			text = ""
		}
		c.Args = &text
	}
	return c, true
}
