package source_test

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

func TestSameDomain(t *testing.T) {
	for _, tt := range []struct {
		host, registry string
		want           bool
	}{
		{"auth.docker.io", "index.docker.io", true},
		{"docker.io", "index.docker.io", true},
		{"AUTH.docker.io.", "index.docker.io", true},
		{"gitlab.com", "registry.gitlab.com", true},
		{"auth.ghcr.io", "ghcr.io", true},
		{"evil.io", "ghcr.io", false},
		{"notghcr.io", "ghcr.io", false},
		{"auth.corp.co.uk", "registry.corp.co.uk", true},
		{"evil.co.uk", "corp.co.uk", false},
		{"auth.corp.co.uk", "corp.co.uk", true},
		{"docker.io.evil.example", "index.docker.io", false},
		{"auth", "registry", false},
		{"registry", "registry", true},
		{"10.0.0.2", "10.0.0.1", false},
		{"1.0.0.1", "2.0.0.1", false},
		{"::1", "::1", true},
		{"", "registry.example", false},
		{"x..example", "registry..example", false},
	} {
		if got := source.SameDomain(tt.host, tt.registry); got != tt.want {
			t.Errorf("%s and %s: got %v", tt.host, tt.registry, got)
		}
	}
}

func TestTokenServices(t *testing.T) {
	for _, tt := range []struct {
		host, registry string
		want           bool
	}{
		{"ghcr.io", "lscr.io", true},
		{"authn.nvidia.com", "NVCR.io", true},
		{"api.scaleway.com", "rg.fr-par.scw.cloud", true},
		{"localhost", "127.0.0.1", true},
		{"ghcr.io", "notlscr.io", false},
		{"lscr.io", "ghcr.io", false},
		{"x.ghcr.io", "lscr.io", false},
		{"localhost", "registry.example", false},
	} {
		if got := source.MayHaveCredentials(tt.host, tt.registry); got != tt.want {
			t.Errorf("%s for %s: got %v", tt.host, tt.registry, got)
		}
	}
}

func TestAddressKind(t *testing.T) {
	for ip, want := range map[string]string{
		"8.8.8.8": "", "2606:4700::1": "", "172.15.0.1": "", "172.32.0.1": "", "100.128.0.1": "",
		"172.16.0.1": "private", "192.168.1.1": "private", "100.64.0.1": "private", "fd00::1": "private",
		"127.1.2.3": "loopback", "::ffff:127.0.0.1": "loopback", "64:ff9b::7f00:1": "loopback",
		"169.254.169.254": "link-local", "fe80::1%eth0": "link-local", "0.1.2.3": "unspecified", "::": "unspecified",
		"255.255.255.255": "reserved", "ff02::1": "multicast",
	} {
		if got := source.AddressKind(netip.MustParseAddr(ip)); got != want {
			t.Errorf("%s: got %q, want %q", ip, got, want)
		}
	}
}

// under is the good image under another registry, with a token service that
// wants no credentials.
func under(name, realm string) paths {
	p := paths{name + "/v2/": challenge(`Bearer realm="https://` + realm + `/token"`), realm + "/token": manifest("", doc{"token": "t"})}
	for path, h := range goodImage {
		p[name+"/v2/x/"+path] = h
	}
	return p
}

// A registry in a place that is not public works if the user names it, and may
// lead on where the user could expect it to.
func TestRegistryNamed(t *testing.T) {
	for _, tt := range []struct{ name, registry, realm, want string }{
		{"loopback", "home.example", "home.example", ""},
		{"private", "inside.example", "inside.example", ""},
		{"private, token service in its domain", "registry.home.example", "auth.home.example", ""},
		{"private, token service on loopback", "registry.home.example", "loop.home.example", "which is at the loopback address"},
		{"private, token service in another domain", "registry.home.example", "inside.example", `"inside.example", a host of another domain`},
		{"loopback by name only", "loop.home.example", "auth.home.example", "which is at the private address"},
		{"link-local", "metadata.example", "metadata.example", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noLeaks(t)
			w := newWorld(t, "HTTP/2")
			said, _ := read(t, tt.registry+"/x:1", w.options(t, under(tt.registry, tt.realm)))
			if tt.want == "" && said != "" || !strings.Contains(said, tt.want) {
				t.Errorf("got  %s\nwant %s", said, tt.want)
			}
		})
	}
}

// With the dialer that is used for real: this machine is only reached if the
// user named it.
func TestRegistryResolved(t *testing.T) {
	noLeaks(t)
	at := serve(t, goodImage)
	_, port, err := net.SplitHostPort(at)
	if err != nil {
		t.Fatal(err)
	}
	other := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://localhost:"+port+r.URL.Path, http.StatusFound)
	}))
	for _, target := range []string{at, "localhost:" + port, other} {
		if said, img := read(t, target+"/x:1", online(t)); img == nil || said != "" {
			t.Errorf("%s: %s", target, said)
		}
	}
	o := source.Over(online(t), nil, func(*http.Request) (*url.URL, error) { return nil, nil }, nil)
	o.Transport = nil
	said, _ := read(t, "registry.example.invalid/x:1", o)
	if !strings.Contains(said, "registry.example.invalid: dial tcp: lookup") {
		t.Error(said)
	}
}

func TestRegistryProxy(t *testing.T) { // R11
	noLeaks(t)
	w := newWorld(t, "HTTP/1.1")
	o := w.options(t, paths{})
	proxy := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			t.Errorf("the proxy got %s %s", r.Method, r.URL)
		}
		to, err := net.Dial("tcp", w.secure.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		defer to.Close()
		rw.WriteHeader(http.StatusOK)
		from, _, err := http.NewResponseController(rw).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer from.Close()
		go func() { _, _ = io.Copy(to, from); to.Close() }()
		_, _ = io.Copy(from, to)
	}))
	defer proxy.Close()
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword("me", password)
	o = source.Over(o, nil, http.ProxyURL(at), w.roots)
	said, img := read(t, host+"/x:1", o)
	want := fmt.Sprintf("remark: %s was reached through the proxy %s: only that proxy knows the addresses it led to\n", host, at.Host)
	if img == nil || !img.Complete() || said != want {
		t.Errorf("got  %swant %s", said, want)
	}
}

// Nobody vouches for the registry: not even --insecure makes up for that.
func TestRegistryUnknownCertificate(t *testing.T) { // R11
	for _, insecure := range []bool{false, true} {
		noLeaks(t)
		asked := false
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
		o := online(t)
		o.Insecure = insecure
		_, err := refused(t, s.Listener.Addr().String()+"/x:1", o)
		s.Close()
		if asked || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("asked: %v; %v", asked, err)
		}
	}
}

// A host that takes a connection and says nothing.
func TestRegistryMute(t *testing.T) { // R2
	noLeaks(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	o := online(t)
	lim := limits.Default()
	lim.HeaderTimeout = 100 * time.Millisecond
	o.Scanner = image.NewScanner(nil, lim)
	_, err = refused(t, l.Addr().String()+"/x:1", o)
	for _, want := range []string{"TLS handshake timeout", "timeout awaiting response headers"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestRegistryBusy(t *testing.T) { // R1
	for _, tt := range []struct {
		name   string
		status int
		after  string // Retry-After
		times  int    // before the answer is good
		wait   time.Duration
		want   string // how the error starts; empty if the answer is 404 in the end
	}{
		{"in seconds", 429, "30", 2, 60 * time.Second, ""},
		{"at once", 503, "0", 3, 0, ""},
		{"unsaid", 502, "", 3, 7 * time.Second, ""},
		{"unreadable", 500, "soon", 1, time.Second, ""},
		{"in the past", 504, "Fri, 31 Dec 1999 15:04:05 GMT", 3, 0, ""},
		{"at a date", 503, "Sat, 01 Jan 2000 00:00:20 GMT", 1, 20 * time.Second, ""},
		{"too often", 429, "10", 4, 30 * time.Second, "registry.example answered 429 (asked to wait 10 s)"},
		{"too long", 429, "120", 1, 0, "registry.example answered 429 (asked to wait 120 s)"},
		{"for ever", 429, "99999999999999999999", 1, 0, "registry.example answered 429 (asked to wait"},
		{"negative", 429, "-1", 4, 7 * time.Second, "registry.example answered 429 4 times"},
		{"not for lack of time", 501, "", 1, 0, "501 from registry.example: Not Implemented"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, asked := time.Now(), 0
				o := online(t)
				o.Transport = network(func(r *http.Request) (*http.Response, error) {
					if r.URL.Path == "/v2/" {
						return answer(r, http.StatusOK, nil), nil
					}
					if asked++; asked > tt.times {
						return answer(r, http.StatusNotFound, nil), nil
					}
					return answer(r, tt.status, http.Header{"Retry-After": {tt.after}}), nil
				})
				_, err := refused(t, "registry.example/x:1", o)
				want := tt.want
				if want == "" {
					want = "404 from registry.example"
				}
				if !strings.HasPrefix(err.Error(), "opening registry.example/x:1: "+want) {
					t.Errorf("got %v, want %s", err, want)
				}
				if waited := time.Since(start); waited != tt.wait {
					t.Errorf("waited %s, want %s", waited, tt.wait)
				}
			})
		})
	}
}

// All waiting together is bounded, not only that for one answer.
func TestRegistryAlwaysBusy(t *testing.T) { // R1
	synctest.Test(t, func(t *testing.T) {
		start, asked := time.Now(), 0
		o := online(t)
		o.Transport = network(func(r *http.Request) (*http.Response, error) {
			if asked++; asked%2 == 1 {
				return answer(r, http.StatusTooManyRequests, http.Header{"Retry-After": {"60"}}), nil
			}
			return answer(r, http.StatusFound, http.Header{"Location": {"/v2/"}}), nil
		})
		_, err := refused(t, "registry.example/x:1", o)
		if !strings.Contains(err.Error(), "answered 429") || time.Since(start) > 4*time.Minute {
			t.Errorf("after %s: %v", time.Since(start), err)
		}
	})
}

// What moves away while it is read is what was read, not what the tag says.
func TestRegistryTagMoves(t *testing.T) { // R10
	noLeaks(t)
	w := newWorld(t, "HTTP/2")
	asked := 0
	serve := under(host, host)
	serve[host+"/v2/x/manifests/1"] = func(rw http.ResponseWriter, r *http.Request) {
		if asked++; asked > 1 {
			http.NotFound(rw, r)
			return
		}
		goodImage["manifests/1"](rw, r)
	}
	o := w.options(t, serve)
	src := open(t, host+"/x:1", o).Sources[0]
	if src.Digest != digest(goodManifest) || asked != 1 {
		t.Errorf("got %s after %d requests, want %s", src.Digest, asked, digest(goodManifest))
	}
}

// An index whose images can only be told apart by reading them all.
func TestRegistryBudget(t *testing.T) { // R8
	noLeaks(t)
	var entries []doc
	serve := paths{host + "/v2/": status(200, "")}
	for i := range 150 {
		l := newLayout()
		m := l.stored(ociLayer, marshal(doc{"os": "linux", "architecture": fmt.Sprint(i), "rootfs": doc{"diff_ids": []string{}}}))
		for _, b := range l.members[1:] {
			id := strings.Replace(strings.TrimPrefix(b.name, "blobs/"), "/", ":", 1)
			serve[host+"/v2/x/blobs/"+id], serve[host+"/v2/x/manifests/"+id] = manifest("", b.body), manifest(ociManifest, b.body)
		}
		entries = append(entries, m)
	}
	serve[host+"/v2/x/manifests/1"] = manifest(ociIndex, doc{"schemaVersion": 2, "manifests": entries})
	w := newWorld(t, "HTTP/2")
	said, _ := read(t, host+"/x:1", w.options(t, serve))
	if w.check(t, said); !strings.Contains(said, "registry.corp.example did not give out the image within 200 requests") || len(w.asked) != 200 {
		t.Errorf("%d requests: %s", len(w.asked), said)
	}
}

// The addresses at which others keep a layer are not looked at.
func TestRegistryForeignLayer(t *testing.T) { // L33
	noLeaks(t)
	w := newWorld(t, "HTTP/2")
	cfg := config("linux/amd64", goodLayer)
	l := newLayout()
	foreign := with(l.blob("application/vnd.docker.image.rootfs.foreign.diff.tar.gzip", goodLayer), "urls", []string{"https://evil.example/l", "https://metadata.example/"})
	o := w.options(t, paths{
		host + "/v2/":                       status(200, ""),
		host + "/v2/x/manifests/1":          manifest(ociManifest, doc{"schemaVersion": 2, "config": l.blob(ociConfig, cfg), "layers": []doc{foreign}}),
		host + "/v2/x/blobs/" + digest(cfg): manifest("", cfg),
	})
	said, img := read(t, host+"/x:1", o)
	if w.check(t, said); !strings.Contains(said, "unread: layer 1: is not distributed with the image and was not read") || img.Complete() {
		t.Error(said)
	}
	if slices.ContainsFunc(w.asked, func(a string) bool { return !strings.HasPrefix(a, "https "+host) }) {
		t.Errorf("asked %q", w.asked)
	}
}
