package accounts

import (
	"cmp"
	"fmt"
	"path"
	"strings"
)

const (
	sudoersFile = "/etc/sudoers"
	sudoersDir  = "/etc/sudoers.d"
)

// sudo reads /etc/sudoers and what it includes.
func (l *policyLoader) sudo() *Policy {
	p := l.begin("sudo")
	p.sudoers = &sudoers{members: map[string][]member{}, commands: map[string][]allowed{}}
	l.unread(sudoersFile)
	switch l.sudoersFile(sudoersFile, 0) {
	case known:
	case refused:
		p.Void = cmp.Or(p.Void, "sudo refuses to work: "+p.Ignored[0].Why)
	case absent:
		if p.Void == "" && p.Unknown == "" {
			p.Void = "the image has no " + sudoersFile
		}
		fallthrough
	default: // every distribution's own file ends with this
		l.sudoersDir(sudoersDir, 0)
	}
	return p
}

// sudoersFile reads one file. What instructions add to one that is not known is
// read in its place.
func (l *policyLoader) sudoersFile(name string, depth int) found {
	f, text, how := l.read(name, false)
	switch how {
	case known:
		for n, line := range logicalLines(text, sudoersComment) {
			l.sudoersLine(line, Source{File: f, Line: n}, path.Dir(name), depth)
		}
	case absent, unread:
		for _, w := range l.written(name) {
			for _, line := range logicalLines(w.text, sudoersComment) {
				l.sudoersLine(line, Source{Instr: w.instr, unsure: !w.certain}, path.Dir(name), depth)
			}
		}
	}
	return how
}

// maxDepth is how deep files may include one another (sudo, MAX_SUDOERS_DEPTH).
const maxDepth = 128

func (l *policyLoader) sudoersLine(line string, src Source, dir string, depth int) {
	directive, name, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(line), "\t", " "), " ")
	switch directive {
	case "@include", "#include", "@includedir", "#includedir":
	default:
		if !l.policy.sudoers.directive(line, src) {
			l.policy.Ignored = append(l.policy.Ignored, Ignored{src, "the line is not sudoers syntax"})
		}
		return
	}
	s := scanner{line: strings.TrimSpace(name)}
	if s.take(`"`) != 0 {
		name, _ = s.quoted()
	} else {
		name, _ = s.until(" ")
	}
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	switch {
	case depth >= maxDepth:
	case strings.Contains(name, "%h"):
		l.unknown("the policy includes a file for the container's host name")
	case strings.HasSuffix(directive, "dir"):
		l.sudoersDir(name, depth+1)
	default:
		if l.sudoersFile(name, depth+1) == absent {
			l.unread(name)
		}
	}
}

// sudoersDir reads the files of a directory whose names sudo accepts: without a dot,
// and without a tilde at the end, in the order of their names.
func (l *policyLoader) sudoersDir(dir string, depth int) {
	l.unread(dir + "/x")
	if d := l.img.Lookup(dir); d != nil {
		if why := distrusted(d, false); why != "" {
			l.policy.Ignored = append(l.policy.Ignored, Ignored{Source{File: d}, why})
			return
		}
	}
	for _, f := range l.list(dir) {
		base := path.Base(f.Path)
		if !sudoReads(base) {
			l.policy.Ignored = append(l.policy.Ignored, Ignored{Source{File: f}, fmt.Sprintf("sudo skips %s: its name has a dot, or ends with a tilde", f.Path)})
			continue
		}
		l.sudoersFile(path.Join(dir, base), depth)
	}
	for _, name := range l.perhaps(dir) {
		if sudoReads(path.Base(name)) {
			l.sudoersFile(name, depth)
		}
	}
}

func sudoReads(name string) bool {
	return !strings.Contains(name, ".") && !strings.HasSuffix(name, "~")
}

// Grants returns what the user may run as root without a password.
func (p *Policy) Grants(u User) []Grant {
	switch {
	case p.Void != "":
		return nil
	case p.sudoers != nil:
		return p.sudoGrants(u)
	case len(p.pam) > 0:
		return p.suGrants(u)
	}
	return p.doasGrants(u)
}

// sudoGrants reads the specs from the last to the first: the last one that matches
// a command decides.
func (p *Policy) sudoGrants(u User) []Grant {
	if !u.Exists && p.accounts.Unknown == "" {
		return nil // sudo refuses whom /etc/passwd does not have
	}
	// Of a process without supplementary groups sudo takes those of /etc/group. One
	// that a runtime starts with a group has that one (sudo, sudo_get_gidlist).
	listed := p.newgrp || !strings.Contains(u.Spec, ":")
	g := &granting{matcher: p.sudoers.matcher(p.accounts, u, listed), decided: map[string]bool{}}
	g.effective = g.matcher.effective()
	for i := len(p.sudoers.specs) - 1; i >= 0 && !g.all && g.left >= 0; i-- {
		g.spec(p.sudoers.specs[i])
	}
	if g.left < 0 {
		g.out = append(g.out, Grant{Tool: "sudo", Command: Command{Path: "ALL"}, Unsure: "the policy is too large to be followed"})
	}
	return g.out
}
