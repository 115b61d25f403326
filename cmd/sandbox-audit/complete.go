package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/sandbox-audit/sandbox-audit/rules"
)

// platforms are the common ones of images. Any other can be written all the same.
var platforms = []string{"linux/amd64", "linux/arm64", "linux/arm/v7", "linux/386", "linux/ppc64le", "linux/riscv64", "linux/s390x"}

// completeRule completes the id of a rule, or its name once that is begun.
func completeRule(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var ids, names []cobra.Completion
	for _, r := range rules.All() {
		ids = append(ids, cobra.CompletionWithDesc(r.ID, r.Name))
		names = append(names, cobra.CompletionWithDesc(r.Name, r.ID))
	}
	if begun != "" && !strings.HasPrefix(begun, "S") {
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeFlags lets a shell complete the values of those flags of an audit that a
// command has. Its reports are told in formats.
func completeFlags(cmd *cobra.Command, formats []string) {
	one := func(words ...string) cobra.CompletionFunc {
		return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
	}
	folder := cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	for flag, complete := range map[string]cobra.CompletionFunc{
		"output": completeOutput(formats), "require": completeList(steps()),
		"from": one(sources...), "fail-on": one(levels...), "color": one(whenToColour...), "platform": one(platforms...),
		"isolation": one(slices.Sorted(maps.Keys(tiers))...),
		"target":    one(), "sandbox": one(), "build-arg": one(), "session-var": one(), "sandbox-user": one(), "forbid": one(),
		"context": folder, "cache-dir": folder,
	} {
		if cmd.Flags().Lookup(flag) != nil {
			_ = cmd.RegisterFlagCompletionFunc(flag, complete) // the flag is there
		}
	}
}

// completeOutput completes a format, and after its equals sign the name of a file.
func completeOutput(formats []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if strings.Contains(begun, "=") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		return formats, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeList completes the last of several words with commas between them by one
// that is not yet among them.
func completeList(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		before := begun[:strings.LastIndex(begun, ",")+1]
		given := strings.Split(before, ",")
		var out []cobra.Completion
		for _, word := range words {
			if !slices.Contains(given, word) {
				out = append(out, before+word)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
