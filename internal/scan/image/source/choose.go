package source

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A choice is a leaf that is to be audited.
type choice struct {
	leaf     *leaf
	names    []string
	problems []image.Problem
}

// call is what picks the choice among the others.
func (c *choice) call() string {
	if len(c.names) > 0 {
		return c.names[0]
	}
	return c.leaf.desc.Digest
}

// pickLeaves keeps the leaves that pick names; all if it is empty.
func pickLeaves(leaves []*leaf, pick string) ([]*leaf, error) {
	if pick == "" {
		return leaves, nil
	}
	for _, is := range []func(*leaf) bool{
		func(l *leaf) bool {
			return slices.ContainsFunc(l.names, func(n string) bool { return sameName(n, pick) })
		},
		func(l *leaf) bool { return l.desc.Digest == pick || slices.Contains(l.above, pick) },
		func(l *leaf) bool { return strconv.Itoa(l.entry+1) == pick },
	} {
		var kept []*leaf
		for _, l := range leaves {
			if is(l) {
				kept = append(kept, l)
			}
		}
		if len(kept) > 0 {
			return kept, nil
		}
	}
	var there []string
	for _, l := range leaves {
		there = append(there, fmt.Sprintf("%d: %s", l.entry+1, (&choice{leaf: l, names: l.names}).call()))
	}
	return nil, noSuchImage(pick, there)
}

func noSuchImage(pick string, there []string) error {
	return hint(fmt.Errorf("it holds no image %q", pick), "it holds "+strings.Join(slices.Compact(there), ", "))
}

// sameName reports whether two names mean the same image: "a" is also
// "docker.io/library/a:latest".
func sameName(a, b string) bool {
	if a == b {
		return true
	}
	x, err := name.ParseReference(a)
	if err != nil {
		return false
	}
	y, err := name.ParseReference(b)
	return err == nil && x.Name() == y.Name()
}

// choose settles the platform. Leaves of one name are one image for several
// platforms; so are those without a name, but several of them for one platform
// are several images.
func (r *resolver) choose(leaves []*leaf) ([]*choice, error) {
	var chosen []*choice
	for _, group := range groupBy(leaves, (*leaf).name) {
		group, err := r.forPlatform(group)
		if err != nil {
			return nil, err
		}
		var same []*choice
		for _, of := range groupBy(group, func(l *leaf) string { return strconv.Itoa(l.entry) }) {
			c := &choice{leaf: of[0], names: of[0].names}
			if rivals(of) {
				c.ambiguous(fmt.Sprintf("its index has several manifests for %s; the first was read", of[0].platform))
			}
			chosen, c = addChoice(chosen, c)
			if !slices.Contains(same, c) {
				same = append(same, c)
			}
		}
		if n := group[0].name(); n != "" && len(same) > 1 {
			for _, c := range same {
				c.ambiguous(fmt.Sprintf("the name %q stands for %d images", n, len(same)))
			}
		}
	}
	return chosen, nil
}

func (c *choice) ambiguous(what string) {
	c.problems = append(c.problems, image.Problem{Kind: image.Ambiguous, Layer: -1, What: what, Hint: "give the image by its digest"})
}

func (l *leaf) name() string {
	if len(l.names) == 0 {
		return ""
	}
	return l.names[0]
}

// addChoice adds c, or its names to the same image chosen before, which it then
// returns.
func addChoice(chosen []*choice, c *choice) ([]*choice, *choice) {
	for _, old := range chosen {
		if old.leaf.desc.Digest == c.leaf.desc.Digest {
			for _, n := range c.names {
				if !slices.Contains(old.names, n) {
					old.names = append(slices.Clip(old.names), n)
				}
			}
			return chosen, old
		}
	}
	return append(chosen, c), c
}

// rivals reports whether leaves for one platform are different images that a
// runtime may take either of.
func rivals(leaves []*leaf) bool {
	return slices.ContainsFunc(leaves[1:], func(l *leaf) bool {
		return l.desc.Digest != leaves[0].desc.Digest && l.platform.OSVersion == leaves[0].platform.OSVersion
	})
}

// groupBy splits leaves by key, in order of first appearance.
func groupBy(leaves []*leaf, key func(*leaf) string) [][]*leaf {
	var groups [][]*leaf
	at := map[string]int{}
	for _, l := range leaves {
		i, ok := at[key(l)]
		if !ok {
			i = len(groups)
			at[key(l)] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], l)
	}
	return groups
}

// forPlatform keeps the leaves of one platform: the wanted one, else the host's,
// else the only one there is.
func (r *resolver) forPlatform(leaves []*leaf) ([]*leaf, error) {
	want := r.host
	if r.want != nil {
		want = *r.want
	}
	kept := filter(leaves, func(p platform) bool { return p.suits(want) })
	usual := filter(kept, func(p platform) bool { return p.generation() == want.generation() })
	switch {
	case len(usual) > 0:
		kept = usual
	case len(kept) == 0 && r.want == nil:
		kept = leaves
	}
	there := platforms(leaves)
	switch {
	case len(kept) == 0:
		return nil, hint(fmt.Errorf("it is not there for %s, only for %s", want, strings.Join(there, ", ")), "pick one with --platform")
	case len(platforms(kept)) > 1:
		return nil, hint(fmt.Errorf("it is there for %s", strings.Join(there, ", ")), "pick one with --platform")
	}
	return kept, nil
}

func filter(leaves []*leaf, keep func(platform) bool) []*leaf {
	return slices.DeleteFunc(slices.Clone(leaves), func(l *leaf) bool { return !keep(l.platform) })
}

func platforms(leaves []*leaf) []string {
	var all []string
	for _, l := range leaves {
		if s := l.platform.String(); !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}
