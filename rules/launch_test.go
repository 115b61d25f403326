package rules

import (
	"slices"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// TestFlow tells what happens step by step, the last step as whom.
func TestFlow(t *testing.T) {
	f, err := scantest.Read("../testdata/images/env-strip-ineffective/exec-drop.txtar")
	if err != nil {
		t.Fatal(err)
	}
	res := f.Audit(t, []*scan.Rule{Find("SBX309")})
	var got []string
	for _, n := range res.Findings[0].Flow {
		got = append(got, n.At.String()+": "+n.Message)
	}
	const main = "Dockerfile:2[layer 1]/app/main.py"
	want := []string{
		"Dockerfile:3{Entrypoint}: the container starts as root",
		"Dockerfile:3{Entrypoint}: setpriv 1000",
		main + ":4: removes SESSION_TOKEN",
		main + ":5: removes CONTROL_PLANE_URL",
		main + ":6: removes SESSION_ID",
		main + ":7: agent.serve(..., ..., ...) takes over, as sandbox",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
