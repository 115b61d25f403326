package main

import (
	"encoding/json"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
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

// arguments are those of a process without its name. A plugin of the docker command
// is started as docker-NAME with NAME as its first argument, which is left out.
func arguments(argv []string) []string {
	name, isPlugin := strings.CutPrefix(strings.TrimSuffix(filepath.Base(argv[0]), ".exe"), "docker-")
	if isPlugin && len(argv) > 1 && argv[1] == name {
		return argv[2:]
	}
	return argv[1:]
}
