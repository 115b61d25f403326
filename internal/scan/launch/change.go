package launch

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// change follows a change of user: it records who it drops to, and returns the
// command that goes on as that user.
func (t *tracer) change(c *call, x change) ([]shell.Word, bool) {
	o := outcome{how: x.how, loose: x.user.Loose}
	for _, w := range x.args {
		o.args = append(o.args, w.Text)
	}
	switch {
	case !x.user.Known:
		o.kind, o.reason = hidden, fmt.Sprintf("the user that %s changes to, %s, is not known", x.how, x.user.Name())
		o.user = accounts.User{UID: -1, GID: -1}
	case x.user.Text == "":
		o.kind, o.reason = hidden, x.how+" is given no user"
		t.end(c, o)
		t.lose(c, o.reason)
		return nil, false
	default:
		links := c.links
		o.user = t.user(x.user.Text)
		t.judge(c, x, &o)
		t.end(c, o)
		c.links = links
	}
	if !x.user.Known {
		t.end(c, o)
	}
	c.told = true
	return t.changed(c, x, o.user)
}

// judge says what a change to a known user is worth.
func (t *tracer) judge(c *call, x change, o *outcome) {
	root := o.user.IsRoot()
	switch renamed := c.accounts && !numeric(x.user.Text); {
	case x.flaw != "":
		o.kind, o.reason = kept, x.how+": "+x.flaw
	case root == accounts.Yes:
		o.kind, o.reason = kept, fmt.Sprintf("%s %s keeps uid 0", x.how, x.user.Text)
	case renamed:
		if o.loose = true; root == accounts.Unknown {
			o.user = accounts.User{Spec: x.user.Text, UID: -1, GID: -1}
		}
		t.final(c, x.rest)
	case root == accounts.Unknown || o.user.Problem != "":
		o.kind, o.reason = hidden, fmt.Sprintf("%s %s: %s", x.how, x.user.Text, cmp.Or(o.user.Problem, o.user.Unknown))
	default:
		t.final(c, x.rest)
	}
}

// numeric reports whether a user is given by number: no account counts then.
func numeric(user string) bool {
	name, _, _ := strings.Cut(user, ":")
	_, err := strconv.Atoi(name)
	return err == nil
}

// final adds the program that runs after the drop to the way.
func (t *tracer) final(c *call, argv []shell.Word) {
	if len(argv) == 0 || !argv[0].Known {
		return
	}
	f, _ := t.find(argv[0].Text, c.dir, c.vars.text("PATH", searchPath))
	next := *c
	next.argv = argv
	next.link(f)
	c.links = next.links
}
