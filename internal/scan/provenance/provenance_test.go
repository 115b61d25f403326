package provenance

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

type doc map[string]any

func sum(n int) string { return fmt.Sprintf("sha256:%064x", n) }

// manifest is the digest of the image in these tests, layers those of its layers:
// two of the base, and three of the build.
var (
	manifest = sum(99)
	layers   = []string{sum(1), sum(2), sum(3), sum(4), sum(5)}
)

const file = `FROM debian AS tools
RUN make
FROM debian
RUN apt-get update && \
    apt-get install
COPY --from=tools /x /x
RUN <<E
echo
E
`

func chain(digests ...string) []any {
	out := []any{}
	for _, d := range digests {
		out = append(out, doc{"mediaType": "application/vnd.oci.image.layer.v1.tar+gzip", "digest": d, "size": 9})
	}
	return []any{out}
}

// at is the place of an instruction: each of its lines has a range.
func at(first, last int) doc {
	var ranges []any
	for n := first; n <= last; n++ {
		ranges = append(ranges, doc{"start": doc{"line": n}, "end": doc{"line": n}})
	}
	return doc{"locations": []any{doc{"ranges": ranges}}}
}

func step(n int, inputs ...string) doc {
	return doc{"id": fmt.Sprintf("step%d", n), "op": doc{"Op": doc{"exec": doc{"meta": doc{"args": []string{"x"}}}}}, "inputs": inputs}
}

// An attestation is one that BuildKit writes with mode=max, in parts that tests
// change.
type attestation struct {
	subject   []any
	steps     []any
	locations doc
	infos     []any
	layers    doc
	args      doc
}

func newAttestation() *attestation {
	return &attestation{
		subject: []any{doc{"name": "pkg:docker/x@1", "digest": doc{"sha256": strings.TrimPrefix(manifest, "sha256:")}}},
		steps: []any{step(0), step(1, "step0:0"), step(2, "step0:0"), step(3, "step2:0", "step1:0"),
			step(4, "step3:0"), step(5, "step4:0")},
		locations: doc{"step0": at(1, 1), "step1": at(2, 2), "step2": at(4, 5), "step3": at(6, 6), "step4": at(7, 9)},
		infos:     []any{doc{"filename": "docker/Dockerfile", "language": "Dockerfile", "data": []byte(file)}},
		layers: doc{"step0:0": chain(layers[:2]...), "step1:0": chain(sum(1), sum(2), sum(50)), "step2:0": chain(layers[:3]...),
			"step3:0": chain(layers[:4]...), "step4:0": chain(layers...)},
		args: doc{"target": "", "build-arg:V": "1 2", "cmdline": "x"},
	}
}

func (a *attestation) v02() doc {
	return doc{"_type": "https://in-toto.io/Statement/v0.1", "predicateType": slsa02, "subject": a.subject, "predicate": doc{
		"builder": doc{"id": ""}, "buildType": buildType02,
		"invocation":  doc{"parameters": doc{"frontend": "dockerfile.v0", "args": a.args}},
		"buildConfig": doc{"llbDefinition": a.steps},
		"metadata": doc{"buildInvocationID": "x", "https://mobyproject.org/buildkit@v1#metadata": doc{
			"source": doc{"locations": a.locations, "infos": a.infos}, "layers": a.layers}},
	}}
}

func (a *attestation) v1() doc {
	return doc{"_type": "https://in-toto.io/Statement/v1", "predicateType": slsa1, "subject": a.subject, "predicate": doc{
		"buildDefinition": doc{"buildType": buildType1, "externalParameters": doc{"request": doc{"args": a.args}},
			"internalParameters": doc{"buildConfig": doc{"llbDefinition": a.steps}}},
		"runDetails": doc{"metadata": doc{"buildkit_metadata": doc{
			"source": doc{"locations": a.locations, "infos": a.infos}, "layers": a.layers}}},
	}}
}

func read(t *testing.T, v any, lim limits.Limits) string {
	t.Helper()
	b, ok := v.([]byte)
	if !ok {
		var err error
		if b, err = json.Marshal(v); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Read(b, manifest, layers, lim)
	switch {
	case err != nil:
		return "error: " + err.Error()
	case p == nil:
		return "none"
	}
	return fmt.Sprintf("%s %q %v %v %t", p.Name, p.Target, p.Args, p.Layers, string(p.Dockerfile) == file)
}

const good = `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {4 5} {6 6} {7 9}] true`

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*attestation)
		want   string
	}{
		{"whole", func(*attestation) {}, good},
		{"an image without a name has no subject", func(a *attestation) { a.subject = nil }, good},
		{"several subjects", func(a *attestation) { a.subject = append([]any{doc{"digest": doc{"sha256": "00"}}}, a.subject...) }, good},
		{"another image", func(a *attestation) { a.subject = []any{doc{"digest": doc{"sha256": strings.Repeat("0", 64)}}} }, "error: it is about another image"},
		{"a subject without a digest", func(a *attestation) { a.subject = []any{doc{"name": "x"}} }, "error: it is about another image"},
		{"no source map (mode=min)", func(a *attestation) { a.infos = nil }, "none"},
		{"a target and a strange name", func(a *attestation) {
			a.args["target"] = "tools"
			a.infos[0].(doc)["filename"] = "../../etc/passwd"
		}, `Dockerfile "tools" map[V:1 2] [{0 0} {0 0} {4 5} {6 6} {7 9}] true`},
		{"no layers", func(a *attestation) { a.layers = nil }, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {0 0} {0 0} {0 0}] true`},
		{"layers of another image", func(a *attestation) { a.layers = doc{"step4:0": chain(sum(7), sum(8))} }, "error: the layers that it names are not the image's"},
		{"more layers than the image", func(a *attestation) { a.layers = doc{"step4:0": chain(append(layers[:5:5], sum(6))...)} }, "error: the layers that it names are not the image's"},
		{"in two compressions", func(a *attestation) {
			a.layers["step2:0"] = append(chain(sum(70), sum(71), sum(72)), chain(layers[:3]...)...)
		}, good},
		{"a layer is missing", func(a *attestation) { delete(a.layers, "step3:0") }, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {4 5} {0 0} {0 0}] true`},
		{"one step in two places", func(a *attestation) {
			a.locations["step2"] = doc{"locations": append(at(4, 5)["locations"].([]any), at(2, 2)["locations"].([]any)...)}
		}, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {0 0} {6 6} {7 9}] true`},
		{"two steps made one layer", func(a *attestation) {
			a.steps = append(a.steps, step(6, "step2:0"))
			a.layers["step6:0"], a.locations["step6"] = chain(layers[:4]...), at(2, 2)
		}, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {4 5} {0 0} {7 9}] true`},
		{"a place in another file", func(a *attestation) {
			a.locations["step4"].(doc)["locations"].([]any)[0].(doc)["sourceIndex"] = 1
		}, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {4 5} {6 6} {0 0}] true`},
		{"lines behind the end", func(a *attestation) { a.locations["step4"] = at(7, 40) }, "error: it names lines that its Dockerfile does not have"},
		{"line 0", func(a *attestation) { a.locations["step4"] = at(0, 1) }, "error: it names lines that its Dockerfile does not have"},
		{"lines backwards", func(a *attestation) {
			a.locations["step4"] = doc{"locations": []any{doc{"ranges": []any{doc{"start": doc{"line": 5}, "end": doc{"line": 4}}}}}}
		}, "error: it names lines that its Dockerfile does not have"},
		{"steps in a circle", func(a *attestation) { a.steps = []any{step(4, "step4:0")} }, `docker/Dockerfile "" map[V:1 2] [{0 0} {0 0} {0 0} {0 0} {0 0}] true`},
		{"another language", func(a *attestation) { a.infos[0].(doc)["language"] = "HCL" }, "none"},
	} {
		for version, statement := range map[string]func(*attestation) doc{"0.2": (*attestation).v02, "1": (*attestation).v1} {
			a := newAttestation()
			tt.change(a)
			if got := read(t, statement(a), limits.Default()); got != tt.want {
				t.Errorf("%s, SLSA %s:\n got %s\nwant %s", tt.name, version, got, tt.want)
			}
		}
	}
}

func TestReadRefuses(t *testing.T) {
	tiny, short, few := limits.Default(), limits.Default(), limits.Default()
	tiny.ConfigBytes, short.DockerfileBytes, few.JSONElements = 100, 10, 20
	sbom := newAttestation().v1()
	sbom["predicateType"] = "https://spdx.dev/Document"
	foreign := newAttestation().v1()
	foreign["predicate"].(doc)["buildDefinition"].(doc)["buildType"] = "https://example.com/other"
	for _, tt := range []struct {
		name      string
		statement any
		lim       limits.Limits
		want      string
	}{
		{"too long", newAttestation().v1(), tiny, "error: it has over 100 bytes"},
		{"too long a Dockerfile", newAttestation().v02(), short, "error: its Dockerfile has over 10 bytes"},
		{"too many values", newAttestation().v1(), few, "20 values in one document"},
		{"an SBOM", sbom, limits.Default(), "none"},
		{"of another builder", foreign, limits.Default(), "none"},
		{"no JSON", []byte("{"), limits.Default(), "error: reading JSON"},
		{"deep", []byte(strings.Repeat("[", 5000)), limits.Default(), "levels in one document"},
		{"null", []byte("null"), limits.Default(), "none"},
		{"wrong types", []byte(`{"_type":1}`), limits.Default(), "does not belong there"},
	} {
		if got := read(t, tt.statement, tt.lim); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// Whatever a statement says, its lines are in its Dockerfile, one range per layer.
func FuzzRead(f *testing.F) {
	for _, v := range []doc{newAttestation().v02(), newAttestation().v1()} {
		b, err := json.Marshal(v)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := Read(b, manifest, layers, limits.Default())
		if err != nil || p == nil {
			return
		}
		if len(p.Layers) != len(layers) {
			t.Errorf("%d layers", len(p.Layers))
		}
		total := strings.Count(string(p.Dockerfile), "\n") + 1
		for _, l := range p.Layers {
			if l != (Lines{}) && (l.First < 1 || l.Last < l.First || l.Last > total) {
				t.Errorf("lines %d to %d of %d", l.First, l.Last, total)
			}
		}
	})
}
