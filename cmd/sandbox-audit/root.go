package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/sandbox-audit/sandbox-audit/internal/policy"
	"github.com/sandbox-audit/sandbox-audit/internal/scan"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/limits"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/manifest"
	"github.com/sandbox-audit/sandbox-audit/internal/settings"
)

const long = `Audit container images, Dockerfiles and manifests in which AI agents run
untrusted code, statically and offline.

A TARGET is one of these, or - for one of them on standard input:
  name:tag               an image, of docker, else of podman, else its registry
  agent.tar              an archive by docker save or in OCI form, compressed or
                         not; agent.tar@name:tag picks one of several images
  DIR                    an OCI layout, a root filesystem, or a project, with
                         all its Dockerfiles and manifests
  Dockerfile             judged as the image it would make
  docker-bake.hcl        all its targets; docker-bake.hcl@target picks one
  compose.yaml, k8s.yaml how it is run; judged together with an image or
                         Dockerfile among the targets that it runs

The audit answers four questions, each with pass, fail or unknown: is Python
there as bytecode only, does untrusted code run without root, is the environment
free of secrets, and is the network closed. Nothing from a target is executed or
unpacked, and no network is used but the registry you name.`

const examples = `  sandbox-audit registry.example/agent:1.4
  sandbox-audit agent.tar --dockerfile Dockerfile
  docker save agent:dev | sandbox-audit -
  sandbox-audit agent:dev compose.yaml
  helm template chart | sandbox-audit --from manifest -
  sandbox-audit Dockerfile -o text -o sarif=results.sarif
  sandbox-audit agent:dev --fail-on warning --require bytecode,privilege
  sandbox-audit explain SBX205 agent:dev`

// options are the flags of an audit, as they were given.
type options struct {
	outputs     []string
	from        string
	platform    string
	insecure    bool
	dockerfile  string
	context     string
	target      string
	sandbox     []string
	buildArgs   []string
	baseImages  []string
	failOn      string
	require     []string
	sessionVars []string
	sandboxUser string
	firstParty  []string
	forbid      []string
	isolation   string
	config      string
	noConfig    bool
	noIgnores   bool
	showIgnored bool
	baseline    string
	color       string
	quiet       bool
	verbose     bool
	limits      limits.Limits
	timeout     time.Duration
	cacheDir    string
	noCache     bool
}

func newRoot(proc process, code *int) *cobra.Command {
	var o options
	root := &cobra.Command{
		Use:     "sandbox-audit [flags] TARGET...",
		Short:   "Audit container images and Dockerfiles in which AI agents run untrusted code",
		Long:    long,
		Example: examples,
		Version: buildVersion(),
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault // files
		},
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return &hinted{fmt.Errorf("no target given"), "name an image, an archive, a directory, a Dockerfile or -; see sandbox-audit --help"}
			}
			a, err := newAudit(&o, cmd.Flags(), proc, args)
			if err != nil {
				return err
			}
			a.commands = commandNames(cmd)
			*code, err = a.run(cmd.Context(), args)
			return err
		},
	}
	o.register(root)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(writeUsage)
	root.SetHelpFunc(writeHelp)
	root.SetHelpCommand(newHelp())
	root.SetVersionTemplate("sandbox-audit {{.Version}}\n")
	root.AddCommand(newRules(), newExplain(proc, code), newFix(proc, code), newBaseline(proc, code), newCompare(proc, code), newInit(), newVersion(), newMan(proc), newPluginMetadata())
	return root
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// lend gives another command those flags of an audit that it keeps.
func (o *options) lend(cmd *cobra.Command, keep func(flag string) bool) {
	all := &cobra.Command{}
	o.register(all)
	all.Flags().VisitAll(func(flag *pflag.Flag) {
		if keep(flag.Name) {
			cmd.Flags().AddFlag(flag)
		}
	})
}

func (o *options) register(root *cobra.Command) {
	f := root.Flags()
	f.SortFlags = false
	f.StringArrayVarP(&o.outputs, "output", "o", []string{"text"}, "write `FORMAT[=FILE]`: "+strings.Join(formats, ", ")+"; repeatable")
	f.StringVar(&o.from, "from", "", "read the target only from `SOURCE`: "+strings.Join(sources, ", "))
	f.StringVar(&o.dockerfile, "dockerfile", "", "show where in this `FILE` an image's findings come from")
	f.StringVar(&o.context, "context", "", "build context `DIR` of a Dockerfile (default: its folder, if that is in a repository or has a .dockerignore; - for none)")
	f.StringVar(&o.target, "target", "", "`STAGE` of the Dockerfile to audit (default: the last)")
	f.StringArrayVar(&o.sandbox, "sandbox", nil, "`NAME` of the workload of a manifest that runs untrusted code (default: told apart by label "+manifest.RoleLabel+", kind, name and image); repeatable")
	f.StringArrayVar(&o.buildArgs, "build-arg", nil, "build argument `NAME=VALUE` for the Dockerfile, or NAME to take it from the environment; repeatable")
	f.StringArrayVar(&o.baseImages, "base-image", nil, "read what the Dockerfile builds on from `IMAGE`, an archive, layout or reference; REF=IMAGE for the REF of one FROM or --from; repeatable")
	f.StringVar(&o.platform, "platform", "", "`OS/ARCH[/VARIANT]` to audit of an image for several")
	f.BoolVar(&o.insecure, "insecure", false, "let the registry be reached by plain HTTP")
	f.StringVar(&o.failOn, "fail-on", "error", "exit 1 from this `LEVEL` on: "+strings.Join(levels, ", "))
	f.StringSliceVar(&o.require, "require", nil, "exit 1 unless these `VERDICTS` are pass, or accepted: "+strings.Join(steps(), ", "))
	f.StringSliceVar(&o.sessionVars, "session-var", nil, "`NAME` of a variable that only the control plane may set (default: SESSION_TOKEN, CONTROL_PLANE_URL, SESSION_ID)")
	f.StringVar(&o.sandboxUser, "sandbox-user", "", "`USER` that runs the untrusted code (default: sandbox)")
	f.StringSliceVar(&o.firstParty, "first-party", nil, "`DIRECTORY` of the image below which all Python is yours; repeatable")
	f.StringSliceVar(&o.forbid, "forbid", nil, "`PROGRAM` that no image may have, by the name of its file; repeatable")
	f.StringVar(&o.isolation, "isolation", "", "`TIER` that holds every sandbox at least: "+strings.Join(slices.Sorted(maps.Keys(tiers)), ", "))
	f.StringVar(&o.config, "config", "", "`FILE` with the configuration (default: the first "+settings.Name+" upwards from the target)")
	f.BoolVar(&o.noConfig, "no-config", false, "read no configuration")
	f.BoolVar(&o.noIgnores, "no-ignores", false, "tell also of findings that an ignore accepts")
	f.BoolVar(&o.showIgnored, "show-ignored", false, "list ignored findings and those of the baseline, which are else only counted")
	f.StringVar(&o.baseline, "baseline", "", "`FILE` of a baseline, or another image: only what is new against it fails")
	f.StringVar(&o.color, "color", "auto", "`WHEN` to colour text: auto, always, never")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no remarks on standard error")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "give up on a target after this `TIME`")
	f.StringVar(&o.cacheDir, "cache-dir", "", "keep what is learned of layers in this `DIR` (default: $"+cacheVariable+", or sandbox-audit in the user's cache directory)")
	f.BoolVar(&o.noCache, "no-cache", false, "read every layer, and keep nothing")
	o.limits = limits.Default()
	limitFlags(f, &o.limits)
	f.BoolVarP(&o.verbose, "verbose", "v", false, "tell what is read, and how sources were told apart")
	completeFlags(root, formats)
}

var (
	formats = []string{"text", "json", "sarif", "github", "junit", "gitlab", "markdown", "html"}
	sources = []string{"docker", "podman", "registry", "archive", "oci", "rootfs", "dockerfile", "manifest"}
	levels  = []string{"error", "warning", "note", "never"}
)

// tiers are what --isolation takes.
var tiers = map[string]manifest.Tier{"container": manifest.ContainerTier, "gvisor": manifest.GVisor, "microvm": manifest.MicroVM}

// steps are the verdicts that can be required.
func steps() []string {
	var out []string
	for _, s := range policy.Steps() {
		out = append(out, s.String())
	}
	return out
}

// gate reads --fail-on and --require.
func (o *options) gate() (policy.Gate, error) {
	var g policy.Gate
	switch o.failOn {
	case "error":
		g.FailOn = scan.LevelError
	case "warning":
		g.FailOn = scan.LevelWarning
	case "note":
		g.FailOn = scan.LevelNote
	case "never":
	default:
		return g, didYouMean(fmt.Errorf("--fail-on %s is no level", o.failOn), o.failOn, levels)
	}
	if o.require != nil && len(o.require) == 0 {
		return g, &hinted{errors.New("--require names no verdict"), "one of " + strings.Join(steps(), ", ")}
	}
	for _, name := range o.require {
		i := slices.Index(steps(), name)
		if i < 0 {
			return g, didYouMean(fmt.Errorf("--require %s is no verdict", name), name, steps())
		}
		g.Require = append(g.Require, policy.Steps()[i])
	}
	return g, nil
}
