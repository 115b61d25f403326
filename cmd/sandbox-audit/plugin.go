package main

import (
	"encoding/json"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newPluginMetadata is the command with which the docker command asks a program
// docker-NAME whether it is a plugin (docker/cli, cli-plugins/metadata).
func newPluginMetadata() *cobra.Command {
	return &cobra.Command{
		Use:    "docker-cli-plugin-metadata",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return json.NewEncoder(cmd.OutOrStdout()).Encode(struct {
				SchemaVersion, Vendor, Version, ShortDescription, URL string
			}{"0.1.0", "sandbox-audit", buildVersion(), cmd.Root().Short, homepage})
		},
	}
}

// aboutPlugin are commands of docker's that it hands on to the plugin named after them.
var aboutPlugin = []string{"help", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// arguments are those of a process without its name. The docker command starts its
// plugin NAME as docker-NAME with all of its own arguments: flags of its own, then NAME,
// or help and NAME. Both are left out; what the flags say of the engine goes into the
// environment, as docker's variables.
func arguments(argv []string, setenv func(name, value string) error) []string {
	name, isPlugin := strings.CutPrefix(strings.TrimSuffix(filepath.Base(argv[0]), ".exe"), "docker-")
	if !isPlugin {
		return argv[1:]
	}
	f := pflag.NewFlagSet("docker", pflag.ContinueOnError)
	f.SetInterspersed(false)
	f.SetOutput(io.Discard)
	dir, context, host := f.String("config", "", ""), f.StringP("context", "c", "", ""), f.StringP("host", "H", "", "")
	f.BoolP("debug", "D", false, "")
	f.StringP("log-level", "l", "", "")
	err := f.Parse(argv[1:])
	rest := f.Args()
	switch {
	case err == nil && len(rest) > 1 && slices.Contains(aboutPlugin, rest[0]) && rest[1] == name:
		return append(rest[:1:1], rest[2:]...)
	case err != nil || len(rest) == 0 || rest[0] != name:
		return argv[1:]
	}
	// Setting fails only for names that can't be, and for zero bytes, which no argument has.
	if *dir != "" {
		_ = setenv("DOCKER_CONFIG", *dir)
	}
	if *context != "" || *host != "" { // either goes before both variables
		_ = setenv("DOCKER_CONTEXT", *context)
		_ = setenv("DOCKER_HOST", *host)
	}
	return rest[1:]
}
