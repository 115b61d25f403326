package source

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// explain puts what went wrong with a registry in words. Of an URL only the host
// is told: the rest may be a key to it.
func (rep *repository) explain(ctx context.Context, err error) error {
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return hint(fmt.Errorf("%s: %w", failedHost(err), untrusted), "if its certificates are your own, name your authority's in SSL_CERT_FILE")
	}
	var answer *transport.Error
	if errors.As(err, &answer) {
		return rep.explainAnswer(ctx, answer)
	}
	failed, ok := err.(*url.Error) //nolint:errorlint // inside another error, it is one of several
	if !ok {
		return err
	}
	var own *hinted
	if errors.As(err, &own) {
		return own // without how it came through the network stack
	}
	return fmt.Errorf("%s: %w", failedHost(err), failed.Err)
}

// failedHost is the host that a failed request went to.
func failedHost(err error) string {
	var failed *url.Error
	if errors.As(err, &failed) {
		if u, err := url.Parse(failed.URL); err == nil {
			return u.Host
		}
	}
	return "the registry"
}

func (rep *repository) explainAnswer(ctx context.Context, answer *transport.Error) error {
	registry := rep.ref.Context().RegistryStr()
	host := registry
	if r := answer.Request; r != nil && r.URL.Host != registry {
		host = fmt.Sprintf("%s, where %s leads", r.URL.Host, registry)
	} else if host == name.DefaultRegistry {
		host = "docker.io"
	}
	says := func(what string) error { return fmt.Errorf("%d from %s: %s", answer.StatusCode, host, what) }
	switch answer.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		if r := answer.Request; r != nil && !mayHaveCredentials(r.URL.Hostname(), rep.guard.registry.Hostname()) {
			return hint(says("it wants credentials and was sent none, as it is of another domain"), saveHint)
		}
		if rep.anonymous(ctx) {
			return hint(says("no credentials for it in "+rep.op.credentialsFile()), loginTo(registry))
		}
		return hint(says("it refuses the credentials in "+rep.op.credentialsFile()), loginTo(registry))
	case http.StatusNotFound:
		return hint(says("it has no such image"), "check the name and the tag")
	}
	if len(answer.Errors) > 0 {
		return says(quoteAnswer(string(answer.Errors[0].Code), answer.Errors[0].Message))
	}
	return says(http.StatusText(answer.StatusCode))
}

// loginTo is the command that stores credentials for a registry.
func loginTo(registry string) string {
	if registry == name.DefaultRegistry {
		return "docker login"
	}
	return "docker login " + registry
}

func (rep *repository) anonymous(ctx context.Context) bool {
	auth, err := authn.Resolve(ctx, rep.op.Keychain, rep.ref.Context())
	return err == nil && auth == authn.Anonymous
}

// credentialsFile names docker's config file for messages.
func (op *opener) credentialsFile() string {
	if dir := op.Getenv("DOCKER_CONFIG"); dir != "" {
		return filepath.Join(dir, "config.json")
	}
	return "~/.docker/config.json"
}
