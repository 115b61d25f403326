package scan

import (
	"fmt"
	"testing"
)

func TestArgsOf(t *testing.T) {
	for createdBy, want := range map[string]string{
		"RUN |1 NPM_TOKEN=abc /bin/sh -c npm ci # buildkit":           "[[NPM_TOKEN abc]]",
		"RUN |2 T= TOK=abc /bin/bash -o pipefail -c x=1 y # buildkit": "[[T ] [TOK abc]]",
		"|2 A=one two B=three /bin/sh -c C=4 make":                    "[[A one two] [B three]]",
		"|0 /bin/sh -c make":         "[]",
		"ARG NPM_TOKEN=a=b":          "[[NPM_TOKEN a=b]]",
		"/bin/sh -c #(nop)  ARG V=1": "[[V 1]]",
		"ARG NPM_TOKEN":              "[]",
		"RUN /bin/sh -c apk add libcrypto3=3.1.4-r1 # buildkit": "[]",
		"RUN |x A=b /bin/sh": "[]",
		"RUN |9 A=b":         "[[A b]]",
		"":                   "[]",
		"|":                  "[]",
		"COPY |1 A=b /x":     "[]",
	} {
		if got := fmt.Sprint(argsOf(createdBy)); got != want {
			t.Errorf("%q: got %s, want %s", createdBy, got, want)
		}
	}
}

func TestInstruction(t *testing.T) {
	for createdBy, want := range map[string]string{
		"ENV A=1 B=2":                         "ENV|A=1 B=2",
		"/bin/sh -c #(nop)  USER app":         "USER|app",
		"COPY a b # buildkit":                 "COPY|a b",
		"CMD [\"x\"]":                         `CMD|["x"]`,
		"# debian.sh --arch 'amd64' out/ 'x'": "#|debian.sh --arch 'amd64' out/ 'x'",
		"":                                    "|",
	} {
		cmd, args := instruction(createdBy)
		if got := cmd + "|" + args; got != want {
			t.Errorf("%q: got %s, want %s", createdBy, got, want)
		}
	}
}
