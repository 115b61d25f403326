package rules

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestFileClaims checks what the rules on files say where they find nothing: shown,
// or what is missing.
func TestFileClaims(t *testing.T) {
	for _, c := range []struct{ rule, fixture, want string }{
		{"setuid-binary", "quiet", "shown: no setuid or setgid program"},
		{"setuid-binary", "upgrade-is-stock", "shown: no setuid or setgid program but 2 that the distribution's packages ship so"},
		{"setuid-binary", "script", "shown: no setuid or setgid program"},
		{"setuid-binary", "fires", ""},
		{"setuid-binary", "rpm", "unknown: whether setuid and setgid programs are the distribution's can't be told (2): the rpm database could not be read"},
		{"setuid-binary", "dockerfile-quiet", "unknown: the files of the base image debian:12 were not read"},
		{"file-capability", "quiet", "shown: no program has a capability that gives root away"},
		{"file-capability", "stock", "shown: no program has a capability that gives root away but 1 that the distribution's packages ship so"},
		{"file-capability", "rpm", "unknown: whether capabilities are the distribution's can't be told (1): the rpm database could not be read"},
		{"root-run-file-writable", "quiet", "shown: app (uid 1000) may change nothing that root runs or reads as code"},
		{"root-run-file-writable", "fires", ""},
		{"root-run-file-writable", "root-quiet", "unknown: the container runs as root and nothing shows another user: name the one that runs untrusted code with --sandbox-user"},
		{"world-writable", "quiet", "shown: everyone may write no system file and no directory without the sticky bit"},
		{"world-writable", "dockerfile-quiet", "unknown: the files of the base image debian:12 were not read"},
		{"bytecode-writable", "quiet", "shown: sandbox (uid 1000) may change no bytecode outside the standard library and the distribution's packages (2 judged)"},
		{"bytecode-writable", "no-bytecode", "unknown: there is no bytecode to judge, only first-party source (1)"},
	} {
		t.Run(c.rule+"/"+c.fixture, func(t *testing.T) {
			f, err := scantest.Read(filepath.Join("../testdata/images", c.rule, c.fixture+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			all := claims(f.Audit(t, []*scan.Rule{Find(c.rule)}))
			got := all[strings.LastIndexByte(all, '\n')+1:] // the last one sums up
			if got != c.want {
				t.Errorf("got %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestRunsAnything(t *testing.T) {
	for p, want := range map[string]string{
		"/usr/bin/python3.13": "an interpreter", "/usr/bin/vim.basic": "an editor", "/bin/bash-static": "a shell", "/x/perl5.36.0": "an interpreter",
		"/usr/bin/gcc-12": "a program that runs others", "/bin/cp": "a file tool", "/bin/su": "", "/usr/bin/mount": "", "/bin/bbsuid": "",
		"/usr/bin/python-config-helper": "", "/usr/bin/7z": "", "/": "",
	} {
		if got := runsAnything(p); got != want {
			t.Errorf("%s: got %q, want %q", p, got, want)
		}
	}
}
