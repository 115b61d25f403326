package leak

import (
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/python"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
)

// An origin is who wrote a file, as far as it matters to what a credential in it is
// worth.
type origin uint8

const (
	own       origin = iota // nobody else did: it is the image's own
	published               // a package that anyone can install: what is in it is public
)

func (c *collector) origin(f *image.File) origin {
	if o, ok := c.owners.OfFile(f); ok && o.Distribution() || strings.Contains(f.Path, "/node_modules/") || modules.MatchString(f.Path) {
		return published
	}
	if class, _ := c.inv.Whose(f); class != python.FirstParty && class != python.NotPython {
		return published
	}
	if m := installed.FindString(f.Path); m != "" && c.index(m) {
		return published
	}
	return own
}

// installed is the directory of an import package, or of what is known of its
// distribution, where Python's installers put them.
var installed = regexp.MustCompile(`^.*?/(?:site|dist)-packages/[^/]+/`)

// index reports whether a directory of installed Python is that of a distribution
// from an index: lists name all its files, but only sources are looked up in them.
func (c *collector) index(dir string) bool {
	if strings.HasSuffix(dir, "-info/") {
		return true
	}
	init := c.Image.Lookup(dir + "__init__.py")
	return init != nil && c.inv.Class(init) != python.FirstParty
}

// modules are where tools unpack the packages that a build needs.
var modules = regexp.MustCompile(`/pkg/mod/|/\.cargo/registry/|/\.m2/repository/|/\.gradle/caches/|/vendor/(bundle|github\.com|golang\.org)/|/_cacache/`)

// samples are the directories in which packages and projects show what a credential
// looks like.
var samples = regexp.MustCompile(`(?i)/(tests?|testing|testdata|test[-_]data|__tests__|__mocks__|specs?|fixtures?|examples?|samples?|docs?|demos?|mocks?|cassettes)/|[/._-](test|spec|example|sample|template|dist)s?([._-]|$)|/test_[^/]*$|/CHANGELOG|/README|\.(md|rst|adoc|po|pot|html?)$`)

// counts reports whether a credential found in a file is worth a finding. What others
// published is no secret of this image; a token in it is one only if its form is sure
// and it stands where no sample does.
func (o origin) counts(p string, k Credential) bool {
	sample := samples.MatchString(p)
	switch {
	case o == own && !sample:
		return k.Form || k.Store != "" || k.Confidence >= secret.Medium
	case o == own:
		return k.Form && k.Confidence >= secret.Medium || k.Confidence == secret.High
	case sample, !k.Form, k.Confidence < secret.High:
		return false
	}
	return !strings.Contains(k.Kind, "private key") && !strings.Contains(k.Kind, "URL") && !strings.Contains(k.Kind, "connection") && k.Kind != "JSON web token"
}
