package source

import (
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// connect finds the socket of an engine, in the places where its own client
// would look.
func (op *opener) connect(from string) (*engine, error) {
	if from == "podman" {
		if host := op.Getenv("CONTAINER_HOST"); host != "" {
			return op.newEngine(host, "")
		}
		return op.firstSocket(op.podmanSockets())
	}
	if host := op.Getenv("DOCKER_HOST"); host != "" {
		return op.newEngine(host, op.dockerCerts())
	}
	if host, certs, err := op.dockerContext(); err != nil {
		return nil, err
	} else if host != "" {
		return op.newEngine(host, certs)
	}
	return op.firstSocket(op.dockerSockets())
}

func (op *opener) podmanSockets() []string {
	var paths []string
	if dir := op.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		paths = append(paths, filepath.Join(dir, "podman/podman.sock"))
	}
	return append(paths,
		fmt.Sprintf("/run/user/%d/podman/podman.sock", os.Getuid()),
		"/run/podman/podman.sock",
		filepath.Join(op.Home, ".local/share/containers/podman/machine/podman.sock"))
}

func (op *opener) dockerSockets() []string {
	paths := []string{"/var/run/docker.sock"}
	if dir := op.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		paths = append(paths, filepath.Join(dir, "docker.sock"))
	}
	return append(paths, filepath.Join(op.Home, ".docker/run/docker.sock"))
}

var errNoSocket = errors.New("no socket")

func (op *opener) firstSocket(paths []string) (*engine, error) {
	for _, p := range paths {
		if exists(p) {
			return op.newEngine("unix://"+p, "")
		}
	}
	return nil, fmt.Errorf("%w at %s", errNoSocket, strings.Join(paths, ", "))
}

// dockerDir is where docker's client keeps its files.
func (op *opener) dockerDir() string {
	if dir := op.Getenv("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	return filepath.Join(op.Home, ".docker")
}

// dockerCerts is the directory of the client's certificates for DOCKER_HOST;
// empty if the engine is to be reached without TLS.
func (op *opener) dockerCerts() string {
	if dir := op.Getenv("DOCKER_CERT_PATH"); dir != "" {
		return dir
	}
	if op.Getenv("DOCKER_TLS_VERIFY") != "" {
		return op.dockerDir()
	}
	return ""
}

// dockerContext returns the address of the context that docker's client uses,
// and its certificates; empty if that is the default one.
func (op *opener) dockerContext() (host, certs string, err error) {
	name := op.Getenv("DOCKER_CONTEXT")
	if name == "" {
		var config struct{ CurrentContext string }
		if err := op.readJSON(filepath.Join(op.dockerDir(), "config.json"), &config); err != nil {
			if errors.Is(err, os.ErrNotExist) {
				return "", "", nil
			}
			return "", "", err
		}
		name = config.CurrentContext
	}
	if name == "" || name == "default" {
		return "", "", nil
	}
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
	var meta struct {
		Endpoints map[string]struct{ Host string }
	}
	if err := op.readJSON(filepath.Join(op.dockerDir(), "contexts/meta", id, "meta.json"), &meta); err != nil {
		return "", "", fmt.Errorf("reading docker's context %q: %w", name, err)
	}
	certs = filepath.Join(op.dockerDir(), "contexts/tls", id, "docker")
	if !exists(certs) {
		certs = ""
	}
	return meta.Endpoints["docker"].Host, certs, nil
}

func (op *opener) readJSON(file string, v any) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return plain(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("%s is unreadable", file) // the cause could quote a credential
	}
	return nil
}

// tlsConfig reads ca.pem, cert.pem and key.pem, each optional, from dir, which may
// be empty.
func tlsConfig(dir string) (*tls.Config, error) {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if dir == "" {
		return cfg, nil
	}
	ca, err := os.ReadFile(filepath.Join(dir, "ca.pem"))
	if err == nil {
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(ca) {
			return nil, fmt.Errorf("%s holds no certificate", filepath.Join(dir, "ca.pem"))
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, plain(err)
	}
	cert, key := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if !exists(cert) && !exists(key) {
		return cfg, nil
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("reading the client certificate in %s: %w", dir, err)
	}
	cfg.Certificates = []tls.Certificate{pair}
	return cfg, nil
}
