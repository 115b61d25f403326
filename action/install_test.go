package action

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// release makes an archive as a release has it, and a curl that serves it, its
// checksums and their signature from the one address they may come from.
func (r runner) release(archive string, checksums func(sum string) string) (sum string) {
	r.t.Helper()
	served := filepath.Join(r.temp, "served")
	if err := os.Mkdir(served, 0o755); err != nil {
		r.t.Fatal(err)
	}
	name, pack := "sandbox-audit", []string{"tar", "-czf"}
	if strings.HasSuffix(archive, ".zip") {
		name, pack = "sandbox-audit.exe", []string{"zip", "-q"}
	}
	program := r.program(name, "echo released\n")
	cmd := exec.Command(pack[0], append(pack[1:], filepath.Join(served, archive), name)...)
	cmd.Dir = r.bin
	if out, err := cmd.CombinedOutput(); errors.Is(err, exec.ErrNotFound) {
		r.t.Skipf("the test needs %s", pack[0])
	} else if err != nil {
		r.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Remove(program); err != nil {
		r.t.Fatal(err)
	}
	digest := sha256.Sum256([]byte(r.read(filepath.Join(served, archive))))
	sum = hex.EncodeToString(digest[:])
	for file, text := range map[string]string{"checksums.txt": checksums(sum), "checksums.txt.sigstore.json": "{}"} {
		if err := os.WriteFile(filepath.Join(served, file), []byte(text), 0o644); err != nil {
			r.t.Fatal(err)
		}
	}
	r.program("curl", `url=${!#}
base=https://github.com/sandbox-audit/sandbox-audit/releases/download/v1.2.3
[ "${url%/*}" = "$base" ] || { echo "unexpected $url"; exit 22; }
cp "`+served+`/${url##*/}" "${url##*/}"
`)
	return sum
}

const linux = "sandbox-audit_1.2.3_linux_amd64.tar.gz"

func listed(archive string) func(sum string) string {
	return func(sum string) string {
		return strings.Repeat("0", 64) + "  other.tar.gz\n" + sum + "  " + archive + "\n"
	}
}

func TestInstall(t *testing.T) {
	wrong := strings.Repeat("0", 64)
	nothing := func(string) string { return "" }
	for _, c := range []struct {
		name, version, sha256 string // "right" stands for the archive's
		checksums             func(string) string
		code                  int
		log                   string
	}{
		{name: "listed", version: "1.2.3", checksums: listed(linux), log: "::warning::not verified: who made"},
		{name: "given", version: "1.2.3", sha256: "right", checksums: nothing, log: "verified: " + linux + " has the checksum that was given"},
		{name: "given, and not that", version: "1.2.3", sha256: wrong, checksums: listed(linux), code: 2, log: "not " + wrong},
		{name: "other than listed", version: "1.2.3", checksums: func(string) string { return listed(linux)(wrong) }, code: 2, log: "not " + wrong},
		{name: "not listed", version: "1.2.3", checksums: nothing, code: 2, log: "not in checksums.txt"},
		{name: "no release", version: "1.2.3/../../evil", checksums: listed(linux), code: 2, log: "no release"},
		{name: "no digest", version: "1.2.3", sha256: "$(id)", checksums: listed(linux), code: 2, log: "sha256"},
		{name: "of no such version", version: "9.9.9", checksums: listed(linux), code: 22, log: "unexpected"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			r.unable()
			sum := r.release(linux, c.checksums)
			code, log, outputs := r.run("install.sh", "INPUT_VERSION="+c.version, "INPUT_SHA256="+strings.Replace(c.sha256, "right", sum, 1))
			if code != c.code || !strings.Contains(log, c.log) {
				t.Fatalf("exit code %d, want %d, and %q in:\n%s", code, c.code, c.log, log)
			}
			r.installed(outputs, code == 0)
		})
	}
}

// unable sees to it that the runner has nothing that can verify who made a release.
func (r runner) unable() {
	r.t.Helper()
	r.program("gh", "exit 1")
	if _, err := exec.LookPath("cosign"); err == nil {
		r.t.Skip("cosign is on PATH")
	}
}

// installed checks that the released program is there, or that none is.
func (r runner) installed(outputs map[string]string, want bool) {
	r.t.Helper()
	program, ok := outputs["program"]
	if ok != want {
		r.t.Fatalf("outputs %v, want a program: %t", outputs, want)
	}
	if !want {
		return
	}
	if out, err := exec.Command(program).Output(); err != nil || string(out) != "released\n" {
		r.t.Errorf("the installed program says %q, %v", out, err)
	}
}

func TestInstallOnWindows(t *testing.T) {
	const archive = "sandbox-audit_1.2.3_windows_arm64.zip"
	r := newRunner(t)
	r.unable()
	sum := r.release(archive, listed(archive))
	code, log, outputs := r.run("install.sh", "INPUT_VERSION=1.2.3", "INPUT_SHA256="+sum, "RUNNER_OS=Windows", "RUNNER_ARCH=ARM64")
	if code != 0 || filepath.Base(outputs["program"]) != "sandbox-audit.exe" {
		t.Fatalf("exit code %d, outputs %v\n%s", code, outputs, log)
	}
	r.installed(outputs, true)
}

// Who made a release is verified by what the runner has: gh if it may ask github.com,
// else cosign. What was not verified is said; what was refused is not installed.
func TestInstallVerifies(t *testing.T) {
	const gh = `[ "$*" = "attestation --help" ] && exit
[ "$*" = "attestation verify ` + linux + ` --repo sandbox-audit/sandbox-audit --signer-workflow sandbox-audit/sandbox-audit/.github/workflows/release.yml --source-ref refs/tags/v1.2.3" ] ||
  { echo "gh was asked $*"; exit 3; }
exit $VERDICT
`
	const cosign = `[ "$*" = "verify-blob --bundle checksums.txt.sigstore.json --certificate-identity https://github.com/sandbox-audit/sandbox-audit/.github/workflows/release.yml@refs/tags/v1.2.3 --certificate-oidc-issuer https://token.actions.githubusercontent.com checksums.txt" ] && [ -s checksums.txt.sigstore.json ] ||
  { echo "cosign was asked $*"; exit 3; }
exit $VERDICT
`
	const github = "https://github.com"
	for _, c := range []struct {
		name, gh, cosign, token, server, verdict string
		code                                     int
		log                                      string
	}{
		{name: "by provenance", gh: gh, token: "t", server: github, verdict: "0", log: "(gh attestation verify)"},
		{name: "by provenance that is not there", gh: gh, cosign: cosign, token: "t", server: github, verdict: "1", code: 2, log: "provenance of " + linux + " was not verified"},
		{name: "by signature", gh: "exit 1", cosign: cosign, token: "t", server: github, verdict: "0", log: "(cosign verify-blob)"},
		{name: "by signature without a token", gh: gh, cosign: cosign, server: github, verdict: "0", log: "(cosign verify-blob)"},
		{name: "by signature on another server", gh: gh, cosign: cosign, token: "t", server: "https://git.example", verdict: "0", log: "(cosign verify-blob)"},
		{name: "by signature that is not there", gh: "exit 1", cosign: cosign, verdict: "1", code: 2, log: "signature of checksums.txt was not verified"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			r.program("gh", c.gh)
			if c.cosign != "" {
				r.program("cosign", c.cosign)
			}
			r.release(linux, listed(linux))
			code, log, outputs := r.run("install.sh", "INPUT_VERSION=1.2.3", "INPUT_SHA256=", "GH_TOKEN="+c.token, "GITHUB_SERVER_URL="+c.server, "VERDICT="+c.verdict)
			if code != c.code || !strings.Contains(log, c.log) {
				t.Fatalf("exit code %d, want %d, and %q in:\n%s", code, c.code, c.log, log)
			}
			r.installed(outputs, code == 0)
		})
	}
}

func TestInstallFromPath(t *testing.T) {
	r := newRunner(t)
	if code, log, _ := r.run("install.sh", "INPUT_VERSION=", "INPUT_SHA256="); code != 2 || !strings.Contains(log, "not on PATH") {
		t.Errorf("without any: exit code %d\n%s", code, log)
	}
	want := r.program("sandbox-audit", "")
	if code, log, outputs := r.run("install.sh", "INPUT_VERSION=", "INPUT_SHA256="); code != 0 || outputs["program"] != want {
		t.Errorf("exit code %d, outputs %v, want %s\n%s", code, outputs, want, log)
	}
}
