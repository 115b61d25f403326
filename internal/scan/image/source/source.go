// Package source opens what a user names: archives, OCI layouts, engines,
// registries and directories. It promises that a Source is what a runtime would
// run: every document is verified before it is believed, every layer carries the
// digests it must have, and where two readers could see two images it refuses or
// says so.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

// Options say how a target is to be opened. Only Scanner is required.
type Options struct {
	// From forces where to look: one of Froms. Empty: told from the target.
	From string
	// Platform is "os/arch" or "os/arch/variant". Empty: the host's, as Linux, if
	// the image has it, else its only one.
	Platform string
	// Insecure lets the registry that the target names be reached over http.
	Insecure bool

	// Scanner reads the layers that pass only once, and bounds all reading.
	Scanner *image.Scanner
	// Stdin is read for the target "-".
	Stdin io.Reader

	Getenv    func(string) string // nil: os.Getenv
	Home      string              // the user's home directory; empty: os.UserHomeDir
	Host      string              // the host's platform; empty: "linux/" and the architecture of this program
	Transport http.RoundTripper   // for registries; nil: over the network
	Keychain  authn.Keychain      // for registries; nil: docker's config file and its credential helpers

	network network // for registries, below Transport; only tests set it
}

// Froms are the values of Options.From, in the order in which they are tried.
var Froms = []string{"archive", "oci", "rootfs", "docker", "podman", "registry"}

// Opened are the images of one target.
type Opened struct {
	Sources []*image.Source // at least one
	Notes   []string        // what was tried before, and why it was passed over; one line each
	files   []io.Closer
}

// Close ends access to the layers of Sources.
func (o *Opened) Close() error {
	var errs []error
	for _, f := range o.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// Open opens the images that target names: a file or directory, "-", or an image
// reference. "FILE@NAME:TAG", "FILE@sha256:..." and "FILE@N" pick one image of an
// archive or layout: by name, by manifest digest, or by its place in
// manifest.json or index.json, counted from 1.
//
// Its errors name the target. Those about which the user can do something have a
// method Hint() string.
func Open(ctx context.Context, target string, o Options) (*Opened, error) {
	op, err := newOpener(o)
	if err != nil {
		return nil, err
	}
	opened, err := op.open(ctx, target)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", target, err)
	}
	return opened, nil
}

// An opener is Options with nothing left open.
type opener struct {
	Options
	lim  limits.Limits
	want *platform // nil if the user does not say
	host platform
}

func newOpener(o Options) (*opener, error) {
	op := &opener{Options: o, lim: o.Scanner.Limits}
	if o.Getenv == nil {
		op.Getenv = os.Getenv
	}
	if o.Home == "" {
		op.Home, _ = os.UserHomeDir() // without one, nothing is looked for there
	}
	if o.Keychain == nil {
		op.Keychain = authn.DefaultKeychain
	}
	if o.Host == "" {
		o.Host = "linux/" + runtime.GOARCH
	}
	var err error
	if op.host, err = parsePlatform(o.Host); err != nil {
		return nil, err
	}
	if o.Platform != "" {
		want, err := parsePlatform(o.Platform)
		if err != nil {
			return nil, err
		}
		op.want = &want
	}
	return op, nil
}

func (op *opener) open(ctx context.Context, target string) (*Opened, error) {
	switch op.From {
	case "":
		return op.detect(ctx, target)
	case "archive", "oci":
		return op.stored(ctx, target)
	case "rootfs":
		return op.rootfs(ctx, target)
	case "docker", "podman":
		opened, err := op.engine(ctx, op.From, target)
		return opened, orEngineHint(err, op.From, target)
	case "registry":
		return op.registry(ctx, target)
	case "containerd":
		return nil, hint(errors.New("reading from containerd is not supported yet"),
			"write it to an archive first: ctr image export x.tar REF, or nerdctl save -o x.tar REF")
	}
	return nil, hint(fmt.Errorf("%q is nowhere to read images from", op.From), suggestion(op.From))
}

func suggestion(from string) string {
	if near := suggest.Nearest(from, Froms); near != "" {
		return "did you mean --from " + near + "?"
	}
	return "--from is one of " + strings.Join(Froms, ", ")
}

// detect tells from the target where to read it.
func (op *opener) detect(ctx context.Context, target string) (*Opened, error) {
	file, pick := splitPick(target)
	if file == "-" {
		return op.pipe(ctx, target, pick, op.Stdin)
	}
	if kind, here := op.splitKind(target); kind != "" && !exists(file) {
		return nil, hint(fmt.Errorf("%s in front of a target is not known", kind), "did you mean "+here+"?")
	}
	info, err := os.Stat(file)
	switch {
	case err == nil && info.IsDir() && !isLayout(file):
		return op.rootfs(ctx, target)
	case err == nil:
		return op.stored(ctx, target)
	case isPath(target):
		return nil, hint(errors.New("no such file or directory"), "check the path; an image reference has no leading / or . and no file ending")
	}
	return op.reference(ctx, target)
}

// stored opens an archive or a layout.
func (op *opener) stored(ctx context.Context, target string) (*Opened, error) {
	file, pick := splitPick(target)
	if file == "-" {
		return op.pipe(ctx, target, pick, op.Stdin)
	}
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return op.layout(ctx, target, file, pick)
	}
	return op.archive(ctx, target, file, pick)
}

// splitPick splits a target into a path and what picks one image there.
func splitPick(target string) (file, pick string) {
	for i, r := range target {
		if r != '@' {
			continue
		}
		if file := target[:i]; file == "-" || exists(file) {
			if !exists(target) {
				return file, target[i+1:]
			}
			break
		}
	}
	return target, ""
}

func exists(file string) bool {
	_, err := os.Lstat(file)
	return err == nil
}

// reference looks for an image reference in every engine, then in its registry.
func (op *opener) reference(ctx context.Context, target string) (*Opened, error) {
	var tried, hints []string
	var last error
	engines := 0
	for _, from := range []string{"docker", "podman", "registry"} {
		var opened *Opened
		if from == "registry" {
			opened, last = op.registry(ctx, target)
		} else {
			opened, last = op.engine(ctx, from, target)
		}
		if last == nil {
			opened.Notes = tried
			return opened, nil
		}
		var absent *absence
		if ctx.Err() != nil || from != "registry" && !errors.As(last, &absent) {
			return nil, last // it is there and can't be read: another copy would be another image
		}
		tried = append(tried, fmt.Sprintf("%s: %v", from, last))
		if h := hintOf(last); h != "" {
			hints = append(hints, h)
		}
		if from != "registry" && !errors.Is(last, errNoSocket) {
			engines++
		}
	}
	if engines == 0 {
		hints = append(hints, "send what an engine here holds: "+saveCommand("podman", target))
	}
	err := fmt.Errorf("it is no file, and was not found:\n  %s", strings.Join(tried, "\n  "))
	return nil, hint(err, strings.Join(hints, "; or "))
}
