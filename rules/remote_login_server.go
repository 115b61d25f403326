package rules

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/network"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

var _ = register(&scan.Rule{
	ID: "SBX402", Name: "remote-login-server", Step: scan.Network, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{1188, 306, 321},
	Title: "the image has a server that lets somebody in from elsewhere",
	Many:  "%d things here let somebody in from elsewhere",
	Each:  true,
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{launch.Fact, commands.Fact, packages.Fact, network.ServerConfigs, network.AuthorizedKeys},
	Run: func(p *scan.Pass) {
		r := remoteLogin{Pass: p, started: map[string]scan.Location{}}
		for _, s := range starts(p) {
			r.start(s)
		}
		for f := range p.Image.Files() {
			if !f.Buried() {
				r.file(f)
			}
		}
		r.installs()
		for f, list := range network.ServerConfigs.Facts(p.Image) {
			r.config(f, list)
		}
		r.written()
		r.keys()
		if !r.found && allFilesKnown(p) {
			p.Shownf(scan.Location{}, "the image has no server for login or remote control, and no key that opens one")
		}
	},
})

// remoteLogin looks for ways in.
type remoteLogin struct {
	*scan.Pass
	started map[string]scan.Location // programs that the container starts, by name
	found   bool
	ssh     bool // a server for SSH is there, or may be
}

// start notes a program that the container starts, and reports one that lets in
// whoever connects.
func (r *remoteLogin) start(s call) {
	name := path.Base(s.argv[0])
	if _, again := r.started[name]; !again {
		r.started[name] = s.at
	}
	if how := network.NoToken(s.argv); how != "" {
		r.found = true
		r.Reportf(s.at, "%s is started %s: whoever connects is in, without a token or password", name, how)
	}
}

// server reports a program.
func (r *remoteLogin) server(at scan.Location, what, name string) {
	gives := network.Remote(name)
	if gives == "" {
		return
	}
	r.found = true
	r.ssh = r.ssh || strings.Contains(gives, "SSH")
	f := r.Reportf(at, "%s gives %s to whoever connects and can log in: a sandbox is driven by its control plane alone", what, gives)
	if at, ok := r.started[name]; ok {
		f.Notef(at, "the container starts %s", name)
	}
}

func (r *remoteLogin) file(f *image.File) {
	name := path.Base(f.Path)
	switch {
	case network.Remote(name) != "" && (isProgram(r.Pass, f) || applet(f)):
		r.server(r.At(f), f.Path, name)
	case strings.HasPrefix(f.Path, "/etc/") && hostKey.MatchString(f.Path) && f.Mode.IsRegular() && f.Size != 0:
		r.found = true
		r.Reportf(r.At(f), "%s is the same in every container: whoever has the image can pose as each of them", f.Path)
	case name == "passwd" && vncPassword.MatchString(f.Path) && f.Mode.IsRegular() && f.Size != 0:
		r.found = true
		r.Reportf(r.At(f), "%s is the password for the desktop in every container: it is stored under a key that everybody knows", f.Path)
	}
}

// vncPassword is where VNC servers keep their password (vncpasswd(1)).
var vncPassword = regexp.MustCompile(`/(\.vnc|\.config/tigervnc)/passwd$`)

// hostKey are the private keys by which servers prove who they are (sshd(8),
// dropbear(8)).
var hostKey = regexp.MustCompile(`^/etc/ssh/ssh_host_\w+_key$|^/etc/dropbear/dropbear_\w+_host_key$`)

// applet reports whether f is a name by which a program of many names serves.
func applet(f *image.File) bool {
	link := path.Base(f.Link)
	return f.Link != "" && path.Base(path.Dir(f.Path)) != "applets" && (link == "busybox" || link == "busybox-extras" || link == "dropbearmulti")
}

// installs reports servers that a Dockerfile installs by name.
func (r *remoteLogin) installs() {
	if !r.Image.Predicted {
		return
	}
	for _, i := range packages.Installs(r.Build) {
		if name := network.RemotePackage(i.Manager, i.Package); name != "" {
			r.server(r.AtInstr(i.Instr), "the package "+i.Package, name)
		}
	}
}

// config reports what a configuration opens: of sshd's, where a server for SSH is there.
func (r *remoteLogin) config(f *image.File, list []network.Directive) {
	if f.Buried() || unread.MatchString(f.Path) {
		return
	}
	for _, d := range list {
		at := r.At(f)
		at.Line = d.Line
		r.directive(at, f.Path, d)
	}
}

// written reports the same of what a Dockerfile puts into configurations that are not
// known as a whole.
func (r *remoteLogin) written() {
	for at, w := range written(r.Pass) {
		if _, read := network.ServerConfigs.Of(r.Image.Lookup(w.Path)); read {
			continue
		}
		for _, d := range network.DirectivesIn(w.Path, w.Text) {
			r.directive(at, w.Path, d)
		}
	}
}

// directive reports a line of the configuration in a file.
func (r *remoteLogin) directive(at scan.Location, file string, d network.Directive) {
	switch {
	case !d.Opens, network.IsSSHConfig(file) && !r.ssh:
		return
	case network.IsSSHConfig(file):
		r.Reportf(at, "%s in %s lets more people in than sshd does by itself", d.Text, file)
	default:
		r.Reportf(at, "%s in %s: whoever connects is in, without a token or password", d.Text, file)
	}
	r.found = true
}

// keys reports who may log in with a key. Without a server for SSH that opens nothing
// yet.
func (r *remoteLogin) keys() {
	for f, n := range network.AuthorizedKeys.Facts(r.Image) {
		if f.Buried() || unread.MatchString(f.Path) {
			continue
		}
		x := r.Reportf(r.At(f), "%s lets the holders of %s in, in every container", f.Path, keyCount(n))
		if !r.ssh && !r.Image.Predicted && r.Image.Complete() {
			x.As(scan.LevelNote).Notef(scan.Location{}, "the image has no server for SSH that asks for it")
			continue
		}
		r.found = true
	}
}

func keyCount(n int) string {
	if n == 1 {
		return "a key"
	}
	return strconv.Itoa(n) + " keys"
}
