package image

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

var someDiffID = "sha256:" + strings.Repeat("0a", 32)

func TestParseConfig(t *testing.T) {
	doc := `{
		"os": "linux", "architecture": "arm64", "variant": "v8",
		"config": {
			"User": "nobody", "Env": ["PATH=/bin", "A=1"], "Entrypoint": ["/init"], "Cmd": ["a", "b"], "WorkingDir": "/w",
			"ExposedPorts": {"8080/tcp": {}, "22/tcp": {}}, "Volumes": {"/v": null, "/V": {}},
			"Labels": {"a": "1", "A": "2"}, "Healthcheck": {"Test": ["CMD", "x"], "Interval": "odd"},
			"OnBuild": ["RUN x"], "Shell": ["/bin/sh", "-c"], "StopSignal": "SIGTERM"
		},
		"rootfs": {"type": "layers", "diff_ids": ["` + someDiffID + `"]},
		"history": [{"created_by": "RUN x", "comment": "c"}, {"created_by": "ENV A=1", "empty_layer": true}, null]
	}`
	got, problems, err := ParseConfig([]byte(doc), limits.Default())
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	want := Config{
		OS: "linux", Architecture: "arm64", Variant: "v8",
		User: "nobody", Env: []string{"PATH=/bin", "A=1"}, Entrypoint: []string{"/init"}, Cmd: []string{"a", "b"}, WorkingDir: "/w",
		ExposedPorts: []string{"22/tcp", "8080/tcp"}, Volumes: []string{"/V", "/v"},
		Labels: map[string]string{"a": "1", "A": "2"}, Healthcheck: []string{"CMD", "x"},
		OnBuild: []string{"RUN x"}, Shell: []string{"/bin/sh", "-c"}, StopSignal: "SIGTERM",
		DiffIDs: []string{someDiffID},
		History: []History{{CreatedBy: "RUN x", Comment: "c"}, {CreatedBy: "ENV A=1", EmptyLayer: true}, {}},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestParseConfigProblems(t *testing.T) {
	const rootfs = `"rootfs": {"diff_ids": []}`
	for _, tt := range []struct {
		name, doc string
		problems  []string // a part of each, in order
		used      Config   // what is read all the same
	}{
		{"no config is no problem", `{` + rootfs + `}`, nil, Config{}},
		{"no layers is no problem", `{"config": null, ` + rootfs + `}`, nil, Config{}},
		{"command as a string", `{"config": {"Cmd": "sh", "User": "a"}, ` + rootfs + `}`, []string{"field Cmd is unreadable"}, Config{User: "a"}},
		{"user as a number", `{"config": {"User": 0, "Cmd": ["a"]}, ` + rootfs + `}`, []string{"field User is unreadable"}, Config{Cmd: []string{"a"}}},
		{"ports as a list", `{"config": {"ExposedPorts": ["22"], "User": "a"}, ` + rootfs + `}`, []string{"field ExposedPorts is unreadable"}, Config{User: "a"}},
		{"one bad variable", `{"config": {"Env": ["A=1", 5, "B=2"]}, ` + rootfs + `}`, []string{"field Env is unreadable"}, Config{Env: []string{"A=1", "", "B=2"}}},
		{"config as a string", `{"config": "x", "os": "linux", ` + rootfs + `}`, []string{"field config is unreadable"}, Config{OS: "linux"}},
		{"bad history entry", `{"history": [{"created_by": 1}, {"created_by": "b"}], ` + rootfs + `}`, []string{"field history is unreadable"}, Config{History: []History{{}, {CreatedBy: "b"}}}},
		{"repeated key, the last wins", `{"config": {"User": "a", "User": "b"}, ` + rootfs + `}`, []string{`"config.User" stands more than once`}, Config{User: "b"}},
		{"repeated in odd case, the last wins", `{"config": {"User": "a", "user": "root"}, ` + rootfs + `}`,
			[]string{`"config.user" stands more than once`, `config.User is written "user"`}, Config{User: "root"}},
		{"repeated object, merged", `{"config": {"User": "a"}, "Config": {"WorkingDir": "/w"}, ` + rootfs + `}`,
			[]string{`"Config" stands more than once`, `field config is written "Config"`}, Config{User: "a", WorkingDir: "/w"}},
		{"odd case alone", `{"config": {"uſer": "a"}, ` + rootfs + `}`, []string{`config.User is written "uſer"`}, Config{User: "a"}},
		{"the same label twice", `{"config": {"Labels": {"a": "1", "a": "2"}}, ` + rootfs + `}`,
			[]string{`"config.Labels.a" stands more than once`}, Config{Labels: map[string]string{"a": "2"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, problems, err := ParseConfig([]byte(tt.doc), limits.Default())
			if err != nil {
				t.Fatal(err)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("got problems %v, want %q", problems, tt.problems)
			}
			for i, p := range problems {
				if p.Kind != Ambiguous || p.Layer != -1 || !strings.Contains(p.What, tt.problems[i]) {
					t.Errorf("got %+v, want %q", p, tt.problems[i])
				}
			}
			if tt.used.DiffIDs = []string{}; !reflect.DeepEqual(got, tt.used) {
				t.Errorf("got  %+v\nwant %+v", got, tt.used)
			}
		})
	}
}

func TestParseConfigRefuses(t *testing.T) {
	tiny := limits.Default()
	tiny.ConfigBytes, tiny.Layers, tiny.JSONDepth, tiny.JSONElements = 400, 2, 4, 12
	for _, tt := range []struct{ name, doc, want string }{
		{"nothing", ``, "unexpected EOF"},
		{"no JSON", `layers`, "invalid character"},
		{"null", `null`, "has no rootfs"},
		{"empty object", `{}`, "has no rootfs"},
		{"list", `[]`, "the array at byte 1 does not belong"},
		{"null rootfs", `{"rootfs": null}`, "has no rootfs"},
		{"rootfs as a list", `{"rootfs": []}`, "rootfs is unreadable"},
		{"diff IDs as a string", `{"rootfs": {"diff_ids": "a"}}`, "rootfs is unreadable"},
		{"no digest", `{"rootfs": {"diff_ids": ["sha256:../x"]}}`, "diff ID of layer 1"},
		{"upper-case digest", `{"rootfs": {"diff_ids": ["` + strings.ToUpper(someDiffID) + `"]}}`, "diff ID of layer 1"},
		{"data behind", `{"rootfs": {"diff_ids": []}} {}`, "after top-level value"},
		{"cut short", `{"rootfs": {"diff_ids": [`, "EOF"},
		{"too large", `{"rootfs": {}}` + strings.Repeat(" ", 400), "limit of 400 bytes"},
		{"too many layers", fmt.Sprintf(`{"rootfs": {"diff_ids": [%[1]q, %[1]q, %[1]q]}}`, someDiffID), "limit of 2 layers"},
		{"too deep", `{"a": [[[[[]]]]]}`, "limit of 4 levels"},
		{"too many values", `[{},{},{},{},{},{},{},{},{},{},{},{},{}]`, "limit of 12 values"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ParseConfig([]byte(tt.doc), tiny)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
