package accounts

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// A doasRule is one line of doas.conf(5).
type doasRule struct {
	permit, nopass bool
	keepenv        bool
	preload        bool   // setenv passes a variable that loads code
	who            string // "app", ":wheel"
	as             string // empty for anyone
	command        Command
	source         Source
}

// doas reads /etc/doas.conf, and the directory that Alpine reads besides.
func (l *policyLoader) doas() *Policy {
	p := l.begin("doas")
	names := []string{"/etc/doas.conf"}
	for _, f := range l.list("/etc/doas.d") {
		if path.Ext(f.Path) == ".conf" {
			names = append(names, f.Path)
		}
	}
	names = append(names, l.perhaps("/etc/doas.d")...)
	l.unread("/etc/doas.conf")
	l.unread("/etc/doas.d/x")
	for _, name := range names {
		switch f, text, how := l.read(name, true); how {
		case known:
			l.doasText(text, Source{File: f})
		case absent, unread:
			for _, w := range l.written(name) {
				l.doasText(w.text, Source{Instr: w.instr, unsure: !w.certain})
			}
		}
	}
	if p.Void == "" && len(p.Ignored) > 0 {
		p.Void = "doas refuses to work: " + p.Ignored[0].Why
	}
	return p
}

func (l *policyLoader) doasText(text string, src Source) {
	for n, line := range logicalLines(text, doasComment) {
		words, ok := doasWords(line)
		if len(words) == 0 {
			continue
		}
		at := src
		if at.File != nil {
			at.Line = n
		}
		rule, valid := parseDoas(words)
		if !ok || !valid {
			l.policy.Ignored = append(l.policy.Ignored, Ignored{at, "the line is not doas.conf syntax"})
			continue
		}
		rule.source = at
		l.policy.doas = append(l.policy.doas, rule)
	}
}

// doasComment returns where a comment begins in a line of doas.conf(5).
func doasComment(line string) int { return comment(line, func(string) bool { return true }) }

// doasWords splits a line into words; braces are words of their own.
func doasWords(line string) (words []string, ok bool) {
	var b strings.Builder
	quoted, some := false, false
	end := func() {
		if some {
			words = append(words, b.String())
		}
		b.Reset()
		some = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && i+1 < len(line):
			i++
			b.WriteByte(line[i])
			some = true
		case c == '"':
			quoted, some = !quoted, true
		case (c == ' ' || c == '\t') && !quoted:
			end()
		case (c == '{' || c == '}') && !quoted:
			end()
			words = append(words, string(c))
		default:
			b.WriteByte(c)
			some = true
		}
	}
	end()
	return words, !quoted
}

// parseDoas reads "permit|deny [options] identity [as target] [cmd command [args ...]]".
func parseDoas(w []string) (r doasRule, ok bool) {
	r.permit = w[0] == "permit"
	if !r.permit && w[0] != "deny" {
		return r, false
	}
	w = w[1:]
options:
	for ; len(w) > 0; w = w[1:] {
		switch w[0] {
		case "nopass":
			r.nopass = true
		case "keepenv":
			r.keepenv = true
		case "nolog", "persist":
		case "setenv":
			end := slices.Index(w, "}")
			if len(w) < 2 || w[1] != "{" || end < 0 {
				return r, false
			}
			r.preload = slices.ContainsFunc(w[2:end], func(v string) bool { return slices.Contains(loaders, v) })
			w = w[end:]
		default:
			break options
		}
	}
	if len(w) == 0 {
		return r, false
	}
	r.who, w = w[0], w[1:]
	if len(w) >= 2 && w[0] == "as" {
		r.as, w = w[1], w[2:]
	}
	r.command.Path = "ALL"
	if len(w) >= 2 && w[0] == "cmd" {
		r.command.Path, w = w[1], w[2:]
		if len(w) > 0 && w[0] == "args" {
			args := strings.Join(w[1:], " ")
			r.command.Args, w = &args, nil
		}
	}
	return r, len(w) == 0
}

// doasGrants reads the rules from the last to the first: the last one that matches
// decides.
func (p *Policy) doasGrants(u User) []Grant {
	if !u.Exists && p.accounts.Unknown == "" {
		return nil
	}
	m := (&sudoers{}).matcher(p.accounts, u, p.newgrp)
	var out []Grant
	decided := map[string]bool{}
	perhaps := ""
	for _, r := range slices.Backward(p.doas) {
		who, as := m.doasWho(r.who), allow
		if r.as != "" {
			as = m.root(r.as)
		}
		if who != allow && who != unsure || as != allow && as != unsure {
			continue
		}
		key := r.command.Path
		if r.command.Args != nil {
			key += " " + *r.command.Args
		}
		if decided["ALL"] || decided[key] || decided[r.command.Path] {
			continue
		}
		why := perhaps
		if who == unsure || as == unsure {
			why = m.why
		} else if r.source.unsure {
			why = "its RUN writes the line under a condition only"
		} else {
			decided[key] = true
		}
		if r.permit && r.nopass && len(out) < maxGrants {
			out = append(out, Grant{Tool: "doas", Command: r.command, Loads: r.loads(), Source: r.source, Unsure: why})
		} else if !decided[key] && key == "ALL" {
			perhaps = "a later line may say otherwise: " + why
		}
	}
	return out
}

func (m *matcher) doasWho(who string) verdict {
	group, isGroup := strings.CutPrefix(who, ":")
	switch {
	case isGroup:
		return m.inGroup(func(g Group) bool { return g.Name == group || strconv.Itoa(g.GID) == group })
	case who == m.user.Name && who != "", m.user.Known && who == strconv.Itoa(m.user.UID):
		return allow
	case strings.Contains(who, "$"):
		return m.unsure("the name of the user is a variable")
	}
	return unspecified
}

func (r doasRule) loads() string {
	switch {
	case r.keepenv:
		return "keepenv passes the caller's LD_PRELOAD on"
	case r.preload:
		return "setenv passes the caller's variables for the loader on"
	}
	return ""
}
