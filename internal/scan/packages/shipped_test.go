package packages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestShipped checks whose the privileges of a file are, layer by layer (D22).
func TestShipped(t *testing.T) {
	const base = `
-- 1/usr/bin/su mode=4755 --
ELF
-- 1/usr/bin/tool mode=0755 --
ELF
-- 1/var/lib/dpkg/info/util.list --
/bin/su
/usr/bin/tool
`
	for _, c := range []struct {
		name, fixture string
		want          string // live privileged files that a package brought
	}{
		{"as the package brought it", base, "/usr/bin/su"},
		{"a later layer gives it", base + "-- 2/usr/bin/tool mode=4755 --\nELF\n", "/usr/bin/su"},
		{"a later layer gives it, and installs another package", base + "-- 2/usr/bin/tool mode=4755 --\nELF\n-- 2/var/lib/dpkg/info/x.list --\n/usr/bin/x\n", "/usr/bin/su"},
		{"a later layer copies it up", base + "-- 2/usr/bin/su mode=4755 --\nELF\n", "/usr/bin/su"},
		{"a later layer takes permissions away", base + "-- 2/usr/bin/su mode=4711 --\nELF\n", "/usr/bin/su"},
		{"a later layer gives it to more", strings.Replace(base, "su mode=4755", "su mode=4750", 1) + "-- 2/usr/bin/su mode=4755 --\nELF\n", ""},
		{"a later layer has another program there", base + "-- 2/usr/bin/su mode=4755 --\nanother\n", ""},
		{"an upgrade", base + "-- 2/usr/bin/su mode=4755 --\nELF 2\n-- 2/var/lib/dpkg/info/util.list --\n/bin/su\n/usr/bin/tool\n", "/usr/bin/su"},
		{"a database that is written anew as a whole", `
-- 1/bin/bbsuid mode=4111 --
ELF
-- 1/bin/tool mode=0755 --
ELF
-- 1/lib/apk/db/installed --
P:busybox-suid
F:bin
R:bbsuid
a:0:0:4111
R:tool
a:0:0:0755
-- 2/bin/tool mode=4755 --
ELF
-- 2/lib/apk/db/installed --
P:busybox-suid
F:bin
R:bbsuid
a:0:0:4111
R:tool
a:0:0:0755
P:x
`, "/bin/bbsuid"},
		{"a layer installs it and gives it", `
-- 1/usr/bin/tool mode=4755 --
-- 1/usr/bin/write mode=2755 --
-- 1/lib/apk/db/installed --
P:tool
F:usr/bin
R:tool
a:0:0:755
R:write
a:0:5:2755
`, "/usr/bin/write"},
		{"a mode that can't be read", `
-- 1/usr/bin/tool mode=4755 --
-- 1/lib/apk/db/installed --
P:tool
F:usr/bin
R:tool
a:0:0:rwsr-xr-x
`, "/usr/bin/tool"},
		{"capabilities", base + "-- 3/usr/bin/tool xattr.security.capability=x mode=0755 --\nELF\n", "/usr/bin/su"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, img := load(t, c.fixture)
			var got []string
			for f := range img.Files() {
				if f.Live() {
					if _, ok := o.Shipped(f); ok {
						got = append(got, f.Path)
					}
				}
			}
			slices.Sort(got)
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %q, want %q", fmt.Sprint(s), c.want)
			}
		})
	}
}
