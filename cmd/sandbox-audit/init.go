package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/internal/starter"
)

const initLong = `Write a hardened sandbox to start from: a Dockerfile, a .dockerignore, a compose
file, and the Python program that the container starts.

The image has bytecode only, which root alone can read. The program takes the
session's variables out of its environment, gives root up for good and runs what
is not trusted in a child process that has none of them. The compose file leaves
it the two capabilities that this needs, and a network that leads nowhere.

No file is overwritten, unless --force is given.`

// starterImage is what the compose file names the image.
const starterImage = "agent-sandbox"

func newInit() *cobra.Command {
	o := starter.Default()
	var show, force bool
	cmd := &cobra.Command{
		Use:     "init [DIR]",
		Short:   "Write a hardened sandbox to start from",
		Long:    initLong,
		Example: "  sandbox-audit init sandbox\n  sandbox-audit init --python 3.14 --uid 20000\n  sandbox-audit init --print",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &hinted{fmt.Errorf("init takes one directory, and was given %d", len(args)), "name the one to write to, or none for this one"}
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			files, err := starter.Files(o)
			switch {
			case err != nil:
				return err
			case dir == "":
				return &hinted{errors.New("the directory has no name"), "is a variable of the script not set?"}
			case show:
				return showFiles(cmd.OutOrStdout(), files)
			}
			if err := starter.Write(dir, files, force); err != nil {
				return unwritten(dir, err)
			}
			return sayWritten(cmd.OutOrStdout(), dir, files)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.User, "user", o.User, "`NAME` of the account that runs untrusted code")
	f.IntVar(&o.UID, "uid", o.UID, "its uid and gid, a `NUMBER`")
	f.StringVar(&o.Python, "python", o.Python, "`VERSION` of Python")
	f.BoolVar(&show, "print", false, "show the files, and write none")
	f.BoolVar(&force, "force", false, "overwrite files that are there")
	return cmd
}

// showFiles prints files one after the other, each under its name.
func showFiles(w io.Writer, files []starter.File) error {
	for _, f := range files {
		if _, err := fmt.Fprintf(w, "-- %s --\n%s", f.Name, f.Body); err != nil {
			return err
		}
	}
	return nil
}

// unwritten says why nothing, or not all, was written.
func unwritten(dir string, err error) error {
	var there *starter.ExistError
	if errors.As(err, &there) {
		return &hinted{fmt.Errorf("%s has %s: nothing was written", dir, strings.Join(there.Names, ", ")), "name another directory, look with --print, or overwrite with --force"}
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// sayWritten lists what was written, and what to do next.
func sayWritten(w io.Writer, dir string, files []starter.File) error {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	enter := ""
	if dir != "." {
		enter = "cd " + shellWord(dir) + " && "
	}
	_, err := fmt.Fprintf(w, `wrote %s
src/agent.py is yours; the others are to be read before they are changed
next: %sdocker compose build && sandbox-audit %s --dockerfile Dockerfile
`, strings.Join(names, ", "), enter, starterImage)
	return err
}

// shellWord quotes a word for a shell, if it needs to be.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-", r)
	}
	if strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	if !strconv.CanBackquote(strings.ReplaceAll(s, "`", "")) {
		return strconv.Quote(s) // not for a shell any more, but fit for a terminal
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
