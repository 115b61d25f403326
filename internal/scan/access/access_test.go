package access_test

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/access"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// acl is a list as the attribute holds it, of tag, permissions and id.
func acl(entries ...[3]uint32) string {
	b := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
	}
	return strings.ReplaceAll(strconv.QuoteToASCII(string(b)), " ", `\x20`)
}

const none = 0xffffffff

var app = accounts.User{Known: true, UID: 1000, GID: 1000, Name: "app", Groups: []accounts.Group{{Name: "web", GID: 33}}}

func TestChange(t *testing.T) {
	for _, c := range []struct{ name, files, path, want string }{
		{"root's file", "-- 1/etc/passwd --\n", "/etc/passwd", "no"},
		{"by the owner, whatever the mode", "-- 1/a/x uid=1000 mode=0400 --\n", "/a/x", "yes /a/x: owned by app (uid 1000)"},
		{"by everyone", "-- 1/a/x mode=0666 --\n", "/a/x", "yes /a/x: mode 0666"},
		{"by the group", "-- 1/a/x mode=0664 gid=1000 --\n", "/a/x", "yes /a/x: mode 0664, and app (uid 1000) is in its group gid 1000"},
		{"by another group of the user", "-- 1/a/x mode=0664 gid=33 --\n", "/a/x", "yes /a/x: mode 0664, and app (uid 1000) is in its group web (gid 33)"},
		{"by another group", "-- 1/a/x mode=0664 gid=34 --\n", "/a/x", "no"},
		{"the group has less than others", "-- 1/a/x mode=0606 gid=33 --\n", "/a/x", "no"},
		{"through the parent", "-- 1/a dir uid=1000 --\n-- 1/a/x --\n", "/a/x", "yes /a: owned by app (uid 1000)"},
		{"through a parent further up", "-- 1/a dir mode=0777 --\n-- 1/a/b/c/x --\n", "/a/b/c/x", "yes /a: mode 0777"},
		{"a parent that may be written but not passed", "-- 1/a dir mode=0772 --\n-- 1/a/x --\n", "/a/x", "no"},
		{"a file behind a closed directory", "-- 1/a dir mode=0700 --\n-- 1/a/x mode=0666 --\n", "/a/x", "no"},
		{"a directory behind a closed one", "-- 1/a dir mode=0700 --\n-- 1/a/b dir mode=0777 --\n-- 1/a/b/x --\n", "/a/b/x", "no"},
		{"sticky parent, another's file", "-- 1/tmp dir mode=1777 --\n-- 1/tmp/x --\n", "/tmp/x", "no"},
		{"sticky parent, own file", "-- 1/tmp dir mode=1777 --\n-- 1/tmp/d dir uid=1000 --\n-- 1/tmp/d/x --\n", "/tmp/d/x", "yes /tmp/d: owned by app (uid 1000)"},
		{"sticky parent, no file", "-- 1/tmp dir mode=1777 --\n", "/tmp/new", "yes /tmp: mode 1777"},
		{"own sticky parent", "-- 1/d dir mode=1777 uid=1000 --\n-- 1/d/x --\n", "/d/x", "yes /d: owned by app (uid 1000)"},
		{"what the link leads to", "-- 1/usr/bin/x mode=0666 --\n-- 1/bin link=usr/bin --\n", "/bin/x", "yes /usr/bin/x: mode 0666"},
		{"the link itself", "-- 1/o dir mode=0777 --\n-- 1/o/l link=/etc/x --\n-- 1/etc/x --\n", "/o/l", "yes /o: mode 0777"},
		{"a link is not open by its own mode", "-- 1/l link=/etc/x --\n-- 1/etc/x --\n", "/l", "no"},
		{"a link to a place on the way", "-- 1/w dir uid=1000 --\n-- 1/w/b/x --\n-- 1/l link=../w/b --\n", "/l/x", "yes /w: owned by app (uid 1000)"},
		{"a loop", "-- 1/a link=b --\n-- 1/b link=a --\n", "/a/x", "unknown"},
		{"a link out of the root", "-- 1/a/l link=../../../etc/x --\n-- 1/etc/x mode=0666 --\n", "/a/l", "yes /etc/x: mode 0666"},
		{"dots", "-- 1/a/b/x mode=0666 --\n", "/a/../a/./b/x", "yes /a/b/x: mode 0666"},
		{"into a directory", "-- 1/a dir mode=0775 gid=33 --\n", "/a", "yes /a: mode 0775, and app (uid 1000) is in its group web (gid 33)"},
		{"into a directory that no layer declares", "-- 1/a/b/x --\n", "/a/b", "no"},
		{"what is not there", "-- 1/a/x --\n", "/a/b/c", "no"},
		{"below a file", "-- 1/a/x mode=0666 --\n", "/a/x/y", "no"},
		{"the root", "-- 1/ dir mode=0777 --\n-- 1/a/x --\n", "/a/x", "yes /: mode 0777"},
		{"a layer changes it", "-- 1/a/x mode=0666 --\n-- 2/a/x --\n", "/a/x", "no"},

		{"a list that names the user", "-- 1/x mode=0664 xattr.system.posix_acl_access=" +
			acl([3]uint32{1, 6, none}, [3]uint32{2, 6, 1000}, [3]uint32{4, 4, none}, [3]uint32{16, 6, none}, [3]uint32{32, 4, none}) + " --\n",
			"/x", "yes /x: an access control list that names uid 1000"},
		{"its mask takes it away", "-- 1/x mode=0644 xattr.system.posix_acl_access=" +
			acl([3]uint32{1, 6, none}, [3]uint32{2, 6, 1000}, [3]uint32{4, 4, none}, [3]uint32{16, 4, none}, [3]uint32{32, 4, none}) + " --\n",
			"/x", "no"},
		{"a list that names a group", "-- 1/x mode=0664 xattr.system.posix_acl_access=" +
			acl([3]uint32{1, 6, none}, [3]uint32{4, 4, none}, [3]uint32{8, 6, 33}, [3]uint32{16, 6, none}, [3]uint32{32, 4, none}) + " --\n",
			"/x", "yes /x: an access control list that names the group web (gid 33) of app (uid 1000)"},
		{"the group bits are the mask, not the group's", "-- 1/x mode=0664 gid=33 xattr.system.posix_acl_access=" +
			acl([3]uint32{1, 6, none}, [3]uint32{2, 6, 7}, [3]uint32{4, 4, none}, [3]uint32{16, 6, none}, [3]uint32{32, 4, none}) + " --\n",
			"/x", "no"},
		{"no list at all", `-- 1/x mode=0666 xattr.system.posix_acl_access="\x02\x00\x00" --` + "\n", "/x", "yes /x: mode 0666"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tree, _ := scantest.Fact(t, c.files, access.Fact)
			w := tree.For(app).Change(c.path)
			got := w.Answer.String()
			if w.Answer == accounts.Yes {
				got += fmt.Sprintf(" %s: %s", w.Path, w.Fact)
			}
			if got != c.want {
				t.Errorf("got %q (%s), want %q", got, w.Fact, c.want)
			}
			if w.Answer == accounts.Yes && w.File == nil {
				t.Error("no file decided")
			}
			if root := tree.For(accounts.User{Known: true}).Change(c.path); c.want != "unknown" && strings.HasPrefix(c.want, "yes") && root.Answer != accounts.Yes {
				t.Errorf("root may not: %s", root.Fact)
			}
		})
	}
}

func TestMay(t *testing.T) {
	tree, _ := scantest.Fact(t, `
-- 1/a/x mode=0755 --
-- 1/a/secret mode=0600 --
-- 1/shut dir mode=0700 --
-- 1/shut/x mode=0777 --
-- 1/open dir mode=0777 --
-- 1/open/x mode=0600 --
-- 1/own uid=1000 mode=0000 --
-- 1/list dir mode=0711 --
`, access.Fact)
	c := tree.For(app)
	for _, tt := range []struct {
		path string
		do   access.Action
		want accounts.Answer
	}{
		{"/a/x", access.Read, accounts.Yes}, {"/a/x", access.Execute, accounts.Yes}, {"/a/x", access.Write, accounts.No},
		{"/a/secret", access.Read, accounts.No}, {"/shut/x", access.Read, accounts.No}, {"/shut/x", access.Execute, accounts.No},
		{"/open/x", access.Read, accounts.No}, {"/open/x", access.Write, accounts.No}, {"/open", access.Write, accounts.Yes},
		{"/own", access.Read, accounts.Yes}, {"/list", access.Read, accounts.No}, {"/list", access.Execute, accounts.Yes},
		{"/nothing", access.Read, accounts.No}, {"/", access.Read, accounts.Yes},
	} {
		if w := c.May(tt.path, tt.do); w.Answer != tt.want {
			t.Errorf("%s %d: %s (%s), want %s", tt.path, tt.do, w.Answer, w.Fact, tt.want)
		}
	}
}

// TestUnknown checks what is decided without all facts, and what is not.
func TestUnknown(t *testing.T) {
	tree, _ := scantest.Fact(t, `
-- 1/root --
-- 1/group mode=0664 gid=33 --
-- 1/others mode=0666 uid=7 --
-- 1/its mode=0644 uid=7 --
`, access.Fact)
	nameless := tree.For(accounts.User{UID: -1, GID: -1, Name: "app"})
	groupless := tree.For(accounts.User{Known: true, UID: 1000, GID: -1, Name: "app"})
	for _, tt := range []struct {
		path                string
		nameless, groupless accounts.Answer
	}{
		{"/root", accounts.Unknown, accounts.No},
		{"/group", accounts.Unknown, accounts.Unknown},
		{"/others", accounts.Yes, accounts.Yes},
		{"/its", accounts.Unknown, accounts.No},
	} {
		if w := nameless.Change(tt.path); w.Answer != tt.nameless {
			t.Errorf("%s, uid unknown: %s (%s), want %s", tt.path, w.Answer, w.Fact, tt.nameless)
		}
		if w := groupless.Change(tt.path); w.Answer != tt.groupless {
			t.Errorf("%s, gid unknown: %s (%s), want %s", tt.path, w.Answer, w.Fact, tt.groupless)
		}
	}
}
