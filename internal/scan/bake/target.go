package bake

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
)

// target evaluates a target: as many as its matrix says, one without.
func (f *File) target(name string) ([]Target, error) {
	b := f.targets[name]
	combinations, err := f.matrix(b)
	if err != nil {
		return nil, err
	}
	var out []Target
	for _, c := range combinations {
		s := f.scope(c)
		t := Target{Name: name, Line: b.line, Context: ".", Dockerfile: "Dockerfile", Args: map[string]string{}}
		if err := s.apply(&t, name, nil); err != nil {
			return nil, err
		}
		if e, ok := b.attrs["name"]; ok && c != nil {
			if t.Name, err = s.text(e); err != nil {
				return nil, err
			}
		}
		out = append(out, t)
	}
	return out, nil
}

// apply sets what a target says, after what it inherits, the last parent first to
// count.
func (s *scope) apply(t *Target, name string, within []string) error {
	b := s.file.targets[name]
	switch {
	case b == nil:
		return &absent{name, ""}
	case slices.Contains(within, name) || len(within) > maxDepth:
		return fmt.Errorf("line %d: it inherits from itself", b.line)
	}
	parents, err := s.list(b.attrs["inherits"])
	if err != nil {
		return err
	}
	for _, p := range parents {
		if s.spent++; s.spent > maxTargets {
			return errors.New("it inherits from too many targets")
		}
		if err := s.apply(t, p, append(within, name)); err != nil {
			return err
		}
	}
	return s.own(t, b)
}

// own sets what a block itself says.
func (s *scope) own(t *Target, b *block) error {
	for _, field := range []struct {
		name string
		to   *string
	}{{"context", &t.Context}, {"dockerfile", &t.Dockerfile}, {"dockerfile-inline", &t.Inline}, {"target", &t.Stage}} {
		e, ok := b.attrs[field.name]
		if !ok {
			continue
		}
		text, err := s.text(e)
		if err != nil {
			return err
		}
		*field.to = text
	}
	if e, ok := b.attrs["platforms"]; ok {
		list, err := s.list(e)
		if err != nil {
			return err
		}
		t.Platforms = list
	}
	if e, ok := b.attrs["tags"]; ok {
		t.Tags, _ = s.list(e) // they do not change what is built
	}
	args, err := s.pairs(b.attrs["args"])
	maps.Copy(t.Args, args)
	return err
}

// matrix returns the combinations of a target's matrix, as variables; one that is nil
// without a matrix.
func (f *File) matrix(b *block) ([]map[string]cty.Value, error) {
	e, ok := b.attrs["matrix"]
	if !ok {
		return []map[string]cty.Value{nil}, nil
	}
	v, err := f.scope(nil).value(e)
	if err != nil {
		return nil, err
	}
	if !v.CanIterateElements() || v.Type().IsTupleType() || v.Type().IsListType() {
		return nil, e.errorf("matrix is no map of lists")
	}
	out := []map[string]cty.Value{{}}
	for it := v.ElementIterator(); it.Next(); {
		key, list := it.Element()
		if !list.CanIterateElements() {
			return nil, e.errorf("matrix is no map of lists")
		}
		var next []map[string]cty.Value
		for _, c := range out {
			for items := list.ElementIterator(); items.Next(); {
				_, item := items.Element()
				with := maps.Clone(c)
				with[key.AsString()] = item
				next = append(next, with)
			}
			if len(next) > maxTargets {
				return nil, e.errorf("matrix makes over %d targets", maxTargets)
			}
		}
		out = next
	}
	return out, nil
}
