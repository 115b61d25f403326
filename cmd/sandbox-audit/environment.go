package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/suggest"
)

const (
	// variables is what the environment's names for flags start with.
	variables = "SANDBOX_AUDIT_"
	// keyVariable holds the key under which secrets get identities.
	keyVariable = variables + "KEY"
	// pipelineVariable is one that pipelines keep the version in that they install; it is
	// never looked at.
	pipelineVariable = variables + "VERSION"
)

// fromEnvironment sets flags of an audit by their variables: --fail-on by
// SANDBOX_AUDIT_FAIL_ON. What only one command has, such as --write, is only a flag.
func fromEnvironment(f *pflag.FlagSet, getenv func(string) string) error {
	var errs []error
	auditFlags().VisitAll(func(flag *pflag.Flag) {
		name := variableOf(flag)
		if value := getenv(name); value != "" && name != cacheVariable { // which the cache reads itself
			values := []string{strings.TrimRight(value, "\n")} // pipelines end what they keep in blocks so
			if _, list := flag.Value.(pflag.SliceValue); list {
				values = strings.Split(values[0], "\n")
			}
			if err := set(f, flag.Name, values); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	return errors.Join(errs...)
}

// auditFlags are the flags of an audit, which all have variables.
func auditFlags() *pflag.FlagSet {
	audit := &cobra.Command{}
	new(options).register(audit)
	return audit.Flags()
}

func variableOf(flag *pflag.Flag) string {
	return variables + strings.ReplaceAll(strings.ToUpper(flag.Name), "-", "_")
}

// checkEnvironment looks for variables that were meant for the audit and are none of
// its own, as a gate that was misspelt would not be there. One that may be anything is
// only told of.
func (o *options) checkEnvironment(proc process) error {
	names := []string{keyVariable, cacheVariable}
	auditFlags().VisitAll(func(flag *pflag.Flag) { names = append(names, variableOf(flag)) })
	env := slices.Sorted(slices.Values(proc.environ()))
	var errs []error
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		upper := strings.ToUpper(name)
		switch {
		case !strings.HasPrefix(upper, variables) || upper == pipelineVariable || value == "":
			continue
		case slices.Contains(names, upper) && (name == upper || proc.getenv(upper) == value): // names have no case on Windows
			continue
		}
		if near := nearestVariable(upper, names); near != "" {
			errs = append(errs, fmt.Errorf("the variable %s means nothing; did you mean %s?", name, near))
		} else if !o.quiet {
			complain(proc.stderr, fmt.Errorf("the variable %s means nothing, and was left out", name))
		}
	}
	return errors.Join(errs...)
}

// nearestVariable compares what follows the prefix, which would make all look alike.
func nearestVariable(name string, names []string) string {
	var short []string
	for _, n := range names {
		short = append(short, strings.TrimPrefix(n, variables))
	}
	if near := suggest.Nearest(strings.TrimPrefix(name, variables), short); near != "" {
		return variables + near
	}
	return ""
}

// set gives a flag that was not given yet its values.
func set(f *pflag.FlagSet, name string, values []string) error {
	flag := f.Lookup(name)
	if flag == nil || flag.Changed {
		return nil // not a flag of this command, or given
	}
	for _, v := range values {
		if err := f.Set(name, v); err != nil {
			return refused(flag, err)
		}
	}
	return nil
}

// refused says that a flag does not take a value, and does not quote it: what a variable
// holds by mistake may be a secret.
func refused(flag *pflag.Flag, err error) error {
	switch flag.Value.Type() {
	case "bool":
		return errors.New("it takes true or false")
	case "duration":
		return errors.New("it takes a duration, such as 90s or 10m")
	case "number":
		return errors.New("it takes a positive number")
	}
	if inner := errors.Unwrap(err); inner != nil {
		return inner // without what quotes the value
	}
	return err
}
