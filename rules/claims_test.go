package rules

import (
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestClaims keeps what rules claim true: nothing is shown that was not read.
func TestClaims(t *testing.T) {
	for _, tt := range []struct{ name, rule, fixture, want string }{
		{"a base that was not read has a history", "SBX302",
			"-- Dockerfile --\nFROM debian:12\nARG VERSION=1\n",
			"unknown: the history of the base image debian:12 was not read"},
		{"an argument called like a secret gets its value later", "SBX302",
			"-- Dockerfile --\nFROM scratch\nARG NPM_TOKEN\n",
			"unknown: ARG NPM_TOKEN has no value here; one that a build gives it stays in the image's history"},
		{"an argument about a secret", "SBX302",
			"-- Dockerfile --\nFROM scratch\nARG TOKEN_FILE\nARG VERSION\n",
			"shown: no build argument on record holds a secret"},
		{"Windows", "SBX201",
			"-- config.json --\n{\"os\": \"windows\", \"config\": {}}\n-- 1/Files/a --\na\n",
			"unknown: the accounts of Windows images are not read"},
		{"the environment names the user", "SBX201",
			"-- config.json --\n{\"config\": {\"Cmd\": [\"sh\", \"-c\", \"exec gosu $U x\"], \"Env\": [\"U=1000\"]}}\n-- 1/bin/sh mode=0755 --\nELF\n-- 1/bin/gosu mode=0755 --\nELF\n-- 1/etc/passwd --\nroot:x:0:0::/:/bin/sh\n",
			"unknown: starts as root, then every path of the entrypoint drops with gosu to a user that is decided when it starts: uid 1000 by the image's own settings"},
		{"a user from a build argument", "SBX201",
			"-- Dockerfile --\nFROM debian:12\nARG UID\nUSER ${UID}\n",
			"unknown: USER ${UID} is a variable that only the base image or a build argument can set: give --build-arg UID"},
		{"a user from an argument that does not reach the stage", "SBX201",
			"-- Dockerfile --\nARG UID=1000\nFROM debian:12\nUSER ${UID}:1000\n",
			"unknown: USER ${UID}:1000 has no value here unless the base image sets one: the ARG before the first FROM does not reach a stage that does not repeat ARG UID"},
		{"a user from nowhere", "SBX201",
			"-- Dockerfile --\nFROM debian:12 AS a\nARG UID=1\nFROM debian:12\nUSER $UID\n",
			"unknown: USER $UID is a variable that only the base image can set: a build argument takes an ARG UID in this stage"},
		{"the layer may not keep it", "SBX102",
			"-- Dockerfile --\nFROM scratch\nRUN echo 'print(1)' > /gen.py && /setup.sh\n",
			"unknown: whether this layer keeps /gen.py is not known: its own command may remove it"},
		{"an archive may hold the account", "SBX204",
			"-- Dockerfile --\nFROM scratch\nADD rootfs.tar.xz /\nUSER app\n-- context/rootfs.tar.xz --\nx\n",
			"unknown: whether the user app exists is not known: files that are not known land below /: ADD unpacks an archive there"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := scantest.Parse(tt.fixture)
			if err != nil {
				t.Fatal(err)
			}
			if got := claims(f.Audit(t, []*scan.Rule{Find(tt.rule)})); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// claims are what rules claimed, a line each.
func claims(res *scan.Result) string {
	var out []string
	for _, c := range res.Claims {
		kind := "unknown: "
		if c.Shown {
			kind = "shown: "
		}
		out = append(out, kind+c.Text)
	}
	return strings.Join(out, "\n")
}
