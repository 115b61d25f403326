package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
)

// version is set by the linker for a release.
var version string

// buildVersion is the release, or what the module cache says of it: "1.2.3" or
// "0.0.0-dev".
func buildVersion() string {
	v := version
	if info, ok := debug.ReadBuildInfo(); ok && v == "" && info.Main.Version != "(devel)" {
		v = info.Main.Version
	}
	return cmp.Or(strings.TrimPrefix(v, "v"), "0.0.0-dev")
}

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Show the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "sandbox-audit %s (%s, %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
