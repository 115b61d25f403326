package source_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// A script is a registry, and everything it leads to, that answers each request
// as its next bytes say; at its end it answers well.
type script struct {
	mu   sync.Mutex
	left []byte
}

func (s *script) next() int {
	if len(s.left) == 0 {
		return 0
	}
	b := s.left[0]
	s.left = s.left[1:]
	return int(b)
}

// line takes bytes up to a line feed.
func (s *script) line() string {
	line, rest, _ := strings.Cut(string(s.left), "\n")
	s.left = []byte(rest)
	return line
}

// hosts are where a script may lead.
var hosts = []string{host, "auth.corp.example", "cdn.example", "evil.example", "metadata.example", "inside.example", "home.example",
	"home6.example", "mapped.example", "zero.example", "inside.corp.example", "127.0.0.1", "[::1]", "169.254.169.254", "none.example", host + ":444", "u:p@evil.example"}

func (s *script) url() string {
	scheme := []string{"https", "https", "https", "http", "file"}[s.next()%5]
	path := []string{"/v2/", "/token", "/v2/x/manifests/1", "/v2/x/blobs/" + digest(goodLayer), "/"}[s.next()%5]
	return scheme + "://" + hosts[s.next()%len(hosts)] + path
}

func (s *script) answer() http.HandlerFunc {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch s.next() % 14 {
	case 1:
		return challenge(`Bearer realm="` + s.url() + `",service="s",scope="x"`)
	case 2:
		return challenge(`Basic realm="x"`)
	case 3:
		return challenge(s.line())
	case 4:
		return redirect(s.url())
	case 5:
		after, code := fmt.Sprint(s.next()%3), []int{429, 500, 502, 503, 504, 404, 403, 418}[s.next()%8]
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			w.WriteHeader(code)
		}
	case 6:
		return cut(goodManifest[:s.next()%len(goodManifest)])
	case 7:
		return manifest(ociManifest, s.line())
	case 8:
		return func(w http.ResponseWriter, _ *http.Request) { w.Write(make([]byte, 100<<10)) }
	case 9:
		return manifest("application/json", doc{"token": s.line()})
	case 10:
		return stall(goodManifest[:9])
	case 11:
		return manifest(ociManifest, goodManifest)
	case 12:
		return manifest("", goodLayer)
	}
	return paths{}.ServeHTTP
}

func (s *script) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.answer()(w, r) }

// Whatever is answered, reading an image ends within its budgets, nobody but the
// registry and its token service gets credentials, and nothing inside is reached.
func FuzzRegistry(f *testing.F) {
	for _, s := range []string{
		"", "\x01\x00\x01\x01", "\x01\x00\x01\x03", "\x02", "\x03Bearer realm=x\n", "\x04\x00\x00\x00\x04\x00\x00\x00",
		"\x04\x00\x04\x04", "\x04\x03\x00\x00", "\x00\x00\x04\x00\x02\x02\x0b", "\x00\x00\x00\x00\x04\x00\x03\x02\x0c",
		"\x05\x00\x00\x05\x01\x03", "\x06\x09", "\x00\x07{}\n", "\x08", "\x00\x09t\n", "\x0a", "\x00\x00\x00\x00\x0a", "\x00\x04\x00\x01\x03\x09t\n", "\x01\x00\x00\x0f",
	} {
		f.Add([]byte(s))
	}
	w := newWorld(f, "HTTP/1.1")
	f.Fuzz(func(t *testing.T, b []byte) {
		noLeaks(t)
		w.forget()
		o := w.options(t, &script{left: b})
		lim := limits.Default()
		lim.HeaderTimeout, lim.StallTimeout, lim.RetryWait, lim.Retries = time.Second, 20*time.Millisecond, time.Millisecond, 3
		lim.ManifestBytes, lim.ConfigBytes = 64<<10, 64<<10
		o.Scanner = image.NewScanner(nil, lim)
		said, img := read(t, host+"/x:1", o)
		w.check(t, said)
		if img != nil && img.Complete() && img.Layers[0].DiffID != digest(goodLayer) {
			t.Errorf("read another layer: %s", img.Layers[0].DiffID)
		}
	})
}

// Whatever a challenge says, credentials only go to the registry's own domain.
func FuzzChallenge(f *testing.F) {
	for _, s := range []string{
		"", "Basic", "Bearer", `Basic realm="x"`, `Bearer realm="https://registry.corp.example/token",service="s"`,
		`Bearer realm="https://auth.corp.example/token"`, `bearer realm=https://evil.example/t,scope="a b"`,
		`Negotiate, Bearer realm="https://evil.example\@auth.corp.example/"`, `Bearer realm="//evil.example"`,
		`Bearer realm="http://auth.corp.example/token"`, `Bearer realm="https://corp.example.evil.example/%2e%2e/"`,
		`Bearer realm="https://registry.corp.example:444/v2/x/manifests/1"`, `Bearer realm=":",Basic realm=""`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		o := online(t)
		o.Keychain = keychain{&authn.Basic{Username: "u", Password: password}}
		asked := 0
		o.Transport = network(func(r *http.Request) (*http.Response, error) {
			asked++
			h := strings.ToLower(strings.TrimSuffix(r.URL.Hostname(), "."))
			if r.Header.Get("Authorization") != "" && (r.URL.Scheme != "https" || h != "corp.example" && !strings.HasSuffix(h, ".corp.example")) {
				t.Errorf("%s got credentials after %q", r.URL.Host, header)
			}
			switch r.URL.Path {
			case "/v2/", "/v2/x/manifests/1":
				return answer(r, http.StatusUnauthorized, http.Header{"Www-Authenticate": {header}}), nil
			}
			resp := answer(r, http.StatusOK, nil)
			resp.Body = io.NopCloser(strings.NewReader(`{"token":"t"}`))
			return resp, nil
		})
		said, _ := read(t, host+"/x:1", o)
		if asked > 10 || strings.Contains(said, password) {
			t.Errorf("%d requests: %s", asked, said)
		}
	})
}
