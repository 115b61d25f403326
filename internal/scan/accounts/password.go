package accounts

import (
	"bytes"
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// Passwords are the passwords that accounts of the target have.
var Passwords = &scan.Derived[*PasswordList]{
	Name:    "passwords",
	Needs:   []scan.Need{Fact, shadows},
	Compute: passwords,
}

// A PasswordList is the accounts that a password opens.
type PasswordList struct {
	All     []Password // in the order of /etc/passwd, then of the instructions
	Unknown string     // why there may be more; empty if there are none
}

// A Password is how an account can be entered with a password. Its value and its
// hash are kept nowhere.
type Password struct {
	Account string // empty if it is not known whose it is
	Empty   bool   // none is asked for
	Hash    string // "SHA-512", "yescrypt" ...; empty if not known
	// Told is true if an instruction has the value, which whoever has the image or
	// the Dockerfile can read. Computed is true if it is made when the image is.
	Told, Computed bool
	Source         Source // the line of /etc/shadow or /etc/passwd, or the instruction
	Set            Source // the instruction that set it, if Source is a line; zero if none is known

	locked bool
}

// A shadowEntry is one line of shadow(5) that a password opens.
type shadowEntry struct {
	account string
	empty   bool
	hash    string
	line    int
}

// maxShadow is how many entries of a shadow file are kept.
const maxShadow = 10_000

// shadows reads every file that could be /etc/shadow. No hash leaves it.
var shadows = &image.Probe[[]shadowEntry]{
	Name: "shadow", Version: 1,
	Want: func(e image.Entry) bool { return path.Base(e.Path) == "shadow" && e.Size <= maxTable },
	Read: func(e image.Entry, b []byte) ([]shadowEntry, bool) {
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 {
			return nil, false
		}
		return shadowEntries(string(b)), true
	},
}

// shadowEntries returns the entries without a lock, the first one of each account.
// Blank, short and commented lines hold none.
func shadowEntries(text string) []shadowEntry {
	out := []shadowEntry{}
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		f := strings.Split(strings.TrimRight(line, "\r\n"), ":")
		if len(f) < 2 || f[0] == "" || strings.ContainsAny(f[0][:1], "#+-") || seen[f[0]] || len(out) >= maxShadow {
			continue
		}
		name := strings.Clone(f[0])
		seen[name] = true
		if empty, hash := passwordKind(f[1]); empty || hash != "" {
			out = append(out, shadowEntry{name, empty, hash, n})
		}
	}
	return out
}

// hashes are the kinds of hashes by what they begin with (crypt(5)).
var hashes = []struct{ prefix, kind string }{
	{"$y$", "yescrypt"}, {"$gy$", "gost-yescrypt"}, {"$7$", "scrypt"}, {"$2", "bcrypt"}, {"$6$", "SHA-512"}, {"$5$", "SHA-256"},
	{"$sha1$", "SHA-1"}, {"$md5", "SunMD5"}, {"$1$", "MD5"}, {"$3$", "NT"}, {"_", "BSDi"}, {"$argon2", "Argon2"},
}

var des = regexp.MustCompile(`^[./0-9A-Za-z]{13}$`)

// passwordKind says what a password field is: empty, a hash of some kind, or neither
// (a lock, or what no password hashes to).
func passwordKind(field string) (empty bool, hash string) {
	if field == "" {
		return true, ""
	}
	for _, h := range hashes {
		if strings.HasPrefix(field, h.prefix) && len(field) > 12 {
			return false, h.kind
		}
	}
	if des.MatchString(field) {
		return false, "DES"
	}
	return false, ""
}

func passwords(p *scan.Pass) *PasswordList {
	a := Fact.Of(p)
	list := &PasswordList{Unknown: a.Unknown}
	shadow := p.Image.Lookup("/etc/shadow")
	entries, ok := shadows.Of(shadow)
	switch {
	case shadow != nil && shadow.Fate.How == image.Perhaps:
		list.Unknown = cmp.Or(list.Unknown, "a command that could not be understood may have changed /etc/shadow")
	case shadow != nil && !ok:
		list.Unknown = cmp.Or(list.Unknown, "the content of /etc/shadow was not read")
	case shadow == nil:
		list.Unknown = cmp.Or(list.Unknown, unseen(p.Image, "/etc/shadow", nil))
	}
	by := map[string]shadowEntry{}
	for _, e := range entries {
		by[e.account] = e
	}
	seen := map[string]bool{}
	for src, f := range a.passwd.lines() {
		if seen[f[0]] || f[0] == "" || strings.ContainsAny(f[0][:1], "#+-") || len(f) < 4 {
			continue
		}
		seen[f[0]] = true
		src.Text = redact(f)
		x := Password{Account: f[0], Source: src}
		if f[1] != "x" {
			x.Empty, x.Hash = passwordKind(f[1])
		} else if e, ok := by[f[0]]; ok {
			x.Empty, x.Hash, x.Source = e.empty, e.hash, Source{File: shadow, Line: e.line}
		}
		if x.Empty || x.Hash != "" {
			list.All = append(list.All, x)
		}
	}
	if p.Image.Predicted {
		list.made(a.passwords)
	} else {
		list.explain(history(p))
	}
	return list
}

// made applies what instructions do, the last one for each account.
func (l *PasswordList) made(set []Password) {
	for _, x := range set {
		if x.Account != "" {
			l.All = slices.DeleteFunc(l.All, func(o Password) bool { return o.Account == x.Account })
		}
		if !x.locked {
			l.All = append(l.All, x)
		}
	}
}

// explain says of each password of an image which command of its history set it.
func (l *PasswordList) explain(set []Password) {
	for i := range l.All {
		x := &l.All[i]
		for _, s := range set {
			if s.Account == x.Account && !s.locked {
				x.Set, x.Told, x.Computed = s.Source, s.Told, s.Computed
			}
		}
	}
}

// history returns what the commands on record do to passwords.
func history(p *scan.Pass) []Password {
	a := &Accounts{}
	for i, s := range p.Image.Steps {
		_, text, ok := strings.Cut(s.CreatedBy, "sh -c ")
		if ok && (strings.Contains(text, "passwd") || strings.Contains(text, "usermod") || strings.Contains(text, "useradd")) {
			a.runText(strings.TrimSuffix(text, "# buildkit"), i+1)
		}
	}
	return a.passwords
}
