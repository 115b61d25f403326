package rules

import (
	"fmt"
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packages"
)

var _ = register(&scan.Rule{
	ID: "SBX212", Name: "container-runtime-access", Step: scan.Privilege, Level: scan.LevelWarning, Severity: 5.5, Precision: scan.High, CWE: []int{250, 284},
	Title: "the image is made to reach a container runtime or a cluster",
	Many:  "%d things here are made to reach a container runtime or a cluster",
	Where: scan.InImage | scan.InDockerfile,
	Needs: []scan.Need{packages.Fact},
	Run: func(p *scan.Pass) {
		clean := runtimeSockets(p)
		clean = runtimeClients(p) && clean
		switch {
		case !clean:
		case p.Image.UnreadBase != "":
			p.Unknownf(scan.Location{}, "whether the base image %s has a container client is not known: it was not read", p.Image.UnreadBase)
		default:
			p.Shownf(scan.Location{}, "the image has no client of a container runtime or a cluster, and no volume for a runtime's socket")
		}
	},
})

// sockets are where runtimes listen.
var sockets = []string{"docker.sock", "podman.sock", "containerd.sock", "crio.sock", "cri-dockerd.sock", "buildkitd.sock", "lxd/unix.socket"}

// runtimeSockets reports volumes and variables that lead to a runtime's socket.
func runtimeSockets(p *scan.Pass) bool {
	clean := true
	for _, v := range p.Image.Config.Volumes {
		for _, s := range sockets {
			if v == "/var/run" || v == "/run" || strings.HasSuffix(v, "/"+s) {
				p.Reportf(p.AtField("Volumes."+v), "VOLUME %s is where a container runtime's socket is mounted: who reaches it is root on the host", v)
				clean = false
				break
			}
		}
	}
	for _, name := range []string{"DOCKER_HOST", "CONTAINER_HOST", "CONTAINERD_ADDRESS"} {
		if v, ok := p.Image.Config.Getenv(name); ok && v != "" {
			p.Reportf(p.AtField("Env."+name), "%s points the image's programs to a container runtime: who reaches it is root on its host", name)
			clean = false
		}
	}
	return clean
}

// clients are the programs that steer containers of a host or cluster, and the
// packages that bring them, where those are called otherwise.
var clients = map[string]string{
	"docker": "docker", "dockerd": "dockerd", "docker.io": "docker", "docker-ce": "docker", "docker-ce-cli": "docker",
	"docker-cli": "docker", "docker-engine": "docker", "moby-cli": "docker", "podman": "podman", "podman-remote": "podman", "nerdctl": "nerdctl",
	"ctr": "ctr", "containerd": "containerd", "containerd.io": "containerd", "crictl": "crictl", "cri-tools": "crictl",
	"kubectl": "kubectl", "kubernetes-client": "kubectl", "k3s": "k3s", "nsenter": "nsenter",
}

// runtimeClients reports client programs that are files of the image, and those that
// the Dockerfile installs by name.
func runtimeClients(p *scan.Pass) bool {
	clean := true
	owners := packages.Fact.Of(p)
	for f := range p.Image.Files() {
		if f.Buried() || !isProgram(p, f) || clients[path.Base(f.Path)] != path.Base(f.Path) {
			continue
		}
		if path.Base(f.Path) == "nsenter" && distributed(owners, f) {
			continue // part of every distribution; it needs rights over another namespace
		}
		clean = false
		p.Reportf(p.At(f), "%s", runtimeClient(f.Path))
	}
	if !p.Image.Predicted {
		return clean
	}
	var at *dockerfile.Instr
	var names []string
	flush := func() {
		if len(names) > 0 {
			clean = false
			p.Reportf(p.AtInstr(at), "%s", runtimeClient(few(names)))
		}
		names = nil
	}
	for _, i := range packages.Installs(p.Build) {
		if i.Instr != at {
			flush()
			at = i.Instr
		}
		if clients[i.Package] != "" {
			names = append(names, i.Package)
		}
	}
	flush()
	for _, u := range p.Image.Unseen {
		if base := path.Base(u.Path); clients[base] == base {
			clean = false
			p.Reportf(p.AtLayer(u.Layer), "%s", runtimeClient(u.Path))
		}
	}
	return clean
}

func runtimeClient(name string) string {
	return fmt.Sprintf("%s can steer containers: with a socket or a token that it finds, who runs it leaves the sandbox", name)
}

// isProgram reports whether f can be executed, or lies where programs do and may be
// made executable. What init starts a service with is none (Debian Policy, 9.3).
func isProgram(p *scan.Pass, f *image.File) bool {
	dir := path.Base(path.Dir(f.Path))
	return f.Mode.IsRegular() && dir != "init.d" && (f.Mode&0o111 != 0 || p.Image.Predicted && (dir == "bin" || dir == "sbin"))
}

// distributed reports whether a package of the distribution brought f, or may have.
func distributed(owners *packages.Owners, f *image.File) bool {
	o, ok := owners.OfFile(f)
	return ok && o.Distribution() || owners.MayOwn(f.Path)
}
