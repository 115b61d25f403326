package source_test

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// names are what the world's name service says.
var names = map[string]string{
	"registry.corp.example": "203.0.113.1",
	"auth.corp.example":     "203.0.113.2",
	"cdn.example":           "198.51.100.1",
	"evil.example":          "198.51.100.9",
	"metadata.example":      "169.254.169.254",
	"metadata6.example":     "fd00:ec2::254",
	"inside.example":        "10.0.0.7",
	"shared.example":        "100.100.100.200",
	"home.example":          "127.0.0.1",
	"home6.example":         "::1",
	"mapped.example":        "::ffff:127.0.0.1",
	"translated.example":    "64:ff9b::a9fe:a9fe",
	"zero.example":          "0.0.0.0",
	"group.example":         "224.0.0.1",
	"inside.corp.example":   "10.0.0.7",
	"registry.home.example": "10.1.0.1",
	"auth.home.example":     "10.1.0.2",
	"loop.home.example":     "127.0.0.1",
}

const host = "registry.corp.example"

// A world is a network with names, in which every host is answered for by one
// handler. It keeps what was sent.
type world struct {
	secure, plain *httptest.Server
	roots         *x509.CertPool
	names         []string

	mu      sync.Mutex
	handler http.Handler
	asked   []string // "https host/path" of each request
	trusted []string // "https host Basic" of each authorization
	reached []netip.Addr
}

func newWorld(t testing.TB, protocol string) *world {
	t.Helper()
	w := &world{roots: x509.NewCertPool()}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for n := range names {
		w.names = append(w.names, n)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: w.names, NotAfter: time.Now().Add(24 * time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	w.roots.AddCert(cert)
	serve := http.HandlerFunc(w.serve)
	w.secure, w.plain = httptest.NewUnstartedServer(serve), httptest.NewServer(serve)
	w.secure.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	w.secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	w.secure.EnableHTTP2 = protocol == "HTTP/2"
	w.secure.StartTLS()
	t.Cleanup(w.secure.Close)
	t.Cleanup(w.plain.Close)
	return w
}

func (w *world) serve(rw http.ResponseWriter, r *http.Request) {
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	w.mu.Lock()
	w.asked = append(w.asked, scheme+" "+r.Host+r.URL.Path)
	if a := r.Header.Get("Authorization"); a != "" {
		w.trusted = append(w.trusted, scheme+" "+r.Host+" "+strings.Fields(a)[0])
	}
	handler := w.handler
	w.mu.Unlock()
	handler.ServeHTTP(rw, r)
}

// dial connects to the server behind a name, if its address may be reached.
func (w *world) dial(ctx context.Context, network, addr string, check func(netip.Addr) error) (net.Conn, error) {
	name, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	ip, err := netip.ParseAddr(cmp.Or(names[name], name))
	if err != nil {
		return nil, fmt.Errorf("no such host as %q", name)
	}
	if err := check(ip); err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	w.mu.Lock()
	w.reached = append(w.reached, ip)
	w.mu.Unlock()
	to := w.secure
	if port == "80" {
		to = w.plain
	}
	return (&net.Dialer{}).DialContext(ctx, "tcp", to.Listener.Addr().String())
}

// forget starts anew.
func (w *world) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked, w.trusted, w.reached = nil, nil, nil
}

// options are those of a user who has credentials for every registry, and
// does not wait long before asking again.
func (w *world) options(t testing.TB, h http.Handler) source.Options {
	t.Helper()
	w.mu.Lock()
	w.handler = h
	w.mu.Unlock()
	o := online(t)
	lim := limits.Default()
	lim.RetryWait = time.Millisecond
	o.Scanner = image.NewScanner(nil, lim)
	o.Keychain = keychain{&authn.Basic{Username: "u", Password: password}}
	direct := func(*http.Request) (*url.URL, error) { return nil, nil }
	return source.Over(o, w.dial, direct, w.roots)
}

// password is made up for one run.
var password = fmt.Sprintf("%x", time.Now().UnixNano())

func basicAuth() string { return "Basic " + base64.StdEncoding.EncodeToString([]byte("u:"+password)) }

// check tells what must never have happened, whatever the registry answered.
func (w *world) check(t testing.TB, said string) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, got := range w.trusted { // tokens are for the registry, passwords also for its token services
		if !slices.Contains([]string{"https " + host + " Bearer", "https " + host + " Basic",
			"https " + host + ":444 Basic", "https auth.corp.example Basic"}, got) {
			t.Errorf("sent: %s", got)
		}
	}
	for _, ip := range w.reached {
		if source.AddressKind(ip) != "" {
			t.Errorf("%s was reached", ip)
		}
	}
	for _, a := range w.asked {
		if strings.HasPrefix(a, "http ") {
			t.Errorf("asked in the clear: %s", a)
		}
	}
	if len(w.asked) > 200+8 {
		t.Errorf("%d requests", len(w.asked))
	}
	if strings.Contains(said, password) || strings.Contains(said, basicAuth()[6:]) {
		t.Errorf("a credential is told: %s", said)
	}
}

// read opens and loads an image, and returns what became of it: its problems, or
// the error.
func read(t testing.TB, target string, o source.Options) (said string, img *image.Image) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	opened, err := source.Open(ctx, target, o)
	if err != nil {
		if ctx.Err() != nil {
			t.Fatalf("no end: %v", err)
		}
		return "refused: " + err.Error(), nil
	}
	defer opened.Close()
	img, err = o.Scanner.Load(ctx, opened.Sources[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range img.Problems {
		said += fmt.Sprintf("%s: %s\n", [...]string{"unread", "ambiguous", "remark"}[p.Kind], p)
	}
	return said, img
}

// noLeaks fails the test if goroutines outlive it.
func noLeaks(t testing.TB) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 2000 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(time.Millisecond)
		}
		stacks := make([]byte, 64<<10)
		t.Errorf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
	})
}

// paths answers for "host/path", else for the good registry, else with 404.
type paths map[string]http.HandlerFunc

func (p paths) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := p[r.Host+r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	if h := good[r.Host+r.URL.Path]; h != nil {
		h(w, r)
		return
	}
	http.NotFound(w, r)
}

// good is a registry that gives tokens to those who have credentials for it.
var good = func() paths {
	p := paths{
		host + "/v2/": challenge(`Bearer realm="https://auth.corp.example/token",service="s"`),
		"auth.corp.example/token": func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != basicAuth() {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			w.Write(marshal(doc{"token": "t0ken"}))
		},
	}
	for path, h := range goodImage {
		p[host+"/v2/x/"+path] = func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer t0ken" {
				challenge(`Bearer realm="https://auth.corp.example/token",service="s"`)(w, r)
				return
			}
			h(w, r)
		}
	}
	return p
}()

// goodImage is an image of one layer, by the paths below its repository.
var goodImage, goodLayer, goodManifest = func() (answers, []byte, []byte) {
	l := newLayout()
	var tarred bytes.Buffer
	w := tar.NewWriter(&tarred)
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "a", Mode: 0o644}), w.Close()); err != nil {
		panic(err) // into memory, it can't fail
	}
	a := tarred.Bytes()
	cfg := config("linux/amd64", a)
	m := marshal(doc{"schemaVersion": 2, "mediaType": ociManifest, "config": l.blob(ociConfig, cfg), "layers": []doc{l.blob(ociLayer, a)}})
	return answers{
		"manifests/1":          manifest(ociManifest, m),
		"blobs/" + digest(cfg): manifest("", cfg),
		"blobs/" + digest(a):   manifest("", a),
	}, a, m
}()

func challenge(header string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", header)
		w.WriteHeader(http.StatusUnauthorized)
	}
}

func redirect(to string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusTemporaryRedirect) }
}
