// Sandbox-audit audits container images and Dockerfiles in which AI agents run
// code that nobody has read.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], process{os.Stdin, os.Stdout, os.Stderr, os.Getenv})
	stop()
	os.Exit(code)
}

// A process is what the command needs of the one it runs in.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
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
			fmt.Fprintf(proc.stderr, "sandbox-audit: internal error: %v\nhint: please report this, with the command you ran\n", v)
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

// complain prints an error, and a hint if it carries one.
func complain(w io.Writer, err error) {
	fmt.Fprintf(w, "sandbox-audit: %v\n", err)
	if h := hintOf(err); h != "" {
		fmt.Fprintf(w, "hint: %s\n", h)
	}
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

// flagError hints at the flag that was meant.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	if !errors.As(err, &missing) {
		return &hinted{err, "see sandbox-audit --help"}
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := suggest.Nearest(missing.GetSpecifiedName(), names); near != "" {
		return &hinted{err, fmt.Sprintf("did you mean --%s?", near)}
	}
	return &hinted{err, "see sandbox-audit --help"}
}
