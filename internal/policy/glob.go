package policy

import (
	"path"
	"strings"
)

// A glob matches paths by their segments, as path.Match does, with "**" for any
// number of directories. A slash at its end stands for all that is below. One that
// starts with a slash is of paths in the image, any other of files of the repository.
type glob []string

// newGlob returns path.ErrBadPattern for what is no glob.
func newGlob(pattern string) (glob, error) {
	if strings.HasSuffix(pattern, "/") {
		pattern += "**"
	}
	g := glob(strings.Split(strings.TrimPrefix(pattern, "./"), "/"))
	for _, part := range g {
		if _, err := path.Match(part, ""); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g glob) inImage() bool { return len(g) > 1 && g[0] == "" }

// matches takes the time of the product of both lengths: what stands before the last
// "**" is matched once.
func (g glob) matches(p string) bool {
	segments := strings.Split(p, "/")
	back, taken := -1, 0 // where the last "**" is, and where what it took ends
	i, s := 0, 0
	for s < len(segments) {
		switch {
		case i < len(g) && g[i] == "**":
			back, taken = i, s
			i++
		case i < len(g) && fits(g[i], segments[s]):
			i++
			s++
		case back >= 0:
			taken++
			i, s = back+1, taken
		default:
			return false
		}
	}
	for i < len(g) && g[i] == "**" {
		i++
	}
	return i == len(g)
}

func fits(pattern, s string) bool {
	ok, err := path.Match(pattern, s)
	return ok && err == nil
}
