package accounts

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/packed"
)

// Policies is what sudo and doas let the users of the target do as root, and su, where PAM
// lets some of them in.
var Policies = &scan.Derived[[]*Policy]{
	Name:    "policies",
	Needs:   []scan.Need{Fact, policyTexts},
	Compute: policies,
}

// policyTexts keeps every file that could be a policy. Which are, the policies
// themselves say.
var policyTexts = &image.Probe[packed.Text]{
	Name: "policy", Version: 2,
	Want: func(e image.Entry) bool {
		dir, base := path.Split(e.Path)
		return e.Size <= maxTable && (strings.Contains(e.Path, "/sudoers") || base == "doas.conf" || strings.HasSuffix(dir, "/doas.d/") || dir == "/etc/pam.d/")
	},
	Read: func(e image.Entry, b []byte) (packed.Text, bool) {
		if int64(len(b)) < e.Size || bytes.IndexByte(b, 0) >= 0 {
			return packed.Text{}, false
		}
		return packed.Pack(b), true
	},
}

// A Policy is what sudo or doas allows.
type Policy struct {
	Tool string // "sudo", "doas" or "su"
	// Void is why the tool lets nobody do anything: it is not there, is not setuid
	// root, or refuses its policy. Empty if it works, or if that is not known.
	Void string
	// Unknown is why the policy may say more than what is known of it; empty if
	// all of it is known.
	Unknown string
	Ignored []Ignored // files and lines that the tool does not honour

	accounts *Accounts
	sudoers  *sudoers
	doas     []doasRule
	pam      []pamRule
	newgrp   bool // newgrp(1) gives a user the groups that /etc/group lists
}

// Ignored is a part of a policy that the tool does not honour, and why.
type Ignored struct {
	Source Source
	Why    string
}

// A Grant is a command that a user may run as root without a password.
type Grant struct {
	Tool    string
	Command Command // as the policy names it, aliases resolved
	// Loads is why any command runs code of the user's choice: it may be given
	// variables that load some. Empty if it is not.
	Loads  string
	Source Source // the line that grants it
	Unsure string // why it may not be granted after all; empty if it is
}

func policies(p *scan.Pass) []*Policy {
	if p.Image.Config.OS == "windows" {
		return nil
	}
	a := Fact.Of(p)
	l := &policyLoader{img: p.Image, accounts: a}
	all := []*Policy{l.sudo(), l.doas()}
	if su := l.su(); len(su.pam) > 0 || su.Unknown != "" && su.Void == "" {
		all = append(all, su) // else it asks for root's password, as it does in every distribution
	}
	return all
}

// A policyLoader reads the policies of an image.
type policyLoader struct {
	img      *image.Image
	accounts *Accounts
	policy   *Policy
	files    int
	bytes    int64
	listings map[string][]*image.File
}

// begin looks for the program, without which a policy means nothing.
func (l *policyLoader) begin(tool string) *Policy {
	l.policy = &Policy{Tool: tool, accounts: l.accounts}
	l.files, l.bytes = 0, 0
	program, privileged := Setuid(l.img, tool)
	_, l.policy.newgrp = Setuid(l.img, "newgrp")
	switch {
	case l.img.Predicted && slices.Contains(l.accounts.withdrawn, tool):
		l.policy.Void = fmt.Sprintf("the Dockerfile removes %s or its setuid bit", tool)
	case privileged:
	case program != nil && program.Fate.How != image.Perhaps:
		l.policy.Void = fmt.Sprintf("%s is not setuid root", program.Path)
	case !l.img.Predicted && l.img.Complete():
		l.policy.Void = fmt.Sprintf("the image has no %s", tool)
	}
	return l.policy
}

// Setuid finds a program by its name, and reports whether one of that name is
// setuid root and may be executed by others.
func Setuid(img *image.Image, name string) (program *image.File, privileged bool) {
	for f := range img.Files() {
		if f.Buried() || !strings.HasSuffix(f.Path, name) || path.Base(f.Path) != name || f.Mode.IsDir() || f.Mode&0o111 == 0 {
			continue
		}
		target := f
		if f.Mode.Type() == fs.ModeSymlink {
			target = img.Lookup(f.Path)
		}
		if target == nil || !target.Mode.IsRegular() || target.Mode&0o111 == 0 {
			continue
		}
		if target.Mode&fs.ModeSetuid != 0 && target.UID == 0 && target.Mode&0o011 != 0 {
			return target, true
		}
		if program == nil {
			program = target
		}
	}
	return program, false
}

// maxFiles is how many files one policy may be made of, and maxBytes how large they
// may be together; each counts as often as it is included.
const (
	maxFiles = 200
	maxBytes = 2 << 20
)

// found is what became of reading a file.
type found uint8

const (
	absent  found = iota
	refused       // the tool does not trust it
	unread        // it is there, its content is not known
	known
)

// read returns the text of a file of the policy. What is not known of it is noted.
func (l *policyLoader) read(name string, anyGroup bool) (f *image.File, text string, how found) {
	f = l.img.Lookup(name)
	if f == nil || !f.Mode.IsRegular() {
		return f, "", absent
	}
	l.files++
	if l.bytes += f.Size; l.files > maxFiles || l.bytes > maxBytes {
		l.unknown(fmt.Sprintf("the policy has more than %d files or %d bytes", maxFiles, maxBytes))
		return f, "", unread
	}
	if why := distrusted(f, anyGroup); why != "" && l.policy.Tool != "su" { // PAM trusts any
		l.policy.Ignored = append(l.policy.Ignored, Ignored{Source{File: f}, why})
		return f, "", refused
	}
	t, ok := policyTexts.Of(f)
	if !ok {
		l.unknown(fmt.Sprintf("the content of %s was not read", f.Path))
		return f, "", unread
	}
	return f, t.String(), known
}

func (l *policyLoader) unknown(why string) { l.policy.Unknown = cmp.Or(l.policy.Unknown, why) }

// distrusted says why a policy is not trusted: another user than root could have
// written it. sudo lets the group root write, doas no group (sudo, sudo_secure_file;
// doas, parseconfig).
func distrusted(f *image.File, anyGroup bool) string {
	switch {
	case f.UID != 0:
		return f.Path + " does not belong to root"
	case f.Mode&0o002 != 0:
		return f.Path + " can be written by everyone"
	case f.Mode&0o020 != 0 && (anyGroup || f.GID != 0):
		return f.Path + " can be written by its group"
	}
	return ""
}

// list returns the files of a directory by name.
func (l *policyLoader) list(dir string) []*image.File {
	if d := l.img.Lookup(dir); d != nil {
		dir = d.Path
	}
	if out, ok := l.listings[dir]; ok {
		return out
	}
	if len(l.listings) > 20 {
		l.unknown("the policy includes more directories than are read")
		return nil
	}
	var out []*image.File
	for f := range l.img.Files() {
		if !f.Buried() && path.Dir(f.Path) == dir && !f.Mode.IsDir() {
			out = append(out, f)
		}
	}
	slices.SortFunc(out, func(a, b *image.File) int { return cmp.Compare(a.Path, b.Path) })
	if l.listings == nil {
		l.listings = map[string][]*image.File{}
	}
	l.listings[dir] = slices.CompactFunc(out, func(a, b *image.File) bool { return a.Path == b.Path })
	return l.listings[dir]
}

// unread notes why a path may have files that are not known.
func (l *policyLoader) unread(name string) {
	switch {
	case l.img.UnreadBase != "":
		l.unknown(fmt.Sprintf("the base image %s was not read", l.img.UnreadBase))
	case !l.img.Complete():
		l.unknown("a part of the image was not read")
	default:
		l.unknown(unseen(l.img, name, nil))
	}
}

// written returns what RUN instructions write to a file, for one whose content is
// not known.
func (l *policyLoader) written(name string) []written {
	var out []written
	for _, w := range l.accounts.written {
		if w.path == name {
			out = append(out, w)
		}
	}
	return out
}

// perhaps returns the files of a directory that no layer has for sure, because an
// instruction writes them under a condition only.
func (l *policyLoader) perhaps(dir string) []string {
	var out []string
	for _, w := range l.accounts.written {
		if !w.certain && path.Dir(w.path) == dir && l.img.Lookup(w.path) == nil && !slices.Contains(out, w.path) {
			out = append(out, w.path)
		}
	}
	return out
}

// A written is text that an instruction adds to a file.
type written struct {
	path, text string
	instr      *dockerfile.Instr
	certain    bool // a build that succeeds has done so
}
