package source_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

const provenance1 = "https://slsa.dev/provenance/v1"

// attested is the index entry of an attestation about an image, with statements as
// BuildKit stores them.
func attested(l *layout, about doc, statements ...doc) doc {
	cfg := marshal(doc{"os": "unknown", "architecture": "unknown", "rootfs": doc{"type": "layers", "diff_ids": []string{}}})
	m := l.blob(ociManifest, doc{"schemaVersion": 2, "mediaType": ociManifest, "config": l.blob(ociConfig, cfg), "layers": statements})
	return with(on(m, "unknown/unknown"), "annotations", doc{
		"vnd.docker.reference.type": "attestation-manifest", "vnd.docker.reference.digest": about["digest"]})
}

func statement(l *layout, predicate, body string) doc {
	return with(l.blob(inToto, body), "annotations", doc{"in-toto.io/predicate-type": predicate})
}

// statements are what came with the image that is chosen, and its remarks.
func statements(t *testing.T, target string, o source.Options) string {
	t.Helper()
	src := open(t, target, o).Sources[0]
	out := fmt.Sprintf("%s", src.Statements)
	for _, p := range src.Problems {
		if p.Kind != image.Remark {
			t.Errorf("more than a remark: %s", p)
		}
		out += " " + p.What
	}
	return out
}

func TestAttestations(t *testing.T) {
	a, b := layer(t, "a"), layer(t, "b")
	tiny := limits.Default()
	tiny.ConfigBytes = 300
	for _, tt := range []struct {
		name  string
		index func(l *layout, img doc) []doc
		lim   limits.Limits
		want  string
	}{
		{"provenance", func(l *layout, img doc) []doc {
			return []doc{img, attested(l, img, statement(l, "https://spdx.dev/Document", "{}"), statement(l, provenance1, "P"))}
		}, limits.Default(), "[P]"},
		{"of another platform's image", func(l *layout, img doc) []doc {
			arm := on(l.image("linux/arm64", b), "linux/arm64")
			return []doc{arm, img, attested(l, arm, statement(l, provenance1, "P"))}
		}, limits.Default(), "[] entries of the index that are no image were not read: 1, an attestation"},
		{"two of one image: the first", func(l *layout, img doc) []doc {
			return []doc{img, attested(l, img, statement(l, provenance1, "P")), attested(l, img, statement(l, provenance1, "Q"))}
		}, limits.Default(), "[P] entries of the index that are no image were not read: 1, an attestation"},
		{"not in a partial copy", func(l *layout, img doc) []doc {
			at := attested(l, img, statement(l, provenance1, "P"))
			l.members = slices.DeleteFunc(l.members, func(m member) bool { return strings.HasSuffix(m.name, at["digest"].(string)[7:]) })
			return []doc{img, at}
		}, limits.Default(), "[] its attestation was not read: it is not there"},
		{"a statement that is not what it is named", func(l *layout, img doc) []doc {
			at := attested(l, img, statement(l, provenance1, "P"))
			for i, m := range l.members {
				if string(m.body) == "P" {
					l.members[i].body = []byte("Q")
				}
			}
			return []doc{img, at}
		}, limits.Default(), "[] its attestation was not read: reading a statement: " + digest([]byte("P")) + " is not what it is named: its content is " + digest([]byte("Q"))},
		{"a statement over the limit", func(l *layout, img doc) []doc {
			return []doc{img, attested(l, img, statement(l, provenance1, strings.Repeat("P", 301)))}
		}, tiny, "over the limit of 300 bytes of one document"},
		{"too many statements", func(l *layout, img doc) []doc {
			var all []doc
			for i := range 5 {
				all = append(all, statement(l, provenance1, fmt.Sprint(i)))
			}
			return []doc{img, attested(l, img, all...)}
		}, limits.Default(), "[] its attestation was not read: it has over 4 statements of one kind"},
		{"an index instead", func(l *layout, img doc) []doc {
			at := with(on(l.index(img), "unknown/unknown"), "annotations", attested(l, img)["annotations"])
			return []doc{img, at}
		}, limits.Default(), "[] its attestation was not read: it is an index"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newLayout()
			entries := tt.index(l, on(l.image("linux/amd64", a), "linux/amd64"))
			o := options(t)
			o.Scanner = image.NewScanner(nil, tt.lim)
			members := l.with(entries...)
			for _, target := range []string{unpack(t, members...), store(t, "x.tar", pack(t, members...))} {
				if got := statements(t, target, o); !strings.Contains(got, tt.want) {
					t.Errorf("got  %s\nwant %s", got, tt.want)
				}
			}
		})
	}
}

// From a registry nothing is asked for but what the index names.
func TestAttestationRegistry(t *testing.T) {
	var asked []string
	reg := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			asked = append(asked, r.URL.Path)
		}
		reg.ServeHTTP(w, r)
	}))
	l := newLayout()
	img := on(l.image("linux/amd64", layer(t, "a")), "linux/amd64")
	at := attested(l, img, statement(l, provenance1, "P"))
	push(t, host, l, img, at)
	if got := statements(t, host+"/x:1", online(t)); got != "[P]" {
		t.Errorf("got %s", got)
	}
	last := asked[len(asked)-2:]
	if want := []string{"/v2/x/manifests/" + at["digest"].(string), "/v2/x/blobs/" + digest([]byte("P"))}; !slices.Equal(last, want) {
		t.Errorf("asked for %s last, want %s", last, want)
	}
}

// push stores what a layout holds in a registry, and an index of entries as x:1.
func push(t *testing.T, host string, l *layout, entries ...doc) {
	t.Helper()
	put := func(path, mediaType string, body []byte) {
		method := http.MethodPut
		if strings.HasPrefix(path, "blobs/") {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(t.Context(), method, "http://"+host+"/v2/x/"+path, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", mediaType)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode >= 300 {
			t.Fatalf("%s: %s", path, resp.Status)
		}
	}
	for _, m := range l.members {
		if d := digest(m.body); strings.HasSuffix(m.name, d[7:]) {
			put("blobs/uploads/?digest="+d, "", m.body)
		}
	}
	for _, m := range l.members {
		if d := digest(m.body); strings.HasSuffix(m.name, d[7:]) && bytes.Contains(m.body, []byte(`"layers"`)) {
			put("manifests/"+d, ociManifest, m.body)
		}
	}
	index := marshal(doc{"schemaVersion": 2, "mediaType": ociIndex, "manifests": entries})
	put("manifests/1", ociIndex, index)
}
