package scan_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// Rules name a setting or a file; the part of the instruction is found for them.
func TestFocus(t *testing.T) {
	const text = `-- Dockerfile --
FROM scratch
ENV A=1 KEY=value
LABEL a=b "c d"="e f"
EXPOSE 80 8000-8010/tcp
ENTRYPOINT ["a"]
RUN mkdir /data && \
    chmod 777 /data
COPY <<EOF /etc/a.conf
one
two
EOF
RUN cat > /etc/b.conf <<EOF
one
	two
EOF
USER app
`
	f, err := scantest.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	file := func(p *scan.Pass, path string, line int) scan.Location {
		at := p.At(p.Image.Lookup(path))
		at.Line = line
		return at
	}
	res := f.Audit(t, []*scan.Rule{{ID: "SBX999", Where: scan.InDockerfile, Run: func(p *scan.Pass) {
		for _, field := range []string{"User", "Env.KEY", "Labels.c d", "ExposedPorts.8005/tcp", "Entrypoint", "Cmd"} {
			p.Reportf(p.AtField(field), "%s", field)
		}
		p.Reportf(file(p, "/data", 0), "data")
		p.Reportf(file(p, "/etc/a.conf", 2), "COPY")
		p.Reportf(file(p, "/etc/b.conf", 2), "RUN")
	}}})
	for _, f := range res.Findings {
		r := f.At.Focus
		got[f.Message] = fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Column, r.End.Line, r.End.Column)
	}
	for what, want := range map[string]string{
		"User": "16:6-16:9", "Env.KEY": "2:9-2:18", "Labels.c d": "3:11-3:22", "ExposedPorts.8005/tcp": "4:11-4:24", "Entrypoint": "5:12-5:17",
		"Cmd": "0:0-0:0", "data": "6:11-6:16", "COPY": "10:1-10:4", "RUN": "14:1-14:5",
	} {
		if got[what] != want {
			t.Errorf("%s: got %q, want %q", what, got[what], want)
		}
	}
}

// Findings that are merged have one fix, if each has one and they go together. The one
// they become points to the whole instruction.
func TestMergedFixes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ENV A=1 B=2", "2 edits"},
		{"ENV A=1 B=2 C=3", "none"}, // C is not mended
	} {
		f, err := scantest.Parse("-- Dockerfile --\nFROM scratch\n" + c.text + "\n")
		if err != nil {
			t.Fatal(err)
		}
		res := f.Audit(t, []*scan.Rule{{ID: "SBX999", Where: scan.InDockerfile, Run: func(p *scan.Pass) {
			for _, s := range p.Build.Env {
				found := p.Reportf(p.AtField("Env."+s.Name), "x")
				if s.Name != "C" {
					at := p.Build.File.Layout(s.Instr).Pair(s.Name)
					found.Mend(&scan.Fix{Description: "drop " + s.Name, Edits: []scan.Edit{{Path: "Dockerfile", At: at}}})
				}
			}
		}}})
		got := "none"
		if fix := res.Findings[0].Fix; fix != nil {
			got = fmt.Sprintf("%d edits", len(fix.Edits))
		}
		if got != c.want || len(res.Findings) != 1 || !res.Findings[0].At.Focus.IsZero() || slices.ContainsFunc(res.Findings[0].Places, func(l scan.Location) bool { return l.Focus.IsZero() }) {
			t.Errorf("%s: got %s in %d findings, want %s", c.text, got, len(res.Findings), c.want)
		}
	}
}
