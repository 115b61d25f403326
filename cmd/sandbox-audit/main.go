// Sandbox-audit audits container images and Dockerfiles in which AI agents run
// code that nobody has read.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/report"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/secret"
	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, arguments(os.Args, os.Setenv), process{os.Stdin, os.Stdout, os.Stderr, os.Getenv, os.Environ, time.Now})
	}()
	os.Exit(wait(ctx, done))
}

// grace is how long an interrupted run has to end by itself. One that waits for a
// terminal, a pipe or a file system that does not answer never would.
const grace = 500 * time.Millisecond

func wait(ctx context.Context, done <-chan int) int {
	select {
	case code := <-done:
		return code
	case <-ctx.Done():
	}
	select {
	case code := <-done:
		return code
	case <-time.After(grace):
		complain(os.Stderr, errInterrupted)
		return exitIncomplete
	}
}

// errInterrupted is what is said when a signal ended the audit. Files are written whole
// or not at all.
var errInterrupted = errors.New("exit 3: interrupted before the end; no file is left half written")

// A process is what the command needs of the one it runs in.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	environ        func() []string
	now            func() time.Time
}

// The exit codes. The format of the output never changes them.
const (
	exitOK         = 0 // nothing at or over the gate
	exitFindings   = 1 // findings at or over the gate, or a required verdict that is not pass
	exitUsage      = 2 // wrong use or configuration
	exitIncomplete = 3 // a target could not be found or read in full; what was read is reported
)

// run is main without the process.
func run(ctx context.Context, args []string, proc process) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(proc.stderr, "sandbox-audit: internal error: %s\nhint: please report this, with the command you ran\n", printable(fmt.Sprint(v)))
			code = exitIncomplete
		}
	}()
	root := newRoot(proc, &code)
	root.SetArgs(args)
	root.SetIn(proc.stdin)
	root.SetOut(proc.stdout)
	root.SetErr(proc.stderr)
	if err := root.ExecuteContext(ctx); err != nil {
		complain(proc.stderr, err)
		return exitUsage
	}
	return code
}

// complain prints an error, line by line, and a hint if it carries one.
func complain(w io.Writer, err error) {
	fmt.Fprint(w, "sandbox-audit: ")
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintln(w, printable(line))
	}
	if h := hintOf(err); h != "" {
		fmt.Fprintf(w, "hint: %s\n", printable(h))
	}
}

// printable makes a line that may quote a target fit for a terminal and a log,
// without the credentials that may stand in it.
func printable(line string) string {
	return report.Clean(secret.Mask(line), 4*limits.Default().TextBytes)
}

// hintOf is what an error says the user can do.
func hintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// cause is err without the operation and the path, for messages that name them
// better.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// hinted is an error with a word on what the user may have meant.
type hinted struct {
	error
	hint string
}

func (h *hinted) Unwrap() error { return h.error }

// Hint says what the user may have meant.
func (h *hinted) Hint() string { return h.hint }

// didYouMean hints at the nearest of several words.
func didYouMean(err error, word string, options []string) error {
	if near := suggest.Nearest(word, options); near != "" {
		return &hinted{err, fmt.Sprintf("did you mean %s?", near)}
	}
	return &hinted{err, "one of " + strings.Join(options, ", ")}
}

// otherwise is how other tools call a flag, and what it is here.
var otherwise = map[string]string{
	"format": "did you mean --output?", "f": "did you mean --output?", "output-file": "did you mean --output FORMAT=FILE?",
	"severity": "did you mean --fail-on?", "exit-code": "did you mean --fail-on?", "failure-threshold": "did you mean --fail-on?",
	"no-color": "did you mean --color never?", "input": "name the file as a target", "file": "name the file as a target, or with --dockerfile",
	"username": "log in with docker login or podman login", "password": "log in with docker login or podman login",
	"ignore": "ignores stand in .sandbox-audit.yaml or in a comment", "skip": "ignores stand in .sandbox-audit.yaml or in a comment",
}

// flagError hints at the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	help := "see " + cmd.CommandPath() + " --help"
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return &hinted{err, help}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	name := missing.GetSpecifiedName()
	hasOutput := cmd.Flags().Lookup("output") != nil
	switch near := nearFlag(name, names); {
	case near != "":
		return &hinted{err, fmt.Sprintf("did you mean --%s?", near)}
	case hasOutput && slices.Contains(formats, name):
		return &hinted{err, fmt.Sprintf("did you mean --output %s?", name)}
	case hasOutput && otherwise[name] != "":
		return &hinted{err, otherwise[name]}
	}
	return &hinted{err, help}
}

// nearFlag is the flag that is spelt nearly so, or the only one that begins so.
func nearFlag(name string, names []string) string {
	if near := suggest.Nearest(name, names); near != "" && len(name) > 1 {
		return near
	}
	var begin []string
	for _, n := range names {
		if len(name) > 2 && strings.HasPrefix(n, name) {
			begin = append(begin, n)
		}
	}
	if len(begin) == 1 {
		return begin[0]
	}
	return ""
}
