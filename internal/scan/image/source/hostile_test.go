package source_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// drip sends a body byte by byte, without an end.
func drip(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		w.Write([]byte(" "))
		w.(http.Flusher).Flush()
		time.Sleep(10 * time.Millisecond)
	}
}

func flood(w http.ResponseWriter, r *http.Request) {
	for r.Context().Err() == nil {
		if _, err := w.Write(make([]byte, 64<<10)); err != nil {
			return
		}
	}
}

// stall sends part of a body, then nothing.
func stall(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Write(body)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
}

// cut ends the connection after part of a body.
func cut(body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)+100))
		w.Write(body)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// inTurn answers with one handler after the other, then with the first again.
func inTurn(hs ...http.HandlerFunc) http.HandlerFunc {
	var n atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) { hs[int(n.Add(1)-1)%len(hs)](w, r) }
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		w.Write([]byte(body))
	}
}

// What is asked of the good registry.
const (
	ping  = host + "/v2/"
	top   = host + "/v2/x/manifests/1"
	token = "auth.corp.example/token"
)

var blob = host + "/v2/x/blobs/" + digest(goodLayer)

// An attack is a registry that does not behave.
type attack struct {
	name    string
	answers paths  // other than those of the good registry
	want    string // part of the error, which starts "refused: ", or of the problems; empty if all is well
}

// survive tells whether reading ends, nothing is sent to who must not get it, and
// the user is told what it was.
func (a attack) survive(t *testing.T, patience time.Duration) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2"} {
		t.Run(a.name+" "+protocol, func(t *testing.T) {
			noLeaks(t)
			w := newWorld(t, protocol)
			o := w.options(t, a.answers)
			o.Scanner.Limits.StallTimeout = patience
			said, img := read(t, host+"/x:1", o)
			w.check(t, said)
			if a.want == "" && said != "" || !strings.Contains(said, a.want) {
				t.Errorf("got  %s\nwant %s", said, a.want)
			}
			if img != nil && img.Complete() != (a.want == "") {
				t.Errorf("complete: %v, though %s", img.Complete(), said)
			}
		})
	}
}

func TestRegistrySlow(t *testing.T) {
	for _, a := range []attack{
		{"R2 slow ping", paths{ping: stall(nil)}, "registry.corp.example: nothing came for 0.2 s"},
		{"R2 slow manifest", paths{top: drip}, "registry.corp.example: nothing came for 0.2 s"},
		{"R2 slow token", paths{token: drip}, "auth.corp.example: nothing came for 0.2 s"},
		{"R2 stalled blob", paths{blob: stall(goodLayer[:700])}, "reading the header of entry 1: downloading from registry.corp.example: nothing came for 0.2 s"},
	} {
		a.survive(t, 200*time.Millisecond)
	}
}

func TestRegistryHostile(t *testing.T) {
	realm := func(to string) http.HandlerFunc { return challenge(`Bearer realm="` + to + `",service="s"`) }
	for _, a := range []attack{
		{"good", nil, ""},
		{"R1 busy", paths{top: status(503, "")}, "registry.corp.example answered 503 4 times"},
		{"R1 busy blob", paths{blob: status(500, "")}, "unread: layer 1: could not be opened: registry.corp.example answered 500 4 times"},
		{"R1 busy token service", paths{token: status(429, `{"errors":[{"code":"TOOMANYREQUESTS","message":"slow\u001b"}]}`)},
			`auth.corp.example answered 429 4 times: "TOOMANYREQUESTS", "slow\x1b"`},
		{"R3 blob cut", paths{blob: cut(goodLayer[:700])}, "reading the header of entry 1: downloading from registry.corp.example: "},
		{"R3 blob cut once", paths{blob: inTurn(cut(goodLayer[:700]), manifest("", goodLayer))}, ""},
		{"R3 blob cut before its start", paths{blob: inTurn(cut(nil), manifest("", goodLayer))}, ""},
		{"R3 blob cut later each time", paths{blob: inTurn(cut(goodLayer[:10]), cut(goodLayer[:700]), cut(goodLayer[:1500]), manifest("", goodLayer))}, ""},
		{"R3 blob cut too often", paths{blob: inTurn(cut(goodLayer[:10]), cut(goodLayer[:20]), cut(goodLayer[:30]), cut(goodLayer[:40]))}, "downloading from registry.corp.example: "},
		{"R3 blob cut, then another", paths{blob: inTurn(cut(goodLayer[:700]), manifest("", strings.Repeat("x", len(goodLayer))))}, "unread: layer 1: "},
		{"R3 blob cut, then gone", paths{blob: inTurn(cut(goodLayer[:700]), status(404, ""))}, "unread: layer 1: "},
		{"R3 manifest cut", paths{top: cut(goodManifest[:9])}, "refused: opening registry.corp.example/x:1: registry.corp.example: "},
		{"R3 blob too short", paths{blob: manifest("", goodLayer[:1024])}, "unread: layer 1: "},
		{"R3 blob too long", paths{blob: manifest("", append(goodLayer[:len(goodLayer):len(goodLayer)], 0))}, "unread: layer 1: "},
		{"R3 blob without an end", paths{blob: flood}, fmt.Sprintf("longer than the %d bytes its descriptor says", len(goodLayer))},
		{"R3 wrong blob", paths{blob: manifest("", strings.Repeat("x", len(goodLayer)))}, "unread: layer 1: "},
		{"R4 manifest for ever", paths{top: redirect("https://" + top)}, "over the limit of 5 redirects"},
		{"R4 ping for ever", paths{ping: redirect("https://" + ping)}, "over the limit of 5 redirects"},
		{"R4 token for ever", paths{token: redirect("https://" + token)}, "over the limit of 5 redirects"},
		{"R4 blob for ever", paths{blob: redirect("https://" + blob)}, "unread: layer 1: could not be opened: over the limit of 5 redirects"},
		{"R5 L30 ping leads inside", paths{ping: redirect("https://metadata.example/latest")}, `registry.corp.example leads to "metadata.example", which is at the link-local address 169.254.169.254`},
		{"R5 L30 ping leads to an address", paths{ping: redirect("https://169.254.169.254/")}, `leads to "169.254.169.254"`},
		{"R5 L29 manifest leads inside", paths{top: redirect("https://inside.example/x")}, `"inside.example", which is at the private address 10.0.0.7`},
		{"R5 L29 blob leads inside", paths{blob: redirect("https://metadata6.example/x")}, `unread: layer 1: could not be opened: registry.corp.example leads to "metadata6.example"`},
		{"R5 L29 realm inside", paths{ping: realm("https://home.example/token")}, `wants the credentials for it to be sent to "home.example"`},
		{"R5 L29 token leads inside", paths{token: redirect("https://home6.example/")}, `"home6.example", which is at the loopback address ::1`},
		{"R5 L29 own domain leads inside", paths{top: redirect("https://inside.corp.example/")}, `"inside.corp.example", which is at the private`},
		{"R5 L29 mapped", paths{top: redirect("https://mapped.example/")}, "the loopback address"},
		{"R5 L29 translated", paths{top: redirect("https://translated.example/")}, "the link-local address"},
		{"R5 L29 unspecified", paths{top: redirect("https://zero.example/")}, "the unspecified address"},
		{"R5 L29 multicast", paths{top: redirect("https://group.example/")}, "the multicast address"},
		{"R5 L29 shared", paths{top: redirect("https://shared.example/")}, "the private address"},
		{"R6 L31 ping to http", paths{ping: redirect("http://" + ping)}, "would be reached over http, without encryption"},
		{"R6 manifest to http", paths{top: redirect("http://" + top)}, "over the limit of 5 redirects"},
		{"R6 blob to http", paths{blob: redirect("http://cdn.example/")}, `"cdn.example" would be reached over http, without encryption`},
		{"R6 token to http", paths{token: redirect("http://" + token)}, `scheme "http" not allowed`},
		{"R6 realm over http", paths{ping: realm("http://" + token)}, `realm scheme "http" not allowed`},
		{"R6 to a file", paths{top: redirect("file:///etc/passwd")}, "would be reached over file"},
		{"R7 manifest elsewhere", paths{top: redirect("https://evil.example/m"), "evil.example/m": manifest(ociManifest, goodManifest)}, ""},
		{"R7 blob elsewhere", paths{blob: redirect("https://cdn.example/b"), "cdn.example/b": manifest("", goodLayer)}, ""},
		{"R7 blob to another port", paths{blob: redirect("https://" + host + ":444/b"), host + ":444/b": manifest("", goodLayer)}, ""},
		{"R7 elsewhere, which wants credentials", paths{top: redirect("https://evil.example/m"), "evil.example/m": challenge("Basic")}, "401 from evil.example, where registry.corp.example leads: it wants credentials and was sent none"},
		{"R7 elsewhere, with a token of its own", paths{top: redirect("https://evil.example/m"), "evil.example/m": realm("https://evil.example/t"),
			"evil.example/t": manifest("", doc{"token": "other"})}, "401 from evil.example, where registry.corp.example leads"},
		{"R7 token elsewhere", paths{token: redirect("https://evil.example/t"), "evil.example/t": manifest("", doc{"token": "t0ken"})}, ""},
		{"R7 L32 realm elsewhere", paths{ping: realm("https://evil.example/t")},
			`registry.corp.example wants the credentials for it to be sent to "evil.example", a host of another domain`},
		{"R7 L32 realm with a name before it", paths{ping: realm("https://registry.corp.example@evil.example/t")}, `"evil.example"`},
		{"R8 401 for ever", paths{top: challenge(`Bearer realm="https://` + token + `"`)}, "401 from registry.corp.example: it refuses the credentials"},
		{"R8 no token", paths{token: manifest("", "{}")}, "auth.corp.example was asked for a token for registry.corp.example and answered without one"},
		{"R8 token of the wrong type", paths{token: manifest("", `{"token":[1]}`)}, "answered without one"},
		{"R8 huge token", paths{token: flood}, "a token of more than 1048576 bytes"},
		{"R8 token refused", paths{token: status(403, "no")}, "403 from auth.corp.example"},
		{"R8 unknown scheme", paths{ping: challenge("Negotiate")}, "401 from registry.corp.example"},
		{"R8 no realm", paths{ping: challenge(`Bearer service="s"`)}, "missing realm"},
		{"R9 endless ping", paths{ping: flood}, "401 from registry.corp.example"},
		{"R9 endless manifest", paths{top: flood}, "over the limit of 4194304 bytes"},
		{"R9 endless error", paths{top: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(418); flood(w, r) }}, "418 from registry.corp.example: I'm a teapot"},
		{"R9 L34 error text", paths{top: status(418, `{"errors":[{"code":"\u001b[31m","message":"\r\n::stop-commands::`+strings.Repeat("x", 60_000)+`"}]}`)},
			`418 from registry.corp.example: "\x1b[31m", "\r\n::stop-commands::` + strings.Repeat("x", 181) + `"`},
		{"R9 L35 compressed manifest", paths{top: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(gz(make([]byte, 1<<20)))
		}}, `answered in the encoding "gzip"`},
		{"R9 huge header", paths{top: func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 300<<10)) }}, "refused: opening registry.corp.example/x:1: registry.corp.example: "},
		{"R10 header lies", paths{top: func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Docker-Content-Digest", digest([]byte("another")))
			w.Header().Set("Content-Type", ociManifest)
			w.Write(goodManifest)
		}}, ""},
	} {
		a.survive(t, time.Minute)
	}
}
