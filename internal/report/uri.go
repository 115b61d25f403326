package report

import (
	"cmp"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
)

// relativeURI is a path as a relative reference (RFC 3986, 4.2) that resolves
// inside whatever it is relative to: no scheme, no root, no dot segments. A colon
// is escaped everywhere, as consumers take one in the first segment for a scheme.
func relativeURI(p string) string {
	var out []string
	for _, s := range strings.Split(p, "/") {
		if s == "" || s == "." || s == ".." {
			continue
		}
		out = append(out, strings.ReplaceAll(url.PathEscape(s), ":", "%3A"))
	}
	return strings.Join(out, "/")
}

var (
	notInName = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	digestOf  = regexp.MustCompile(`(^|@)sha(256|512):[0-9a-fA-F]*`)
)

// shortName is the last part of an image's name, fit for the first segment of a
// URI. It never changes from build to build.
func (r *Report) shortName(t *scan.Target) string {
	name := notInName.ReplaceAllString(path.Base(r.masked(policy.ImageName(*t))), "-")
	name = name[:min(len(name), 64)]
	if strings.Trim(name, ".-") == "" {
		return noName
	}
	return name
}

// noName is what an image is called that has no name, or none but a digest.
const noName = "image"

// longName is the image's name as the user typed it, without a digest.
func longName(t *scan.Target) string {
	if t.Name == "-" {
		return noName
	}
	return cmp.Or(digestOf.ReplaceAllString(t.Name, ""), noName)
}

// physical is where a location is in the repository, as code scanning shows it: the
// line of the Dockerfile or manifest if it is known, that of the part concerned, or
// else line 1 of a path that stands for the file in the image.
func (r *Report) physical(t *scan.Target, l scan.Location) (uri string, line int) {
	if !l.Source.IsZero() {
		p := r.repoPath(l.Source.Path) // as it is: it names a file that exists
		if len(p) > r.limit() || r.masked(p) != p {
			p = r.clean(p)
		}
		if uri = relativeURI(p); uri != "" {
			return uri, l.Lines().Start
		}
	}
	return relativeURI(r.shortName(t) + "/" + r.clean(subject(l))), 1
}
