package accounts

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// The options with values (shadow-utils' and Debian's manual pages, BusyBox's
// usage texts). adduser has two dialects, which agree on what matters here.
var (
	useraddOptions = shell.Options{
		"-b": "b", "--base-dir": "b", "-c": "c", "--comment": "c", "-d": "d", "--home-dir": "d", "--home": "d",
		"-e": "e", "--expiredate": "e", "-f": "f", "--inactive": "f", "-g": "g", "--gid": "g", "-G": "G", "--groups": "G",
		"-k": "k", "--skel": "k", "-K": "K", "--key": "K", "-p": "p", "--password": "p", "-s": "s", "--shell": "s",
		"-u": "u", "--uid": "u", "-R": "R", "--root": "R", "-P": "P", "--prefix": "P", "-Z": "Z", "--selinux-user": "Z",
	}
	adduserOptions = shell.Options{
		"-h": "d", "--home": "d", "-g": "gecos", "--gecos": "gecos", "--comment": "gecos", "-s": "s", "--shell": "s",
		"-G": "g", "--ingroup": "g", "--gid": "g", "-u": "u", "--uid": "u", "-k": "k", "--conf": "conf",
		"--firstuid": "x", "--lastuid": "x", "--firstgid": "x", "--lastgid": "x", "--add-extra-groups": "x",
	}
	groupaddOptions = shell.Options{
		"-g": "g", "--gid": "g", "-K": "K", "--key": "K", "-p": "p", "--password": "p", "-R": "R", "--root": "R",
		"-P": "P", "--prefix": "P", "-U": "U", "--users": "U", "--firstgid": "x", "--lastgid": "x",
	}
	usermodOptions = shell.Options{
		"-c": "c", "--comment": "c", "-d": "d", "--home": "d", "-e": "e", "--expiredate": "e", "-f": "f", "--inactive": "f",
		"-g": "g", "--gid": "g", "-G": "G", "--groups": "G", "-l": "l", "--login": "l", "-p": "p", "--password": "p",
		"-s": "s", "--shell": "s", "-u": "u", "--uid": "u", "-R": "R", "--root": "R", "-P": "P", "--prefix": "P",
		"-v": "v", "-V": "v", "-w": "w", "-W": "w", "-Z": "Z",
	}
	gpasswdOptions = shell.Options{"-a": "a", "--add": "a", "-d": "d", "--delete": "d", "-M": "M", "-A": "A", "-Q": "Q"}
)

// useradd makes an account. Without -o it never gives the uid 0, which is taken.
func (r *run) useradd(p shell.Parsed, certain bool) {
	if len(p.Rest) != 1 || !p.Rest[0].Known {
		return
	}
	name := p.Rest[0].Text
	if _, exists := r.into.named(name); exists && !certain {
		return // the condition is that it does not
	}
	x := account{name: name, uid: -1, gid: -1, never0: !p.Flags["-o"] && !p.Flags["--non-unique"], home: "/home/" + name}
	r.apply(&x, p)
	r.make(x, certain)
}

// adduser makes an account, or puts one into a group. Where it is another name of
// useradd, the options tell.
func (r *run) adduser(p shell.Parsed, certain bool) {
	switch {
	case p.Flags["--group"] && !p.Flags["--system"]:
		r.groupadd(p, certain)
	case len(p.Rest) == 2:
		r.join(p.Rest[0], p.Rest[1])
	default:
		r.useradd(p, certain)
	}
}

func (r *run) usermod(p shell.Parsed, certain bool) {
	if len(p.Rest) != 1 || !p.Rest[0].Known {
		return
	}
	if groups, ok := p.Values["G"]; ok {
		r.joinAll(p.Rest[0], groups)
	}
	x, ok := r.into.named(p.Rest[0].Text)
	if !ok {
		x = account{name: p.Rest[0].Text, uid: -1, gid: -1}
	}
	if to, ok := p.Values["l"]; ok && to.Known {
		x.name = to.Text
	}
	if _, ok := p.Values["u"]; ok {
		x.uid, x.never0 = -1, !p.Flags["-o"] && !p.Flags["--non-unique"]
	}
	delete(p.Values, "G")
	for _, changes := range []string{"u", "g", "l", "d"} {
		if _, ok := p.Values[changes]; ok {
			r.apply(&x, p)
			r.make(x, certain)
			return
		}
	}
}

// apply sets what options say about an account.
func (r *run) apply(x *account, p shell.Parsed) {
	if u, ok := p.Values["u"]; ok && u.Known {
		if n, numeric, inRange := number(u.Text); numeric && inRange {
			x.uid = n
		}
	}
	if g, ok := p.Values["g"]; ok {
		x.gid = -1
		if n, numeric, _ := number(g.Text); numeric && g.Known {
			x.gid = n
		} else if named, ok := r.into.groupNamed(g.Text); ok && g.Known {
			x.gid = named.gid
		}
	}
	if d, ok := p.Values["d"]; ok {
		if x.home = ""; d.Known {
			x.home = d.Text
		}
	}
	if groups, ok := p.Values["G"]; ok {
		r.joinAll(shell.Word{Text: x.name, Known: true}, groups)
	}
}

// groupadd makes a group; addgroup with two names puts a user into one.
func (r *run) groupadd(p shell.Parsed, certain bool) {
	if len(p.Rest) == 2 {
		r.join(p.Rest[0], p.Rest[1])
		return
	}
	if len(p.Rest) != 1 || !p.Rest[0].Known {
		return
	}
	g := group{name: p.Rest[0].Text, gid: -1, source: Source{Instr: r.instr}}
	if w, ok := p.Values["g"]; ok && w.Known && certain {
		if n, numeric, inRange := number(w.Text); numeric && inRange {
			g.gid = n
		}
	}
	r.into.madeGroups = append(r.into.madeGroups, g)
}

func (r *run) joinAll(user, groups shell.Word) {
	if !groups.Known {
		return
	}
	for name := range strings.SplitSeq(groups.Text, ",") {
		r.join(user, shell.Word{Text: name, Known: true})
	}
}

// join puts a user into a group.
func (r *run) join(user, name shell.Word) {
	if !user.Known || !name.Known {
		return
	}
	g, ok := r.into.groupNamed(name.Text)
	if !ok {
		g = group{name: name.Text, gid: -1}
	}
	g.members, g.source = []string{user.Text}, Source{Instr: r.instr}
	r.into.madeGroups = append(r.into.madeGroups, g)
}
