package source_test

import (
	"crypto/sha256"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/image/source"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
)

// An engine holds one image, "x:1".
type engine struct {
	about  doc
	export []byte
	asked  []string // the platform of each call
}

func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/_ping" {
		return
	}
	e.asked = append(e.asked, r.URL.Query().Get("platform"))
	switch r.URL.Path {
	case "/images/x:1/json":
		w.Write(marshal(e.about))
	case "/images/x:1/get":
		w.Write(e.export)
	case "/images/json":
		w.Write([]byte(`[{"RepoTags":["localhost/agent:dev","x:1"]},{"RepoTags":null}]`))
	case "/images/broken:1/json":
		w.WriteHeader(http.StatusInternalServerError)
		w.Write([]byte(`{"message":"no \u001b disk"}`))
	default:
		http.NotFound(w, r)
	}
}

func newEngine(t testing.TB) *engine {
	t.Helper()
	return &engine{about: doc{"Id": "sha256:0", "Os": "linux", "Architecture": "amd64"}, export: pack(t, save([]string{"x:1"}, layer(t, "a"))...)}
}

// listen serves h on a socket in a directory with a short name, as sockets need.
func listen(t testing.TB, name string, h http.Handler) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "engine") //nolint:usetesting // t.TempDir is too long for a socket's address
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	s.Start()
	t.Cleanup(s.Close)
	return dir
}

// in are options with these variables and home directory.
func in(t testing.TB, env map[string]string, home string) source.Options {
	o := options(t)
	o.Getenv = func(k string) string { return env[k] }
	o.Home, o.Keychain = home, authn.NewMultiKeychain()
	return o
}

func TestEngineSockets(t *testing.T) { // D60
	for _, tt := range []struct {
		name, from, socket string
		env                func(dir string) map[string]string
	}{
		{"DOCKER_HOST", "docker", "s", func(dir string) map[string]string { return map[string]string{"DOCKER_HOST": "unix://" + dir + "/s"} }},
		{"CONTAINER_HOST", "podman", "s", func(dir string) map[string]string { return map[string]string{"CONTAINER_HOST": "unix://" + dir + "/s"} }},
		{"podman of the user", "podman", "podman/podman.sock", func(dir string) map[string]string { return map[string]string{"XDG_RUNTIME_DIR": dir} }},
		{"a docker context", "docker", "s", func(dir string) map[string]string {
			id := fmt.Sprintf("%x", sha256.Sum256([]byte("mine")))
			meta := filepath.Join(dir, "contexts/meta", id)
			if err := os.MkdirAll(meta, 0o700); err != nil {
				t.Fatal(err)
			}
			rewrite(t, dir, "config.json", `{"currentContext":"mine"}`)
			rewrite(t, meta, "meta.json", `{"Name":"mine","Endpoints":{"docker":{"Host":"unix://`+dir+`/s"}}}`)
			return map[string]string{"DOCKER_CONFIG": dir}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := listen(t, tt.socket, newEngine(t))
			o := in(t, tt.env(dir), dir)
			o.From = tt.from
			if got, want := describe(t, "x:1", o), tt.from+" linux/amd64 x:1: 0/a\n"; got != want {
				t.Errorf("got  %swant %s", got, want)
			}
		})
	}
}

func TestEngineOverTLS(t *testing.T) {
	s := httptest.NewUnstartedServer(newEngine(t))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	defer s.Close()
	certs := t.TempDir()
	rewrite(t, certs, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	env := map[string]string{"DOCKER_HOST": "tcp://" + s.Listener.Addr().String(), "DOCKER_TLS_VERIFY": "1", "DOCKER_CERT_PATH": certs}
	o := in(t, env, certs)
	o.From = "docker"
	if got, want := describe(t, "x:1", o), "docker linux/amd64 x:1: 0/a\n"; got != want {
		t.Errorf("got  %swant %s", got, want)
	}
	env["DOCKER_CERT_PATH"] = t.TempDir() // where nothing vouches for the engine
	if _, err := refused(t, "x:1", o); !strings.Contains(err.Error(), "certificate") {
		t.Error(err)
	}
}

func TestEnginePlatform(t *testing.T) {
	e := newEngine(t)
	dir := listen(t, "s", e)
	o := in(t, map[string]string{"DOCKER_HOST": "unix://" + dir + "/s"}, dir)
	o.From, o.Platform = "docker", "linux/arm64"
	if _, err := refused(t, "x:1", o); !strings.Contains(err.Error(), "has it for linux/amd64, not for linux/arm64") {
		t.Error(err)
	}
	if want := `{"architecture":"arm64","os":"linux","variant":""}`; len(e.asked) != 1 || e.asked[0] != want {
		t.Errorf("asked for %q, want %s", e.asked, want)
	}
}

func TestEngineRefused(t *testing.T) {
	e := newEngine(t)
	e.export = e.export[:700]
	dir := listen(t, "s", e)
	socket := "unix://" + dir + "/s"
	for _, tt := range []struct{ name, host, ref, want, hint string }{
		{"export cut short", socket, "x:1", "reading the image from docker at " + socket, "save the image again"},
		{"no such image", socket, "other:1", socket + " has no such image", ""},
		{"nearly that image", socket, "agnet:dev", socket + " has no such image", "docker has agent:dev; is that meant?"},
		{"another tag", socket, "agent:2026-11-30", socket + " has no such image", "docker has agent:dev; is that meant?"},
		{"engine's own trouble", socket, "broken:1", `500 from ` + socket + `: "no \x1b disk"`, ""},
		{"no socket", socket + "x", "x:1", socket + "x does not answer", ""},
		{"over ssh", "ssh://host", "x:1", "ssh:// is not supported", "docker save"},
		{"no image reference", socket, "../containers/y:1", "no image reference", "registry.example"},
		{"path in a reference", socket, "x/../y:1", "no image reference", "registry.example"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := in(t, map[string]string{"DOCKER_HOST": tt.host}, dir)
			o.From = "docker"
			if hint, err := refused(t, tt.ref, o); !strings.Contains(err.Error(), tt.want) || !strings.Contains(hint, tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

// Where the engine's image can't be vouched for, another copy is another image.
func TestReference(t *testing.T) {
	docker, podman := newEngine(t), newEngine(t)
	dirD, dirP := listen(t, "s", docker), listen(t, "s", podman)
	env := map[string]string{"DOCKER_HOST": "unix://" + dirD + "/none", "CONTAINER_HOST": "unix://" + dirP + "/s"}
	o := in(t, env, dirD)

	opened := open(t, "x:1", o)
	if opened.Sources[0].Kind != "podman" || len(opened.Notes) != 1 || !strings.HasPrefix(opened.Notes[0], "docker: unix://") {
		t.Errorf("got %s, notes %q", opened.Sources[0].Kind, opened.Notes)
	}
	env["DOCKER_HOST"] = "unix://" + dirD + "/s"
	docker.export = pack(t, file("manifest.json", "[]"))
	if _, err := refused(t, "x:1", o); !strings.Contains(err.Error(), "lists no image") {
		t.Error(err)
	}
}

func TestReferenceNowhere(t *testing.T) { // D60, D61
	host := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	o := options(t)
	o.Keychain = authn.NewMultiKeychain()
	hint, err := refused(t, host+"/x:1", o)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[1], "  docker: unix://") || !strings.HasPrefix(lines[2], "  podman: unix://") ||
		!strings.HasPrefix(lines[3], "  registry: 401 from "+host) || hint != "docker login "+host {
		t.Errorf("got %v, hint %q", err, hint)
	}
}

// An engine that hangs, breaks off or is none ends the audit soon, by its name.
func TestEngineHostile(t *testing.T) { // E2
	good := newEngine(t)
	hang := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	abort := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, tt := range []struct {
		name, path string
		answer     http.HandlerFunc
		want, hint string
	}{
		{"hangs", "/_ping", hang, "opening x:1: SOCKET does not answer: nothing came for 0.5 s", "restart the engine"},
		{"hangs when asked about the image", "/images/x:1/json", hang, "opening x:1: SOCKET does not answer: nothing came for 0.5 s", ""},
		{"hangs when asked for the image", "/images/x:1/get", hang, "opening x:1: SOCKET does not answer: nothing came for 0.5 s", ""},
		{"hangs in the image", "/images/x:1/get", stall(good.export[:600]), "downloading from SOCKET: nothing came for 0.05 s", ""},
		{"hangs in an error", "/images/x:1/get", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(500); stall([]byte("{"))(w, r) },
			"opening x:1: 500 from SOCKET: Internal Server Error", ""},
		{"breaks off", "/_ping", abort, "opening x:1: SOCKET does not answer: EOF", ""},
		{"breaks off in the image", "/images/x:1/get", cut(good.export[:600]), "downloading from SOCKET: unexpected EOF", ""},
		{"endless about the image", "/images/x:1/json", flood, "reading what SOCKET says about the image: over the limit", "--max-manifest-bytes"},
		{"is another server", "/_ping", http.NotFound, "opening x:1: SOCKET is no engine: it does not know how to answer a ping", ""},
		{"leads elsewhere", "/images/x:1/get", redirect("http://127.0.0.1:1/"), "307 from SOCKET", ""},
		{"wants another version", "/images/x:1/json", status(400, `{"message":"client version 1.24 is too old"}`), `400 from SOCKET: "client version 1.24 is too old"`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			noLeaks(t)
			dir := listen(t, "s", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == tt.path {
					tt.answer(w, r)
					return
				}
				good.ServeHTTP(w, r)
			}))
			socket := "unix://" + dir + "/s"
			o := in(t, map[string]string{"DOCKER_HOST": socket}, dir)
			o.From = "docker"
			lim := limits.Default()
			if strings.HasPrefix(tt.name, "hangs") {
				lim.HeaderTimeout, lim.StallTimeout = 500*time.Millisecond, 50*time.Millisecond
			}
			o.Scanner = image.NewScanner(nil, lim)
			if hint, err := refused(t, "x:1", o); !strings.Contains(err.Error(), strings.ReplaceAll(tt.want, "SOCKET", socket)) || !strings.Contains(hint, tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

// The export is read as it comes, and holds what an archive may hold.
func TestEngineLargeExport(t *testing.T) { // E1, E3
	noLeaks(t)
	big := pack(t, member{name: "big", body: make([]byte, 32<<20)})
	for _, export := range [][]member{
		save([]string{"x:1"}, big),
		{file("manifest.json", []doc{{"Config": "../c", "Layers": []string{"l"}}}), file("l", big)},
	} {
		e := newEngine(t)
		e.export = pack(t, export...)
		dir := listen(t, "s", e)
		o := in(t, map[string]string{"DOCKER_HOST": "unix://" + dir + "/s"}, dir)
		o.From = "docker"
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		said, img := read(t, "x:1", o)
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
			t.Errorf("%d bytes of memory for an export of %d", used, len(e.export))
		}
		if img == nil && !strings.Contains(said, `"../c" names no member of the archive`) || img != nil && !img.Complete() {
			t.Error(said)
		}
	}
}
