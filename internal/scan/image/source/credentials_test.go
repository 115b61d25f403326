package source_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
)

// denied is a registry that wants other credentials.
func denied(t *testing.T) (host string) {
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
}

// The error names where credentials are looked for, and the hint puts them there (D61).
func TestCredentialSource(t *testing.T) {
	host := denied(t)
	for _, tt := range []struct {
		name, file, text string
		env              func(dir string) map[string]string
		want, hint       string
	}{
		{"none", "", "", nil, "no credentials for it in ~/.docker/config.json", "docker login HOST"},
		{"docker's", ".docker/config.json", `{}`, nil, "no credentials for it in ~/.docker/config.json", "docker login HOST"},
		{"docker's, elsewhere", "d/config.json", `{}`, func(dir string) map[string]string { return map[string]string{"DOCKER_CONFIG": dir + "/d"} },
			"no credentials for it in DIR/d/config.json", "docker login HOST"},
		{"a helper for all", ".docker/config.json", `{"credsStore":"desktop"}`, nil, "docker-credential-desktop, which ~/.docker/config.json names", "docker login HOST"},
		{"a helper for this one", ".docker/config.json", `{"credsStore":"desktop","credHelpers":{"HOST":"cloud"}}`, nil, "docker-credential-cloud, which", "docker login HOST"},
		{"podman's", "run/containers/auth.json", `{}`, func(dir string) map[string]string { return map[string]string{"XDG_RUNTIME_DIR": dir + "/run"} },
			"no credentials for it in DIR/run/containers/auth.json", "podman login HOST"},
		{"podman's, at home", ".config/containers/auth.json", `{}`, nil, "no credentials for it in DIR/.config/containers/auth.json", "podman login HOST"},
		{"podman's, named", "auth.json", `{}`, func(dir string) map[string]string { return map[string]string{"REGISTRY_AUTH_FILE": dir + "/auth.json"} },
			"no credentials for it in DIR/auth.json", "podman login HOST"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			fill := strings.NewReplacer("DIR", dir, "HOST", host)
			if tt.file != "" {
				file := filepath.Join(dir, tt.file)
				if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
					t.Fatal(err)
				}
				rewrite(t, filepath.Dir(file), filepath.Base(file), fill.Replace(tt.text))
			}
			env := map[string]string{}
			if tt.env != nil {
				env = tt.env(dir)
			}
			o := online(t)
			o.Getenv, o.Home, o.Keychain = func(k string) string { return env[k] }, dir, authn.NewMultiKeychain()
			hint, err := refused(t, host+"/x:1", o)
			if !strings.Contains(err.Error(), "401 from "+host) || !strings.Contains(err.Error(), fill.Replace(tt.want)) || hint != fill.Replace(tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

// brokenKeychain is one whose helper fails.
type brokenKeychain struct{}

func (brokenKeychain) Resolve(authn.Resource) (authn.Authenticator, error) {
	return nil, os.ErrPermission
}

func TestCredentialsThatCantBeRead(t *testing.T) {
	host := denied(t)
	o := online(t)
	o.Keychain = brokenKeychain{}
	hint, err := refused(t, host+"/x:1", o)
	if !strings.Contains(err.Error(), "reading credentials for "+host+" from ") || strings.Count(err.Error(), "permission denied") != 1 || !strings.Contains(hint, "login "+host) {
		t.Errorf("got %v, hint %q", err, hint)
	}
}

// What stops a registry from being reached is said once, without URLs, and with what helps.
func TestRegistryOutOfReach(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	page := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v2/" {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<html>"))
		}
	}))
	for _, tt := range []struct{ name, host, want, hint string }{
		{"nothing listens", closed, "opening HOST/x:1: HOST: dial tcp HOST: connect: connection refused", "nothing listens there: check the registry's name and port"},
		{"a web page", page, `the answer, of type "text/html", is no manifest`, "is this the address of a registry"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hint, err := refused(t, tt.host+"/x:1", online(t))
			if want := strings.ReplaceAll(tt.want, "HOST", tt.host); !strings.Contains(err.Error(), want) || strings.Count(err.Error(), "refused") > 1 || !strings.HasPrefix(hint, tt.hint) {
				t.Errorf("got %v, hint %q", err, hint)
			}
		})
	}
}

// What other tools write in front of a target is told of, with what is written here.
func TestKindInFront(t *testing.T) {
	t.Chdir(t.TempDir())
	rewrite(t, ".", "agent.tar", "x")
	for target, want := range map[string]string{
		"docker://agent:dev": "agent:dev", "docker-archive:agent.tar": "agent.tar", "oci:./layout": "./layout", "oci-layout://x": "x",
		"containers-storage:localhost/agent:dev": "--from podman localhost/agent:dev", "https://registry.example/agent:1": "--from registry registry.example/agent:1",
		"https://me:there@registry.example/agent:1": "--from registry registry.example/agent:1", "docker://agent@sha256:0": "agent@sha256:0",
		"docker-archive:other.tar@agent:dev": "other.tar@agent:dev", "https://me:the/re@registry.example/agent@sha256:0": "--from registry registry.example/agent@sha256:0",
	} {
		hint, err := refused(t, target, options(t))
		if !strings.Contains(err.Error(), "in front of a target is not known") || hint != "did you mean "+want+"?" {
			t.Errorf("%s: got %v, hint %q", target, err, hint)
		}
	}
}

// What can be the name of an image is one.
func TestNoKindInFront(t *testing.T) {
	o := options(t)
	o.Keychain, o.Transport = authn.NewMultiKeychain(), http.NewFileTransport(http.Dir(t.TempDir())) // no registry is asked
	for _, target := range []string{"registry:2", "docker:27-dind", "oci:latest", "dir:1"} {
		if _, err := refused(t, target, o); strings.Contains(err.Error(), "in front of a target") {
			t.Errorf("%s: got %v", target, err)
		}
	}
}

// A directory of archives is none of the directories that are read.
func TestDirectoryOfArchives(t *testing.T) {
	dir := t.TempDir()
	rewrite(t, dir, "agent.tar", "x")
	if hint, err := refused(t, dir, options(t)); !strings.Contains(hint, filepath.Join(dir, "*.tar")) {
		t.Errorf("got %v, hint %q", err, hint)
	}
}
