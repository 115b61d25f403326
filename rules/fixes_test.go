package rules

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/fix"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestEveryFixHolds applies every fix that is offered for the Dockerfile of a fixture,
// each alone and then all that go together. The result parses, the finding is gone, and
// the same fix is not offered again.
func TestEveryFixHolds(t *testing.T) {
	files, err := filepath.Glob("../testdata/images/*/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no fixtures", err)
	}
	offered := map[string]int{}
	for _, file := range files {
		f, err := scantest.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		if f.Dockerfile == nil {
			continue
		}
		f.Image = nil
		t.Run(strings.TrimPrefix(filepath.ToSlash(file), "../testdata/images/"), func(t *testing.T) {
			before := f.Audit(t, All())
			for _, g := range before.Findings {
				if g.Fix == nil {
					continue
				}
				offered[g.Rule.Name]++
				after := mended(t, f, g.Fix.Edits)
				if left := fix.Left(before, after, []*scan.Finding{g}); len(left) > 0 {
					t.Errorf("%s: %q leaves the finding %q", g.Rule.ID, g.Fix.Description, g.Message)
				}
			}
			plan := fix.New(before, true, func(*scan.Finding) bool { return true })
			after := mended(t, f, plan.Edits)
			for _, g := range fix.Left(before, after, plan.Fixed) {
				t.Errorf("%s: all fixes together leave the finding %q", g.Rule.ID, g.Message)
			}
			for _, g := range plan.Fixed {
				if slices.ContainsFunc(after.Findings, func(o *scan.Finding) bool {
					return o.Fix != nil && o.Rule == g.Rule && slices.Equal(o.Fix.Edits, g.Fix.Edits)
				}) {
					t.Errorf("%s: %q is offered again", g.Rule.ID, g.Fix.Description)
				}
			}
		})
	}
	for _, rule := range []string{
		"root-user", "user-not-numeric", "passwordless-sudo", "world-writable", "build-entitlement", "secret-in-env", "secret-in-build-arg",
		"session-variable-baked", "secret-from-context", "bytecode-not-importable", "python-source-in-lower-layer",
	} {
		if offered[rule] == 0 {
			t.Errorf("no fixture of %s is offered a fix", rule)
		}
	}
}

// TestRootOwned mends what is found in an image, in the Dockerfile beside it.
func TestRootOwned(t *testing.T) {
	const files = "-- 1/usr/bin/python3.11 mode=0755 --\nELF\n-- 1/usr/bin/python3 link=python3.11 --\n-- 1/usr/lib/python3.11/os.py --\npass\n" +
		"-- 1/etc/passwd --\nroot:x:0:0::/:/bin/sh\nsandbox:x:1000:1000::/:/bin/sh\n"
	for _, c := range []struct{ flags, mode, want string }{
		{"--chown=sandbox", "uid=1000 gid=1000", "--chown=0:0"},
		{"--link --chown=1000:1000", "uid=1000 gid=1000", "--link --chown=0:0"},
		{"--chmod=777", "mode=0777", "--chmod=755"},
		{"--link", "uid=1000 gid=1000", ""}, // something else gives it away
	} {
		f, err := scantest.Parse("-- Dockerfile --\nFROM scratch\nCOPY base /\nCOPY " + c.flags + " app /app\nCMD [\"python3\", \"/app/main.pyc\"]\n" + files +
			"-- 2/app dir " + c.mode + " --\n-- 2/app/main.pyc " + c.mode + " --\nx\n")
		if err != nil {
			t.Fatal(err)
		}
		res := f.Audit(t, []*scan.Rule{Find("bytecode-writable")})
		if len(res.Findings) != 1 {
			t.Errorf("%s: %d findings", c.flags, len(res.Findings))
			continue
		}
		got := ""
		if found := res.Findings[0].Fix; found != nil {
			out, err := fix.Apply(f.Dockerfile, found.Edits)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Split(string(out), "\n")[2]
			got = strings.TrimSuffix(strings.TrimPrefix(line, "COPY "), " app /app")
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.flags, got, c.want)
		}
	}
}

// TestSticky leaves a directory open with the sticky bit only where nobody looks for
// programs or settings.
func TestSticky(t *testing.T) {
	for dir, want := range map[string]string{"/srv/shared": "1777", "/etc/profile.d": "755", "/usr/local/bin": "755"} {
		f, err := scantest.Parse("-- Dockerfile --\nFROM scratch\nRUN chmod 777 " + dir + "\n-- 1" + dir + " dir mode=0777 --\n")
		if err != nil {
			t.Fatal(err)
		}
		res := f.Audit(t, []*scan.Rule{Find("world-writable")})
		if len(res.Findings) != 1 || res.Findings[0].Fix == nil {
			t.Errorf("%s: want one finding with a fix, got %v", dir, res.Findings)
			continue
		}
		out, err := fix.Apply(f.Dockerfile, res.Findings[0].Fix.Edits)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := string(out), "FROM scratch\nRUN chmod "+want+" "+dir+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// mended audits a fixture after edits. What it does not name stays byte for byte, also
// with other line ends and a byte order mark.
func mended(t *testing.T, f *scantest.Fixture, edits []scan.Edit) *scan.Result {
	t.Helper()
	g := *f
	g.Context = map[string][]byte{}
	for name, body := range f.Context {
		g.Context[name] = body
	}
	for _, path := range (&fix.Plan{Edits: edits}).Paths() {
		of := (&fix.Plan{Edits: edits}).Of(path)
		text := f.Dockerfile
		if path != "Dockerfile" {
			text = f.Context[path]
		}
		out, err := fix.Apply(text, of)
		if err != nil {
			t.Fatal(err)
		}
		dos, err := fix.Apply(windows(text), of)
		if err != nil || !bytes.Equal(dos, windows(out)) && len(text) > 0 {
			t.Errorf("with other line ends: %v\n%q\n%q", err, dos, windows(out))
		}
		if path == "Dockerfile" {
			g.Dockerfile = out
		} else {
			g.Context[path] = out
		}
	}
	if now, was := broken(t, g.Dockerfile), broken(t, f.Dockerfile); now > was {
		t.Errorf("%d instructions are broken, %d were:\n%s", now, was, g.Dockerfile)
	}
	return g.Audit(t, All())
}

// broken counts the instructions that can't be understood.
func broken(t *testing.T, text []byte) (n int) {
	t.Helper()
	file, err := dockerfile.Parse("Dockerfile", text, limits.Default())
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, p := range file.Problems {
		if p.Fatal {
			n++
		}
	}
	return n
}

// windows is a text with a byte order mark and CRLF line ends.
func windows(text []byte) []byte {
	return append([]byte("\ufeff"), bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))...)
}
