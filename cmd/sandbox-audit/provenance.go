package main

import (
	"bytes"
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/provenance"
)

// attest takes lines from the provenance that an index attaches to the image: with
// its own Dockerfile if none was given. What does not hold is passed over; either
// way the result says so.
func (a *audit) attest(t *scan.Target, src *image.Source) {
	var layers []string
	for _, l := range src.Layers {
		layers = append(layers, l.Digest)
	}
	for _, s := range src.Statements {
		p, err := provenance.Read(s, src.Digest, layers, a.limits)
		if p == nil && err == nil {
			continue
		}
		what := ""
		if err == nil {
			what, err = a.attested(t, p)
		}
		if err != nil {
			what = fmt.Sprintf("its provenance was passed over: %v", err)
		}
		t.Image.Problems = append(t.Image.Problems, image.Problem{Kind: image.Remark, Layer: -1, What: what})
		if a.verbose {
			fmt.Fprintf(a.proc.stderr, "sandbox-audit: %s: %s\n", printable(t.Name), printable(what))
		}
		if err == nil {
			return
		}
	}
}

// attested sets the Dockerfile of a target and the instructions behind its layers
// as the provenance gives them, and says what it did.
func (a *audit) attested(t *scan.Target, p *provenance.Provenance) (what string, err error) {
	b, path := t.Build, a.dockerfile
	switch {
	case b != nil && !bytes.Equal(a.texts[path], p.Dockerfile):
		return fmt.Sprintf("%s is not what the image was built from: its provenance has another Dockerfile; lines are found by comparing the image's history", path), nil
	case b == nil:
		path = p.Name
		if text, read := a.texts[path]; read && !bytes.Equal(text, p.Dockerfile) {
			return "", fmt.Errorf("another %s was read before it", path)
		}
		if b, err = a.evaluateText(path, p); err != nil {
			return "", err
		}
	}
	made, err := scan.Attested(b, p)
	if err != nil {
		return "", err
	}
	if t.Build == nil {
		a.texts[path] = p.Dockerfile
	}
	t.Build, t.Made = b, made
	return fmt.Sprintf("lines are those of %s in the image's provenance", path), nil
}

func (a *audit) evaluateText(path string, p *provenance.Provenance) (*dockerfile.Build, error) {
	f, err := dockerfile.Parse(path, p.Dockerfile, a.limits)
	if err != nil {
		return nil, err
	}
	return f.Build(p.Target, p.Args)
}
