package source

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"

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
		if _, why := authn.Resolve(ctx, rep.op.Keychain, rep.ref.Context()); why != nil {
			return rep.noCredentials(why)
		}
		return orNetworkHint(withoutURLs(err))
	}
	var own *hinted
	if errors.As(err, &own) {
		return own // without how it came through the network stack
	}
	return orNetworkHint(fmt.Errorf("%s: %w", failedHost(err), failed.Err))
}

// requested is how the network stack begins the error of a request.
var requested = regexp.MustCompile(`(?:Get|Head|Post) "(https?)://[^"]*": `)

// A shortened error is another one in fewer words.
type shortened struct {
	error
	text string
}

func (s *shortened) Error() string { return s.text }
func (s *shortened) Unwrap() error { return s.error }

// withoutURLs is err without the URLs that were asked for, and with what several
// requests have in common said once.
func withoutURLs(err error) error {
	text := err.Error()
	if !requested.MatchString(text) {
		return err
	}
	var causes []string
	for _, part := range strings.Split(text, "; ") {
		if cause := requested.ReplaceAllString(part, ""); !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	return &shortened{err, failedHost(err) + ": " + strings.Join(causes, "; ")}
}

// orNetworkHint says what helps against the common troubles of networks.
func orNetworkHint(err error) error {
	var dns *net.DNSError
	var timeout net.Error
	switch text := err.Error(); {
	case hintOf(err) != "":
		return err
	case strings.Contains(text, "proxyconnect"):
		return hint(err, "the proxy is that of HTTPS_PROXY; NO_PROXY names what is to be reached without it")
	case strings.Contains(text, "server gave HTTP response to HTTPS client"):
		return hint(err, "--insecure lets it be reached by plain HTTP")
	case errors.As(err, &dns):
		return hint(err, "check the registry's name, and that there is a network")
	case errors.Is(err, syscall.ECONNREFUSED):
		return hint(err, "nothing listens there: check the registry's name and port")
	case errors.As(err, &timeout) && timeout.Timeout():
		return hint(err, "try again later, or give an archive: docker save -o image.tar REF")
	}
	return err
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
		from := rep.credentials()
		if rep.anonymous(ctx) {
			return hint(says("no credentials for it in "+from.String()), from.login(registry))
		}
		return hint(says("it refuses the credentials in "+from.String()), from.login(registry))
	case http.StatusNotFound:
		return hint(says("it has no such image"), "check the name and the tag")
	}
	if len(answer.Errors) > 0 {
		return says(quoteAnswer(string(answer.Errors[0].Code), answer.Errors[0].Message))
	}
	return says(http.StatusText(answer.StatusCode))
}

func (rep *repository) anonymous(ctx context.Context) bool {
	auth, err := authn.Resolve(ctx, rep.op.Keychain, rep.ref.Context())
	return err == nil && auth == authn.Anonymous
}
