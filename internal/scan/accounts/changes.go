package accounts

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// IsPolicy reports whether a path, absolute or not, is by its name one of the files that
// say who is who, or who may become whom.
func IsPolicy(p string) bool { return accountFile.MatchString(p) }

var accountFile = regexp.MustCompile(`(^|/)(sudoers|doas|passwd|shadow|group|gshadow)(\.d|\.conf)?(/|$)`)

// accountTools change accounts, and who may do what.
var accountTools = strings.Fields("useradd adduser usermod userdel groupadd addgroup groupmod gpasswd chpasswd passwd visudo setcap setfacl chown")

// Changes reports whether a command, in exec or shell form, changes accounts, owners or
// privileges: by the names of the programs it calls and the files it writes. One that
// can't be parsed does not.
func Changes(command string) bool {
	var words []string
	if json.Unmarshal([]byte(command), &words) == nil {
		return privileged(words)
	}
	f, err := shell.Parse(command)
	if err != nil {
		return false
	}
	found := false
	scope := &shell.Scope{Open: true, Var: func(string) ([]shell.Word, bool) { return nil, false }}
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			var words []string
			for _, w := range scope.Expand(n.Args...) {
				words = append(words, w.Text)
			}
			found = found || privileged(words)
		case *syntax.Redirect:
			writes := n.Op == syntax.RdrOut || n.Op == syntax.AppOut || n.Op == syntax.RdrAll || n.Op == syntax.AppAll || n.Op == syntax.RdrClob
			found = found || writes && n.Word != nil && accountFile.MatchString(n.Word.Lit())
		}
		return !found
	})
	return found
}

// specialMode is a mode of chmod(1) that gives a user, a group or everybody more than
// to execute.
var specialMode = regexp.MustCompile(`^[ugoa]*[+=][rwxX]*s|^[246][0-7]{3}$|^0?777$`)

// privileged reports whether one command does so.
func privileged(words []string) bool {
	for len(words) > 1 && path.Base(words[0]) == "sudo" {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	switch name := path.Base(words[0]); name {
	case "chmod":
		return slices.ContainsFunc(words[1:], specialMode.MatchString)
	case "tee", "cp", "mv", "install", "ln":
		return slices.ContainsFunc(words[1:], accountFile.MatchString)
	case "sed":
		return slices.ContainsFunc(words[1:], accountFile.MatchString) && slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "-i") })
	default:
		return slices.Contains(accountTools, name)
	}
}
