// Package settings reads .sandbox-audit.yaml, in which a project keeps what its
// audits have in common. It promises that nothing in the file is passed over: a key, a
// rule or a value that it does not know is an error with its line. It starts nothing
// and reads no other file.
package settings

import (
	"slices"
	"time"
)

// Name is what the file is called.
const Name = ".sandbox-audit.yaml"

// A File is what one configuration says. The documentation and the schema are made
// from its tags: key is what a member is called in the file, enum its values.
type File struct {
	Path string `key:"-"` // of the file, as it was opened

	FailOn        string           `key:"fail-on" enum:"error warning note never" doc:"Exit 1 from this level on."`
	Require       []string         `key:"require" enum:"bytecode privilege environment network" doc:"Exit 1 unless these verdicts are pass, or accepted."`
	Isolation     string           `key:"isolation" enum:"container gvisor microvm" doc:"What holds every sandbox at least, where no manifest says more. With gvisor and microvm, findings that a kernel of the sandbox's own holds are notes."`
	SessionVars   []string         `key:"session-vars" doc:"Variables that only the control plane may set. Replaces SESSION_TOKEN, CONTROL_PLANE_URL and SESSION_ID."`
	Sandboxes     []string         `key:"sandboxes" doc:"Names of the workloads that run untrusted code, in the manifests that have them: agent, deployment/agent. Each name may also be a container's."`
	SandboxUser   string           `key:"sandbox-user" doc:"User that runs the untrusted code; sandbox if left out."`
	FirstParty    []string         `key:"first-party" doc:"Absolute directories of the image below which all Python is yours, whoever installed it."`
	Forbid        []string         `key:"forbid" doc:"Programs that no image may have, by the names of their files: curl, gcc, nc. Links to them count, and so do names of BusyBox and Toybox."`
	Rules         map[string]Rule  `key:"rules" doc:"Levels of rules, and rules that are turned off, by id or name."`
	Limits        map[string]int64 `key:"limits" doc:"What a target may cost, by the names of the flags: max-layer-bytes and so on."`
	RequireReason bool             `key:"require-reason" doc:"Every ignore needs a reason, also those in Dockerfiles and manifests."`
	Ignores       []Ignore         `key:"ignores" doc:"Findings that are accepted. All that an item sets must match."`

	lines map[string]int // of the keys at the top and of limits, by name
}

// A Rule is what the file says about one rule.
type Rule struct {
	Line     int    `key:"-"`
	Level    string `key:"level" enum:"error warning note" doc:"Level of all its findings."`
	Disabled string `key:"disabled" doc:"The rule is turned off, and this is why. A verdict that needs the rule is then unknown."`
}

// An Ignore is one item of ignores.
type Ignore struct {
	Line    int       `key:"-"`
	Rule    string    `key:"rule" doc:"Id or name of the rule. Needed."`
	Reason  string    `key:"reason" doc:"Why its findings are accepted."`
	Until   time.Time `key:"until" doc:"Last day, in UTC, on which it holds: 2027-03-01. The quotes may be left out."`
	Path    string    `key:"path" doc:"Glob of paths: in the image if it starts with a slash, else of Dockerfiles and manifests, relative to this file. ** stands for any number of directories."`
	Layer   string    `key:"layer" doc:"A layer's number, counted from 1 as reports do, or its diff ID, of which 12 digits are enough."`
	Package string    `key:"package" doc:"Package that owns the file: sudo, or dpkg:sudo."`
	Value   string    `key:"value" doc:"Identity of a secret under the key in SANDBOX_AUDIT_KEY, as the report has it. Never the secret."`
}

// Words are the names that a file may use and that others own.
type Words struct {
	Rules  []string // each id with the name behind it
	Limits []string // names of flags
}

// otherName is the id of a rule's name, or the name of its id.
func (w Words) otherName(rule string) string {
	i := slices.Index(w.Rules, rule)
	if j := i ^ 1; i >= 0 && j < len(w.Rules) {
		return w.Rules[j]
	}
	return ""
}

// A Default is what the file gives to a flag of the same meaning.
type Default struct {
	Flag   string
	Values []string
	Line   int // 0 if unknown
}

// Line is where a key at the top of the file stands; 0 if it is not there.
func (f *File) Line(key string) int { return f.lines[key] }
