package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every page of help fits a terminal of 80 columns, and tells of every flag.
func TestHelpFits(t *testing.T) {
	var pages func(*cobra.Command)
	pages = func(cmd *cobra.Command) {
		for _, c := range cmd.Commands() {
			if c.Name() != "completion" { // is the library's own
				pages(c)
			}
		}
		var out bytes.Buffer
		cmd.SetOut(&out)
		cmd.InitDefaultHelpFlag()
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > helpColumns {
				t.Errorf("%s --help: %q is too long", cmd.CommandPath(), line)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if n := strings.Count(out.String(), " --"+f.Name+" "); !f.Hidden && n == 0 {
				t.Errorf("%s --help: no word on --%s", cmd.CommandPath(), f.Name)
			}
		})
	}
	pages(newRoot(process{}, new(int)))
}

// Every flag of an audit is in a group, and no group names one that is gone.
func TestFlagGroups(t *testing.T) {
	var names []string
	auditFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	names = append(names, "help", "version")
	var grouped []string
	for _, g := range flagGroups {
		grouped = append(grouped, g.flags...)
	}
	slices.Sort(names)
	slices.Sort(grouped)
	if !slices.Equal(names, grouped) {
		t.Errorf("the flags are\n%v, those in groups\n%v", names, grouped)
	}
}

func TestWrapped(t *testing.T) {
	for _, tt := range []struct{ name, in, indent, want string }{
		{"short lines are joined", "a b\nc\n\nd\n", "", "a b c\n\nd\n"},
		{"what is indented stays", "a\n  b\n  c\nd", "", "a\n  b\n  c\nd\n"},
		{"lines break between words", strings.Repeat("x ", 39) + "yyy", "  ", strings.Repeat("x ", 38) + "x\n  yyy\n"},
		{"a long word stays whole", "a " + strings.Repeat("w", 90), "", "a\n" + strings.Repeat("w", 90) + "\n"},
	} {
		if got := wrapped(tt.in, tt.indent, 80); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
