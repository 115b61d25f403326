package dockerfile

import (
	"regexp"
	"strings"
	"testing"
)

func TestBasesTable(t *testing.T) {
	accounts := regexp.MustCompile(`^(-|[a-z]+:\d+:\d+(,[a-z]+:\d+:\d+)*)$`)
	n := 0
	for line := range strings.Lines(basesTable) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		n++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 6 || f[2] == "" || !accounts.MatchString(f[3]) || f[4] != "-" && f[4] != "none" && f[4][0] != '/' || !strings.HasPrefix(f[5], "https://") {
			t.Errorf("line is not name, tag, user, accounts, entrypoint and source: %s", line)
			continue
		}
		for _, pattern := range f[:2] {
			if _, err := regexp.Compile(pattern); err != nil {
				t.Errorf("%s: %v", pattern, err)
			}
		}
	}
	if len(knownBases()) != n || n == 0 {
		t.Errorf("%d of %d lines are used", len(knownBases()), n)
	}
}

func TestBaseAccounts(t *testing.T) {
	for ref, want := range map[string]string{
		"node:22": "node", "ubuntu:24.04": "ubuntu", "ubuntu": "ubuntu", "ubuntu:22.04": "", "ubuntu@sha256:0": "", "quay.io/jupyter/base-notebook": "jovyan", "python:3.13": "", "example.com/node": "",
	} {
		b, _ := KnownBase(ref)
		got := ""
		for _, a := range b.Accounts {
			got += a.Name
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", ref, got, want)
		}
	}
}
