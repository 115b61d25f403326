package source_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// serve starts a server and returns its host and port.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// online are options for a registry that needs no credentials.
func online(t testing.TB) source.Options {
	o := options(t)
	o.From, o.Keychain = "registry", authn.NewMultiKeychain()
	return o
}

func TestRegistry(t *testing.T) {
	host := serve(t, registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	amd, err := random.Image(200, 2)
	if err != nil {
		t.Fatal(err)
	}
	arm, err := mutate.ConfigFile(amd, &v1.ConfigFile{OS: "linux", Architecture: "arm64", RootFS: rootFS(t, amd)})
	if err != nil {
		t.Fatal(err)
	}
	amd, err = mutate.ConfigFile(amd, &v1.ConfigFile{OS: "linux", Architecture: "amd64", RootFS: rootFS(t, amd)})
	if err != nil {
		t.Fatal(err)
	}
	index := mutate.AppendManifests(empty.Index,
		mutate.IndexAddendum{Add: arm, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "arm64"}}},
		mutate.IndexAddendum{Add: amd, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}})
	for ref, push := range map[string]func(name.Reference) error{
		"one:1":  func(r name.Reference) error { return remote.Write(r, amd) },
		"many:1": func(r name.Reference) error { return remote.WriteIndex(r, index) },
	} {
		r, err := name.ParseReference(host + "/" + ref)
		if err != nil {
			t.Fatal(err)
		}
		if err := push(r); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		ref, platform string
		want          v1.Image
	}{{"one:1", "", amd}, {"many:1", "", amd}, {"many:1", "linux/arm64", arm}} {
		o := online(t)
		o.Platform = tt.platform
		src := open(t, host+"/"+tt.ref, o).Sources[0]
		want, err := tt.want.Digest()
		if err != nil {
			t.Fatal(err)
		}
		img, err := o.Scanner.Load(t.Context(), src)
		if err != nil {
			t.Fatal(err)
		}
		if src.Kind != "registry" || src.Digest != want.String() || len(img.Layers) != 2 || len(img.Problems) > 0 || len(img.Layers[1].Files) != 1 {
			t.Errorf("%s: got %+v, problems %v", tt.ref, src, img.Problems)
		}
	}
	if hint, err := refused(t, host+"/none:1", online(t)); !strings.Contains(err.Error(), "404 from "+host) || hint == "" {
		t.Errorf("got %v, hint %q", err, hint)
	}
}

func rootFS(t *testing.T, img v1.Image) v1.RootFS {
	t.Helper()
	c, err := img.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return c.RootFS
}

// answers is a registry of one repository, "x", that serves what it is told to.
type answers map[string]http.HandlerFunc

func (a answers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h := a[strings.TrimPrefix(r.URL.Path, "/v2/x/")]; h != nil {
		h(w, r)
		return
	}
	if r.URL.Path != "/v2/" {
		http.NotFound(w, r)
	}
}

// manifest answers with a document of a type.
func manifest(mediaType string, body any) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", mediaType)
		w.Write(marshal(body))
	}
}

func TestRegistryRefused(t *testing.T) {
	l := newLayout()
	a := layer(t, "a")
	cfg := l.blob(ociConfig, config("linux/amd64", a))
	blob := func(size any) doc {
		return doc{"schemaVersion": 2, "config": with(cfg, "size", size), "layers": []doc{l.blob(ociLayer, a)}}
	}
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		want   string
	}{
		{"a web page (M5)", manifest("text/html", "<html>"), `of type "text/html", is no manifest`},
		{"JSON of another kind (M5)", manifest("application/x", blob(1)), `an artifact of type "application/x"`},
		{"manifest called an index", manifest(ociIndex, blob(1)), "is not that of its content"},
		{"manifest and index at once (M4)", manifest(ociManifest, doc{"config": cfg, "layers": []doc{}, "manifests": []doc{}}), "at once"},
		{"schema 1 (M6)", manifest("application/vnd.docker.distribution.manifest.v1+prettyjws", doc{"schemaVersion": 1}), "schema 1"},
		{"too large (M1)", manifest(ociManifest, strings.Repeat(" ", 5<<20)), "over the limit of 4194304 bytes"},
		{"too many values (M2)", manifest(ociManifest, `{"layers":[`+strings.Repeat("{},", 200_000)+`{}]}`), "limit of 200000 values"},
		{"config without an end", manifest(ociManifest, blob(-1)), "has the size -1"},
		{"huge config", manifest(ociManifest, blob(1<<30)), "over the limit of 8388608 bytes"},
		{"config missing", manifest(ociManifest, blob(len(config("linux/amd64", a)))), "404 from "},
		{"server error", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			w.Write([]byte(`{"errors":[{"code":"\u001b[31m","message":"::stop-commands::x"}]}`))
		}, `418 from HOST: "\x1b[31m", "::stop-commands::x"`},
		{"redirected for ever", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "limit of 5 redirects"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			host := serve(t, answers{"manifests/1": tt.answer})
			if _, err := refused(t, host+"/x:1", online(t)); !strings.Contains(err.Error(), strings.Replace(tt.want, "HOST", host, 1)) {
				t.Errorf("got %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestRegistryConfig(t *testing.T) {
	a := layer(t, "a")
	cfg := config("linux/amd64", a)
	l := newLayout()
	m := doc{"config": l.blob(ociConfig, cfg), "layers": []doc{l.blob(ociLayer, a),
		{"mediaType": "application/vnd.oci.image.layer.nondistributable.v1.tar", "digest": digest(a), "size": len(a), "urls": []string{"http://127.0.0.1:1/"}}}}
	both := config("linux/amd64", a, a)
	m["config"] = l.blob(ociConfig, both)
	host := serve(t, answers{
		"manifests/1":           manifest("application/json; charset=utf-8", with(m, "mediaType", ociManifest)),
		"blobs/" + digest(both): manifest("", both),
		"blobs/" + digest(a):    manifest("", layer(t, "evil")),
	})
	got := describe(t, host+"/x:1", online(t))
	if !strings.Contains(got, "unread: layer 2: is not distributed with the image") || !strings.Contains(got, "unread: layer 1: could not be read to its end") {
		t.Error(got)
	}
}

func TestRegistryEndlessAnswers(t *testing.T) {
	endless := func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	}
	host := serve(t, http.HandlerFunc(endless))
	lim := limits.Default()
	lim.ManifestBytes = 1 << 20
	o := online(t)
	o.Scanner = image.NewScanner(nil, lim)
	if _, err := refused(t, host+"/x:1", o); !strings.Contains(err.Error(), "over the limit of 1048576 bytes") {
		t.Error(err)
	}
}

// keychain gives every registry the same answer.
type keychain struct{ authn.Authenticator }

func (k keychain) Resolve(authn.Resource) (authn.Authenticator, error) { return k.Authenticator, nil }

func TestRegistryCredentials(t *testing.T) { // D61
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	o := online(t)
	hint, err := refused(t, host+"/x:1", o)
	if want := fmt.Sprintf("opening %[1]s/x:1: 401 from %[1]s: no credentials for it in ~/.docker/config.json", host); err.Error() != want || hint != "docker login "+host {
		t.Errorf("got %v, hint %q", err, hint)
	}
	password := strings.Repeat("p", 20)
	o.Keychain = keychain{&authn.Basic{Username: "u", Password: password}}
	_, err = refused(t, host+"/x:1", o)
	if !strings.Contains(err.Error(), "it refuses the credentials") || strings.Contains(err.Error(), password) {
		t.Error(err)
	}
}

// network answers for every host, without a connection.
type network func(*http.Request) (*http.Response, error)

func (n network) RoundTrip(r *http.Request) (*http.Response, error) { return n(r) }

func answer(r *http.Request, status int, header http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("")), Request: r, ProtoMajor: 1, ProtoMinor: 1}
}

func TestRegistryEncryption(t *testing.T) {
	for _, tt := range []struct {
		name, target string
		insecure     bool
		from, to     string // a path, and the host it is redirected to, over http
		plain        bool   // something was sent in the clear
	}{
		{"ping to http", "registry.example/x:1", false, "/v2/", "registry.example", false},
		{"manifest to http", "registry.example/x:1", false, "/v2/x/manifests/1", "cdn.example", false},
		{"ping to http, allowed for the registry", "registry.example/x:1", true, "/v2/", "registry.example", true},
		{"manifest to http, allowed for another host", "registry.example/x:1", true, "/v2/x/manifests/1", "cdn.example", false},
		{"manifest to http on this machine", "registry.example/x:1", false, "/v2/x/manifests/1", "localhost", false},
		{"this machine", "127.0.0.1:5000/x:1", false, "", "", true},
		{"this machine, from https", "127.0.0.1:5000/x:1", false, "/v2/x/manifests/1", "localhost:5000", false},
		{"private network", "10.0.0.1:5000/x:1", false, "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := online(t)
			o.Insecure = tt.insecure
			plain := false
			o.Transport = network(func(r *http.Request) (*http.Response, error) {
				plain = plain || r.URL.Scheme == "http"
				switch {
				case r.URL.Scheme == "https" && tt.from == r.URL.Path:
					return answer(r, http.StatusFound, http.Header{"Location": {"http://" + tt.to + r.URL.Path}}), nil
				case r.URL.Scheme == "https" && tt.from == "":
					return nil, errors.New("no https here")
				case r.URL.Path == "/v2/":
					return answer(r, http.StatusOK, nil), nil
				}
				return answer(r, http.StatusNotFound, nil), nil
			})
			_, err := refused(t, tt.target, o)
			if plain != tt.plain {
				t.Errorf("sent in the clear: %v; %v", plain, err)
			}
			if !tt.plain && !strings.Contains(err.Error(), "without encryption") {
				t.Error(err)
			}
		})
	}
}

func TestRegistryAcceptsNoCompression(t *testing.T) {
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if e := r.Header.Get("Accept-Encoding"); e != "" {
			t.Errorf("asked for %s", e)
		}
		http.NotFound(w, r)
	}))
	refused(t, host+"/x:1", online(t))
}

func TestRegistryUnreachable(t *testing.T) {
	o := online(t)
	o.Transport = network(func(r *http.Request) (*http.Response, error) {
		return nil, &url.Error{Op: "dial", URL: r.URL.Host, Err: errors.New("no route to host")}
	})
	if _, err := refused(t, "registry.example/x:1", o); !strings.Contains(err.Error(), "no route to host") {
		t.Error(err)
	}
}
