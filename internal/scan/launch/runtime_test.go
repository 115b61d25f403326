package launch_test

import (
	"fmt"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

const runtimeFiles = `
-- 1/bin/sh mode=0755 --
ELF
-- 1/usr/bin/gosu mode=0755 --
ELF
-- 1/usr/bin/setpriv mode=0755 --
ELF
-- 1/etc/passwd --
root:x:0:0::/:/bin/sh
app:x:1000:1000::/:/bin/sh
`

const sandboxAccount = "sandbox:x:1001:1001::/:/bin/sh\n"

const runtimeGroups = `-- 1/etc/group --
docker:x:999:app
`

func TestRuntime(t *testing.T) {
	for _, tt := range []struct{ name, fixture, want string }{
		{"starts as", `-- config.json --
{"config": {"User": "app"}}` + runtimeFiles + runtimeGroups, "app (uid 1000) true false [docker]: the container starts as app (uid 1000)"},
		{"drops to", `-- config.json --
{"config": {"Entrypoint": ["gosu", "app", "x"]}}` + runtimeFiles + runtimeGroups, "app (uid 1000) true false [docker]: gosu drops to app (uid 1000)"},
		{"without groups", `-- config.json --
{"config": {"Entrypoint": ["setpriv", "--reuid", "app", "--regid", "app", "--clear-groups", "x"]}}` + runtimeFiles + runtimeGroups,
			"app (uid 1000) true false []: setpriv drops to app (uid 1000)"},
		{"conventional", `-- config.json --
{"config": {"Entrypoint": ["x"]}}` + runtimeFiles + sandboxAccount,
			"sandbox (uid 1001) true true []: the image does not say who runs untrusted code; sandbox (uid 1001) is assumed to"},
		{"root", `-- config.json --
{"config": {"Entrypoint": ["x"]}}` + runtimeFiles,
			"root (uid 0) false false []: the container runs as root and nothing shows another user: name the one that runs untrusted code with --sandbox-user"},
		{"no such user", `-- config.json --
{"config": {"User": "ghost"}}` + runtimeFiles, "ghost false false []: the user ghost is not in /etc/passwd: the container will not start"},
		{"made by the build", "-- Dockerfile --\nFROM debian:12\nRUN useradd app\nUSER app\n", "app true false []: the container starts as app"},
		{"the base decides", "-- Dockerfile --\nFROM registry.example/x\n", "uid 0 false false []: who runs untrusted code is not known: name it with --sandbox-user"},
		{"a variable", "-- Dockerfile --\nFROM registry.example/x\nUSER $APP_UID\n", "$APP_UID false false []: who runs untrusted code is not known: name it with --sandbox-user"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := scantest.Fact(t, tt.fixture, launch.Runtime)
			var groups []string
			for _, g := range r.User.Groups {
				groups = append(groups, g.Name)
			}
			if got := fmt.Sprintf("%s %v %v %v: %s", r.User, r.Known, r.Assumed, groups, r.Why); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
