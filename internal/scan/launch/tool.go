package launch

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// A change is a command that runs another one as some user.
type change struct {
	how   string
	user  shell.Word    // empty and known for the tool's default, root
	rest  []shell.Word  // the command it runs; empty for a login shell
	args  []shell.Word  // of the tool itself
	flaw  string        // why it does not give root up, whoever the user is
	call  shell.Parsed  // its options
	group shell.Word    // given besides the user; known and empty if none is
	env   environmentOf // what the command finds in its environment
	keep  []string      // variables that are kept all the same
	sets  []shell.Word  // "NAME=value" before the command
	shell bool          // without a command, a shell starts
	stays bool          // it lives on while the command runs
}

// environmentOf says what a tool does to the environment of what it starts.
type environmentOf uint8

const (
	handedOn environmentOf = iota
	reset                  // a policy decides what stays: nothing by default
	cleared
)

// The options with values of the tools (their manual pages and usage texts).
var (
	setpriv = grammar{"--reuid": "reuid", "--ruid": "ruid", "--euid": "euid", "--regid": "gid", "--rgid": "rgid", "--egid": "egid",
		"--groups": "groups", "--ambient-caps": "ambient", "--inh-caps": "inh", "--bounding-set": "x", "--securebits": "securebits",
		"--pdeathsig": "x", "--selinux-label": "x", "--apparmor-profile": "x", "--landlock-access": "x",
		"--landlock-rule": "x", "--seccomp-filter": "x", "--ptracer": "x"}
	su = shell.Options{"-c": "c", "--command": "c", "--session-command": "c", "-g": "g", "--group": "g",
		"-G": "G", "--supp-group": "G", "-s": "s", "--shell": "s", "-w": "w", "--whitelist-environment": "w",
		"-u": "u", "--user": "u"}
	sudo = shell.Options{"-u": "u", "--user": "u", "-g": "g", "--group": "g", "-C": "C", "--close-from": "C",
		"-h": "h", "--host": "h", "-p": "p", "--prompt": "p", "-r": "r", "--role": "r", "-t": "t", "--type": "t",
		"-T": "T", "--command-timeout": "T", "-D": "D", "--chdir": "D", "-R": "R", "--chroot": "R", "-U": "U"}
	chroot = shell.Options{"--userspec": "u", "--groups": "groups"}
	daemon = shell.Options{"-c": "c", "--chuid": "c", "-x": "x", "--exec": "x", "-a": "a", "--startas": "a", "-g": "g", "--group": "g",
		"-p": "p", "--pidfile": "p", "-d": "d", "--chdir": "d", "-r": "r", "--chroot": "r", "-N": "N", "--nicelevel": "N",
		"-P": "P", "--procsched": "P", "-I": "I", "--iosched": "I", "-k": "k", "--umask": "k", "-n": "n", "--name": "n", "-u": "u", "--user": "u"}
	chpst = shell.Options{"-u": "u", "-U": "U", "-b": "b", "-e": "e", "-/": "/", "-n": "n", "-l": "l", "-L": "l",
		"-m": "m", "-d": "m", "-o": "m", "-p": "m", "-f": "m", "-c": "m", "-r": "m", "-t": "m"}
)

// changeOf takes a command apart that changes the user. ok is false if argv is none.
func changeOf(argv []shell.Word) (c change, ok bool) {
	c.how = path.Base(argv[0].Text)
	c.group.Known = true
	switch c.how {
	case "gosu", "su-exec", "setuidgid", "s6-setuidgid":
		p := shell.Options{}.Parse(argv[1:], false)
		if len(p.Rest) == 0 {
			return c, false
		}
		c.call, c.user, c.rest = p, p.Rest[0], p.Rest[1:]
	case "setpriv":
		p := setpriv.Parse(argv[1:], false)
		if p.keepsUser() {
			return c, false
		}
		c.call, c.rest = p.Parsed, p.Rest
		if c.user, ok = p.Values["reuid"]; !ok {
			c.user, c.flaw = p.euid()
		}
	case "su", "runuser":
		c.su(argv)
	case "sudo":
		c.sudo(argv)
	case "chroot":
		p := chroot.Parse(argv[1:], false)
		if c.user, ok = p.Values["u"]; !ok || len(p.Rest) == 0 {
			return c, false
		}
		c.call = p
		if c.rest = p.Rest[1:]; p.Rest[0].Text != "/" {
			c.user = shell.Word{Text: c.user.Text} // the accounts are those of another root
		}
	case "start-stop-daemon":
		p := daemon.Parse(argv[1:], false)
		if c.user, ok = p.Values["c"]; !ok || !p.Flags["-S"] && !p.Flags["--start"] {
			return c, false
		}
		program, named := p.Values["a"]
		if !named {
			program = p.Values["x"]
		}
		c.call, c.rest = p, append([]shell.Word{program}, p.Rest...)
	case "chpst":
		p := chpst.Parse(argv[1:], false)
		if c.user, ok = p.Values["u"]; !ok {
			return c, false
		}
		c.user.Text = strings.TrimPrefix(c.user.Text, ":")
		c.call, c.rest = p, p.Rest
	default:
		return c, false
	}
	c.args = argv[:len(argv)-min(len(c.rest), len(argv))]
	return c, true
}

// su reads the two forms of su(1) and runuser(1): "-u USER COMMAND" of the latter,
// and "[-] USER -c TEXT", with options anywhere.
func (c *change) su(argv []shell.Word) {
	c.shell, c.stays = true, true
	if p := su.Parse(argv[1:], false); c.how == "runuser" && p.Values["u"].Text != "" {
		c.call, c.user, c.rest = p, p.Values["u"], p.Rest
		return
	}
	p := su.Parse(argv[1:], true)
	c.call = p
	rest := p.Rest
	login := p.Flags["-l"] || p.Flags["--login"]
	if len(rest) > 0 && rest[0].Text == "-" {
		rest, login = rest[1:], true
	}
	if login {
		c.env, c.keep = cleared, strings.Split(p.Values["w"].Text, ",")
	}
	if g, ok := p.Values["g"]; ok {
		c.group = g
	}
	c.user = shell.Word{Text: "root", Known: true}
	if len(rest) > 0 {
		c.user, rest = rest[0], rest[1:]
	}
	if text, ok := p.Values["c"]; ok {
		c.rest = append(shell.Known("sh", "-c"), text)
		c.rest = append(c.rest, rest...)
		return
	}
	if len(rest) > 0 { // a script, for the user's shell
		c.rest = append(shell.Known("sh"), rest...)
	}
}

// sudo reads sudo(8): it resets the environment, unless told not to.
func (c *change) sudo(argv []shell.Word) {
	p := sudo.Parse(argv[1:], false)
	c.call, c.rest, c.stays = p, p.Rest, true
	for len(c.rest) > 0 && strings.Contains(c.rest[0].Text, "=") {
		c.sets, c.rest = append(c.sets, c.rest[0]), c.rest[1:]
	}
	c.user = orRoot(p.Values, "u")
	c.user.Text = strings.TrimPrefix(c.user.Text, "#")
	if g, ok := p.Values["g"]; ok {
		c.group = g
	}
	c.env = reset
	for flag := range p.Flags {
		switch flag {
		case "-E", "--preserve-env":
			c.env = handedOn
		case "-i", "--login":
			c.shell, c.env = true, cleared
		case "-s", "--shell":
			c.shell = true
		}
	}
	for _, w := range argv[1:] {
		if names, ok := strings.CutPrefix(w.Text, "--preserve-env="); ok {
			c.env, c.keep = reset, strings.Split(names, ",")
		}
	}
}

func orRoot(values map[string]shell.Word, key string) shell.Word {
	if w, ok := values[key]; ok {
		return w
	}
	return shell.Word{Text: "root", Known: true}
}

// grammar is setpriv's options.
type grammar shell.Options

type setprivCall struct{ shell.Parsed }

func (g grammar) Parse(words []shell.Word, permute bool) setprivCall {
	return setprivCall{shell.Options(g).Parse(words, permute)}
}

// keepsUser reports whether setpriv(1) is called for something else than a user.
func (p setprivCall) keepsUser() bool {
	for _, k := range []string{"reuid", "ruid", "euid"} {
		if _, ok := p.Values[k]; ok {
			return false
		}
	}
	return true
}

// euid returns the user of a call without --reuid. Only both uids together give
// root up: one that stays 0 can be had back.
func (p setprivCall) euid() (shell.Word, string) {
	r, e := p.Values["ruid"], p.Values["euid"]
	if r == e {
		return r, ""
	}
	return shell.Word{Text: r.Text + e.Text, Known: true}, "--ruid or --euid alone leaves a uid 0 to go back to"
}
