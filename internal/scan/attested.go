package scan

import (
	"fmt"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/dockerfile"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/provenance"
)

// Attested returns the instructions that made an image's layers, one per layer,
// nil where that is unknown, from the lines that its provenance gives. b is the
// evaluation of the Dockerfile in the provenance. It fails if the lines are not
// those of instructions of the target that can make a layer: then nothing that
// the provenance says of lines is to be believed.
func Attested(b *dockerfile.Build, p *provenance.Provenance) ([]*dockerfile.Instr, error) {
	out := make([]*dockerfile.Instr, len(p.Layers))
	for i, at := range p.Layers {
		if at == (provenance.Lines{}) {
			continue
		}
		if out[i] = b.MadeAt(at.First, at.Last); out[i] == nil {
			return nil, fmt.Errorf("reading the provenance: no instruction in lines %d to %d of its Dockerfile can have made layer %d", at.First, at.Last, i+1)
		}
	}
	return out, nil
}
