package bake

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// show tells targets, one a line.
func show(targets []Target) string {
	var b strings.Builder
	for _, t := range targets {
		fmt.Fprintf(&b, "%d %s: %s %s %s", t.Line, t.Name, t.Context, t.Dockerfile, t.Stage)
		for _, k := range slices.Sorted(maps.Keys(t.Args)) {
			fmt.Fprintf(&b, " %s=%s", k, t.Args[k])
		}
		for _, p := range t.Platforms {
			b.WriteString(" " + p)
		}
		if t.Inline != "" {
			fmt.Fprintf(&b, " %q", t.Inline)
		}
		b.WriteString("\n")
	}
	return b.String()
}

const project = `
variable "TAG" { default = "dev" }
variable "VERSION" { default = "v-${TAG}" }
REGISTRY = "r.example"

function "tagged" {
  params = [name]
  variadic_params = more
  result = "${REGISTRY}/${name}:${TAG}${join("", more)}"
}

group "default" { targets = ["agent", "all"] }
group "all" { targets = ["agent", "matrix"] }

target "_common" {
  context = "src"
  args = { TAG = TAG, PYTHON = "3.12", NONE = null }
  platforms = ["linux/amd64", "linux/arm64"]
}
target "agent" {
  inherits = ["_common"]
  dockerfile = "agent.Dockerfile"
  target = TAG == "dev" ? "debug" : "final"
  args = { PYTHON = 3.13, IMAGE = tagged("agent", "-a", "-b"), VERSION = upper(VERSION) }
  tags = [tagged("agent")]
}
target "matrix" {
  name = "m-${replace(item, ".", "-")}"
  matrix = { item = ["1.0", "2.0"] }
  inherits = ["_common"]
  args = { ITEM = item }
}
target "inline" {
  dockerfile-inline = "FROM scratch\n"
}
`

func TestTargets(t *testing.T) {
	env := map[string]string{}
	for _, tt := range []struct{ name, file, text, ask, env, want string }{
		{"default group", "docker-bake.hcl", project, "", "", `
			20 agent: src agent.Dockerfile debug IMAGE=r.example/agent:dev-a-b PYTHON=3.13 TAG=dev VERSION=V-DEV linux/amd64 linux/arm64
			27 m-1-0: src Dockerfile  ITEM=1.0 PYTHON=3.12 TAG=dev linux/amd64 linux/arm64
			27 m-2-0: src Dockerfile  ITEM=2.0 PYTHON=3.12 TAG=dev linux/amd64 linux/arm64`},
		{"the environment counts before a default", "docker-bake.hcl", project, "agent", "TAG=1", `
			20 agent: src agent.Dockerfile final IMAGE=r.example/agent:1-a-b PYTHON=3.13 TAG=1 VERSION=V-1 linux/amd64 linux/arm64`},
		{"inline", "x.hcl", project, "inline", "", "\n33 inline: . Dockerfile  \"FROM scratch\\n\""},
		{"without a default, all but parents", "x.hcl", "target \"p\" {}\ntarget \"a\" { inherits = [\"p\"] }\ntarget \"b\" {}\n", "", "", `
			2 a: . Dockerfile 
			3 b: . Dockerfile `},
		{"blocks of one name join", "x.hcl", "target \"a\" { target = \"x\" }\ntarget \"a\" { context = \"c\" }\n", "", "", "\n1 a: c Dockerfile x"},
		{"JSON", "docker-bake.json", `{
			"variable": {"TAG": {"default": "dev"}},
			"group": {"default": {"targets": ["a"]}},
			"target": {
				"a": {"context": ".", "dockerfile": "D-${TAG}", "args": {"N": 3, "T": "${upper(TAG)}", "Z": null}, "inherits": ["b"]},
				"b": {"target": "t"}
			}}`, "", "", "\n5 a: . D-dev t N=3 T=DEV"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			clear(env)
			if k, v, ok := strings.Cut(tt.env, "="); ok {
				env[k] = v
			}
			f, err := Read(tt.file, []byte(tt.text), func(k string) string { return env[k] })
			if err != nil {
				t.Fatal(err)
			}
			got, err := f.Targets(tt.ask)
			if err != nil {
				t.Fatal(err)
			}
			want := strings.ReplaceAll(strings.TrimPrefix(tt.want, "\n"), "\t", "") + "\n"
			if show(got) != want {
				t.Errorf("got\n%swant\n%s", show(got), want)
			}
		})
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, file, text, ask, want string }{
		{"syntax", "x.hcl", "target \"a\" {\n", "", "reading x.hcl: line 1: Unclosed configuration block"},
		{"no targets", "x.hcl", "A = 1\n", "", "reading x.hcl: it names no target"},
		{"no such target", "x.hcl", "target \"agent\" {}\n", "agnet", `reading x.hcl: it has no target or group "agnet"`},
		{"no such parent", "x.hcl", "target \"a\" { inherits = [\"b\"] }\n", "", `reading target a of x.hcl: it has no target or group "b"`},
		{"inherits itself", "x.hcl", "target \"a\" { inherits = [\"a\"] }\n", "a", "reading target a of x.hcl: line 1: it inherits from itself"},
		{"a group in itself", "x.hcl", "group \"default\" { targets = [\"default\"] }\ntarget \"a\" {}\n", "", "reading x.hcl: line 1: group default holds itself"},
		{"variables in a circle", "x.hcl", "A = B\nB = A\ntarget \"a\" { context = A }\n", "", "reading target a of x.hcl: line "},
		{"no such variable", "x.hcl", "target \"a\" {\n context = X\n}\n", "", "reading target a of x.hcl: line 2: it refers to X, which is no variable of the file"},
		{"another block", "x.hcl", "target \"a\" {\n context = target.b.context\n}\n", "", "reading target a of x.hcl: line 2: it refers to target, which"},
		{"no such function", "x.hcl", "target \"a\" {\n context = timestamp()\n}\n", "", "reading target a of x.hcl: line 2: it can't be evaluated: "},
		{"for", "x.hcl", "target \"a\" { platforms = [for p in [\"a\"] : p] }\n", "", `reading target a of x.hcl: line 1: what a "for" makes is not evaluated`},
		{"no text", "x.hcl", "target \"a\" { context = [1] }\n", "", "reading target a of x.hcl: line 1: it is no text"},
		{"no map", "x.hcl", "target \"a\" { args = \"x\" }\n", "", "reading target a of x.hcl: line 1: it is no map"},
		{"JSON", "x.json", "{\n\"target\": [", "", "reading x.json: line 2: it is no JSON object"},
		{"a template in JSON", "x.json", `{"target": {"a": {"context": "${"}}}`, "", "reading x.json: target a: line 1: "},
		{"nested", "x.hcl", "A = " + strings.Repeat("(", 1000), "", "reading x.hcl: line 1 nests deeper than 50"},
		{"negated", "x.hcl", "A = " + strings.Repeat("!", 1000) + "true", "", "reading x.hcl: line 1 nests deeper than 50"},
		{"large", "x.hcl", strings.Repeat("#", maxBytes+1), "", "reading x.hcl: it is over 131072 bytes"},
		{"a number of many digits", "x.hcl", "A = 1e999999999\n", "", "reading x.hcl: line 1 has a number of over 300 digits"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := Read(tt.file, []byte(tt.text), func(string) string { return "" })
			if err == nil {
				_, err = f.Targets(tt.ask)
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s...", err, tt.want)
			}
		})
	}
}

// TestBounded evaluates values that grow with every variable, parent and item.
func TestBounded(t *testing.T) {
	var doubled, parents, matrix strings.Builder
	doubled.WriteString("A0 = \"0123456789\"\n")
	for i := range 45 {
		fmt.Fprintf(&doubled, "A%d = \"${A%d}${A%d}\"\n", i+1, i, i)
		fmt.Fprintf(&parents, "target \"t%d\" { inherits = [\"t%d\", \"t%d\"] }\n", i+1, i, i)
		fmt.Fprintf(&matrix, "x%d = [1, 2]\n", i)
	}
	for name, text := range map[string]string{
		"values":    doubled.String() + "target \"a\" { context = A45 }\n",
		"parents":   parents.String() + "target \"t0\" {}\n",
		"matrix":    "target \"a\" {\n name = \"x\"\n matrix = {\n" + matrix.String() + "}\n}\n",
		"functions": "function \"f\" {\n params = [x]\n result = f(x)\n}\ntarget \"a\" { context = f(1) }\n",
		"replaced":  "target \"a\" { context = replace(replace(\"" + strings.Repeat("a", 3000) + "\", \"a\", \"" + strings.Repeat("b", 3000) + "\"), \"b\", \"cc\") }\n",
	} {
		t.Run(name, func(t *testing.T) {
			f, err := Read("x.hcl", []byte(text), func(string) string { return "" })
			if err == nil {
				_, err = f.Targets("")
			}
			if err == nil {
				t.Error("no error")
			}
		})
	}
}

func TestIsBake(t *testing.T) {
	for name, want := range map[string]bool{
		"docker-bake.hcl": true, "a/docker-bake.json": true, "docker-bake.override.hcl": true, "Docker-Bake.HCL": true,
		"bake.hcl": false, "docker-bake.yaml": false, "main.hcl": false,
	} {
		if IsBake(name) != want {
			t.Errorf("%s: got %t", name, !want)
		}
	}
}
