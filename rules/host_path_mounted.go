package rules

import (
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
)

var _ = register(&scan.Rule{
	ID: "SBX507", Name: "host-path-mounted", Step: scan.Runtime, Level: scan.LevelWarning, Severity: 5.5, CWE: []int{552, 668},
	Title: "a sensitive path or a credential directory of the host is mounted",
	Many:  "%d sensitive paths of the host are mounted",
	Where: scan.InManifest,
	Run: func(p *scan.Pass) {
		for _, c := range sandboxContainers(p) {
			for _, m := range c.Mounts {
				why := sensitiveMount(m)
				switch {
				case runtimeSocket(m) != "": // SBX506
				case why != "":
					p.Reportf(inManifest(m.At), "%s of the host is mounted into %s: %s", m.Source, running(p, c), why)
				case m.Kind == manifest.HostPath && p.Workload.Kind != "service":
					p.Reportf(inManifest(m.At), "%s of the node is mounted into %s: what is there stays for the next pod, and other pods may have it", m.Source, running(p, c)).As(scan.LevelNote)
				}
			}
		}
	},
})

var (
	home        = regexp.MustCompile(`^(~|\$HOME|\$\{HOME[^}]*\}|/root|/home/[^/]+|/Users/[^/]+)(/|$)`)
	credentials = regexp.MustCompile(`(^|/)(\.ssh|\.aws|\.azure|\.gcp|\.kube|\.docker|\.gnupg|\.netrc|\.git-credentials|\.npmrc|\.pypirc|\.config(/(gcloud|gh|git|op|rclone))?|\.claude(\.json)?|\.anthropic|\.codex|\.gemini|\.password-store|\.vault-token|\.env(\.[a-z]+)?|gcloud|id_(rsa|ed25519|ecdsa|dsa)|credentials(\.json)?|kubeconfig)$`)
	disk        = regexp.MustCompile(`^/dev(/(mem|kmem|port|sd[a-z]+\d*|nvme.*|vd[a-z]+\d*|xvd.*|dm-.*|mapper.*|disk.*))?$`)
)

// sensitiveMount says what a mount of the host gives away; empty if nothing is known to.
func sensitiveMount(m manifest.Mount) string {
	if m.Kind != manifest.HostPath && m.Kind != manifest.Device {
		return ""
	}
	source := path.Clean(strings.ReplaceAll(m.Source, `\`, "/"))
	switch {
	case disk.MatchString(source):
		return "it is the host's memory or disks"
	case m.Kind == manifest.Device:
		return ""
	case source == "/":
		return "it is the whole host"
	case credentials.MatchString(source):
		return "untrusted code reads the credentials that are kept there"
	}
	for _, dir := range []string{"/etc", "/boot", "/proc", "/sys", "/lib/modules", "/usr", "/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/log", "/opt/cni", "/run/secrets"} {
		if inside(source, dir) && !harmless(source) || source == "/var" || source == "/var/lib" {
			return "it is part of the host's system"
		}
	}
	if h := home.FindString(m.Source); h != "" && strings.TrimRight(m.Source, "/") == strings.TrimRight(h, "/") {
		return "it is somebody's home, with the credentials that are kept there"
	}
	return ""
}

// harmless are files of the system that containers get for the time and the names.
func harmless(source string) bool {
	switch source {
	case "/etc/localtime", "/etc/timezone", "/etc/resolv.conf", "/etc/hosts", "/etc/ssl/certs", "/etc/ssl/certs/ca-certificates.crt", "/usr/share/zoneinfo":
		return true
	}
	return inside(source, "/etc/ssl/certs") || inside(source, "/etc/ca-certificates") || inside(source, "/usr/share") || inside(source, "/usr/local/share")
}
