package launch

import (
	"iter"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/launch/imports"
)

// FuzzScript follows arbitrary scripts: none may panic, or be shown to drop to
// root.
func FuzzScript(f *testing.F) {
	for _, s := range []string{
		`exec gosu app "$@"`,
		`if [ "$(id -u)" = 0 ]; then exec gosu $A "$0"; fi; exec "$@"`,
		`case $1 in a|b) set -- x "$@";; *) shift 2;; esac; while getopts ab x; do y=${x:-3}; break 2; done`,
		`f() { local a=(b c); return 1; }; f "${a[@]:1}" ${a[0]} ${1#-} ${x%%*.} ${x:0:1} ${!x} ${x^^}`,
		`[[ $1 =~ x && ( -z $2 || $3 == y* ) ]] && (( EUID == 0 )) && eval "$x"; test ! -a b -o; [ ( ]`,
		`su - app -c 'x' | tee; { . /lib; } & wait; exec env -S 'a b' sudo -u '#1' chroot --userspec=a / sh -c`,
		`exec setpriv --euid; exec su -; exec sudo; exec chpst -u; env; shift x; set -o; unset; cd; : ${x:=y}`,
		`trap 'unset T' EXIT; alias x=y; export -n SESSION_TOKEN; declare +x A; set -a; B=$SESSION_TOKEN; env -iu A -S 'x y' --unset=B sh -c "$B"`,
		`execlineb -c 'foreground { a { b } } export A "c\ d" cd / with-contenv s6-setuidgid app emptyenv sh'; supervisord -c; runsvdir; /init a`,
		`setpriv --groups 1,,x --ambient-caps +all --rgid 0 --reset-env x; sudo --preserve-env=A,B -i; su - -w A app; python3 -m x -c; timeout`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		sys := &system{dir: "/", env: []string{"A=app"},
			lookup: func(string) *image.File { return nil }, watched: []string{"SESSION_TOKEN"},
			files:   func() iter.Seq[*image.File] { return func(func(*image.File) bool) {} },
			imports: func(imports.Start) (imports.Module, *imports.Path) { return imports.Module{}, nil },
			user: func(spec string) accounts.User {
				return accounts.User{Spec: spec, Known: true, UID: len(spec) % 4}
			}}
		l := &Launch{Argv: []string{"bash", "-c", script, "x"}}
		sys.start(l, accounts.User{Known: true}, 1)
		if l.Drop.Verdict == Shown && l.Drop.User.IsRoot() != accounts.No {
			t.Errorf("%q: a drop to %v is shown", script, l.Drop.User)
		}
	})
}
