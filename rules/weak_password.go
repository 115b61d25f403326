package rules

import (
	"fmt"
	"slices"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/accounts"
)

var _ = register(&scan.Rule{
	ID: "SBX211", Name: "weak-password", Step: scan.Privilege, Level: scan.LevelError, Severity: 8.0, CWE: []int{521, 258, 798},
	Title: "an account has no password, or one that is the same in every container",
	Many:  "%d accounts have no password, or one that is the same in every container",
	Where: scan.InImage | scan.InDockerfile, Kernel: true,
	Needs: []scan.Need{accounts.Fact, accounts.Passwords},
	Run: func(p *scan.Pass) {
		list := accounts.Passwords.Of(p)
		asks := asksForPasswords(p)
		for _, same := range alike(list.All) {
			weakPassword(p, same, asks)
		}
		switch {
		case len(list.All) > 0 && asks:
		case list.Unknown != "":
			p.Unknownf(scan.Location{}, "which accounts have a password is not all known: %s", list.Unknown)
		case len(list.All) > 0:
			p.Shownf(scan.Location{}, "no program of the image asks for a password")
		default:
			p.Shownf(scan.Location{}, "no account can be entered with a password")
		}
	},
})

// asksForPasswords reports whether the image may have a program that lets somebody
// in by a password.
func asksForPasswords(p *scan.Pass) bool {
	if p.Image.Predicted || !p.Image.Complete() {
		return true
	}
	for _, name := range []string{"su", "sudo", "doas", "bbsuid", "login"} {
		if _, setuid := accounts.Setuid(p.Image, name); setuid {
			return true
		}
	}
	for _, name := range []string{"sshd", "dropbear", "in.telnetd", "telnetd"} {
		if program, _ := accounts.Setuid(p.Image, name); program != nil {
			return true
		}
	}
	return false
}

// alike groups passwords of one kind that stand in one place.
func alike(all []accounts.Password) [][]accounts.Password {
	var out [][]accounts.Password
	for _, x := range all {
		i := slices.IndexFunc(out, func(o []accounts.Password) bool {
			a, b := o[0], x
			return a.Source.File == b.Source.File && a.Source.Instr == b.Source.Instr && a.Set == b.Set &&
				a.Empty == b.Empty && a.Computed == b.Computed && a.Told == b.Told && a.Hash == b.Hash
		})
		if i < 0 {
			i, out = len(out), append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

func weakPassword(p *scan.Pass, same []accounts.Password, asks bool) {
	var owners []string
	for _, x := range same {
		owners = append(owners, passwordOwner(p, x))
	}
	x, who := same[0], few(owners)
	gets, has := "gets a password", "has"
	if len(owners) > 1 {
		gets, has = "get a password", "have"
	}
	var f *scan.Finding
	switch at := x.Source.At(p); {
	case x.Empty:
		f = p.Reportf(at, "%s %s no password: whoever asks for the account gets it", who, has)
	case x.Told:
		f = p.Reportf(at, "%s %s whose value is on record: whoever has the image or the Dockerfile knows it, and it is the same in every container", who, gets)
	case x.Hash != "" && !x.Computed:
		f = p.Reportf(at, "%s %s a password that is the same in every container, and its hash (%s) can be guessed at by whoever has the image", who, has, x.Hash)
	default:
		f = p.Reportf(at, "%s %s when the image is built: it is the same in every container", who, gets)
	}
	if x.Computed {
		f.As(scan.LevelNote)
	}
	if x.Set.Step > 0 {
		f.Notef(x.Set.At(p), "set here")
	}
	if !asks {
		f.As(scan.LevelNote).Notef(scan.Location{}, "the image has no su, sudo, login or sshd that asks for it")
	}
}

// passwordOwner names the account of a password.
func passwordOwner(p *scan.Pass, x accounts.Password) string {
	if x.Account == "" {
		return "an account that is not known"
	}
	u := accounts.Fact.Of(p).Resolve(x.Account)
	if u.Exists && u.Name == x.Account {
		return fmt.Sprint(u)
	}
	return x.Account
}
