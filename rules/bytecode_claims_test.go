package rules

import (
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestBytecodeClaims says what the rules on bytecode show, or miss, where they find
// nothing.
func TestBytecodeClaims(t *testing.T) {
	const python = "-- 0/usr/local/bin/python3.13 mode=0755 --\nELF\n"
	const loads = "-- 1/app/main.pyc --\n{{pyc 3571 \"/app/main.py\"}}\n"
	for _, tt := range []struct{ name, rule, fixture, want string }{
		{"it loads", "SBX103", python + loads,
			"shown: the bytecode of 1 first-party modules can be loaded: Python 3.13 (/usr/local/bin/python3.13) loads it"},
		{"it runs as a script", "SBX103", "-- Dockerfile --\nFROM x\nCOPY a /app\nCMD [\"python\", \"/app/main.pyc\"]\n" + python + loads,
			"shown: the bytecode of 1 first-party modules can be loaded: Python 3.13 (/usr/local/bin/python3.13) loads it"},
		{"no interpreter", "SBX103", loads,
			"unknown: whether /app/main.pyc can be loaded is not known: no Python interpreter was found in the image"},
		{"no bytecode", "SBX103", python,
			"shown: there is no first-party bytecode that would have to be loaded"},
		{"a base that was not read", "SBX103", "-- Dockerfile --\nFROM python:3.13\n",
			"unknown: which bytecode and which Python the base image python:3.13 has is not known: it was not read"},
		{"compiled by a base that was not read", "SBX103", "-- Dockerfile --\nFROM python:3.13\nCOPY . /app\nRUN python -m compileall -b /app && rm /app/main.py\n-- context/main.py --\npass\n",
			"unknown: whether /app/main.pyc can be loaded is not known: which Python compiles /app/main.pyc is not known"},
		{"nothing but code", "SBX106", python + loads,
			"shown: the bytecode of 1 first-party modules has no docstrings and names no path of another machine"},
		{"a failure ends the build", "SBX108", "-- Dockerfile --\nFROM python:3.13\nRUN python -m compileall -b /app\n",
			"shown: a file that compileall can't compile fails the build"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := scantest.Parse(tt.fixture)
			if err != nil {
				t.Fatal(err)
			}
			res := f.Audit(t, []*scan.Rule{Find(tt.rule)})
			if len(res.Findings) > 0 {
				t.Errorf("found: %s", scantest.Text(res))
			}
			if got := claims(res); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
