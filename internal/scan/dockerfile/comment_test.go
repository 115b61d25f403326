package dockerfile

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestComments(t *testing.T) {
	f, err := Parse("Dockerfile", []byte(`# syntax=docker/dockerfile:1
# head

ARG V=1
# before from
FROM alpine:${V} AS a
  # indented

# apart
RUN one \
    # inside
    two
RUN <<EOF
# in a heredoc
EOF
# end
`), limits.Default())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range f.Comments {
		line := 0
		if c.Instr != nil {
			line = c.Instr.Span.Start
		}
		got = append(got, fmt.Sprintf("%d %s of %d in=%v head=%v apart=%v", c.Line, c.Text, line, c.In, c.Head, c.Apart))
	}
	want := []string{
		"1 syntax=docker/dockerfile:1 of 4 in=false head=true apart=true",
		"2 head of 4 in=false head=true apart=true",
		"5 before from of 6 in=false head=false apart=false",
		"7 indented of 10 in=false head=false apart=true",
		"9 apart of 10 in=false head=false apart=false",
		"11 inside of 10 in=true head=false apart=false",
		"16 end of 0 in=false head=false apart=false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
