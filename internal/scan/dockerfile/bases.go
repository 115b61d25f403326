package dockerfile

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Base is what is documented about a base image.
type Base struct {
	User     string // "root", or the user or uid it runs as instead
	Accounts []BaseAccount
	// ByCommand is true if a CMD is what starts: there is no ENTRYPOINT, or one that only
	// executes what it is given.
	ByCommand  bool
	Entrypoint string // file of that one; empty if there is none
	Source     string // where that is documented
}

// A BaseAccount is an account that a base image is documented to have.
type BaseAccount struct {
	Name     string
	UID, GID int
}

// KnownBase returns what is documented about how a container of a base image starts. An image
// that is not listed is unknown, and so is one whose user depends on a tag that
// the reference does not give.
func KnownBase(ref string) (Base, bool) {
	r := ParseRef(ref)
	if r.Digest == "" {
		r.Tag = cmp.Or(r.Tag, "latest")
	}
	for _, k := range knownBases() {
		if !k.name.MatchString(r.Name) {
			continue
		}
		if k.tag != nil && (r.Tag == "" || !k.tag.MatchString(r.Tag)) {
			continue
		}
		return k.base, true
	}
	return Base{}, false
}

type knownBase struct {
	name *regexp.Regexp // the whole name
	tag  *regexp.Regexp // nil if the user is the same for all tags
	base Base
}

//go:embed bases.tsv
var basesTable string

// knownBases lists images by the user they run as, first match first.
var knownBases = sync.OnceValue(func() []knownBase {
	var out []knownBase
	for line := range strings.Lines(basesTable) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(f) != 6 {
			continue
		}
		k := knownBase{name: whole(f[0]), base: Base{User: f[2], ByCommand: f[4] != "-", Source: f[5]}}
		if strings.HasPrefix(f[4], "/") {
			k.base.Entrypoint = f[4]
		}
		if f[1] != "-" {
			k.tag = whole(f[1])
		}
		for a := range strings.SplitSeq(f[3], ",") {
			var x BaseAccount
			if _, err := fmt.Sscanf(strings.ReplaceAll(a, ":", " "), "%s %d %d", &x.Name, &x.UID, &x.GID); err == nil {
				k.base.Accounts = append(k.base.Accounts, x)
			}
		}
		out = append(out, k)
	}
	return out
})

func whole(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }
