package manifest

import "strings"

// A Workload is what is run together in one network namespace: a compose service, or
// the pod of a Kubernetes object.
type Workload struct {
	Kind       string // "service", "Pod", "Deployment", "SandboxTemplate"
	Name       string
	Namespace  string // of Kubernetes; empty if the manifest does not say
	At         Place
	Labels     map[string]string
	Containers []*Container
	Role       Role
	Why        string // what tells its role

	Runtime        Setting   // runtimeClassName or runtime
	HostUsers      Setting   // of Kubernetes; "false" if root in it is an ordinary user on the host
	HostNamespaces []Setting // those of the host that it shares; Value is "network", "pid", "ipc", "uts" or "user"
	// Token is whether a token for the cluster is mounted. It is given as the pod, its
	// service account or its controller decides; always "false" for compose.
	Token  Setting
	Shared Setting // whether its containers see each other's processes (shareProcessNamespace)
	Egress Egress
}

// A Container is one container of a workload.
type Container struct {
	Name string
	At   Place
	Init bool // it ends before the others start
	// Aside is why it can't be what the workload is for, by the list it is in; empty if
	// it can be.
	Aside string
	Role  Role
	Why   string // what tells its role; empty if nothing does

	Image Setting
	Build Build

	User       Setting // user of compose, runAsUser of Kubernetes
	NonRoot    Setting // runAsNonRoot
	Privileged Setting
	CapAdd     []Setting
	CapDrop    []Setting
	// Escalation is whether a process may gain rights by executing a file; "false" with
	// no-new-privileges.
	Escalation Setting
	// HostProcess is whether it is a process of a Windows host.
	HostProcess Setting
	// Seccomp is the type of the profile, of Kubernetes: without one the kubelet decides.
	Seccomp Setting
	// Unconfined are the protections that are switched off; Value is "seccomp",
	// "AppArmor", "SELinux" or "masked paths".
	Unconfined []Setting
	ReadOnly   Setting // of the root filesystem
	Memory     Setting // limits
	CPU        Setting
	PIDs       Setting

	Env      []Variable
	EnvFiles []Setting // files and objects that bring more variables
	Entry    []Setting // words of the entrypoint, if it is replaced
	Command  []Setting // words of the command, if it is replaced
	Mounts   []Mount
	Ports    []Port
	Execs    []Exec    // commands that are started in it from outside
	Hosts    []Setting // extra names; Value is "NAME=ADDRESS"
}

// A Build is what a compose service is built from; zero if it is not.
type Build struct {
	Given      bool
	Context    string // as written; "" for the folder of the file
	Dockerfile string // "" for Dockerfile
	Target     string
	Args       map[string]string // those that are known
	Variables  []Variable        // the arguments, each where it stands
	Inline     bool              // the Dockerfile stands in the compose file itself
	Text       Setting           // of the Dockerfile, if it is Inline
	At         Place
}

// A Variable is one variable of the environment.
type Variable struct {
	Name string
	// Raw is the value as written, variables not replaced; a secret may stand in it.
	Raw  string
	From string // where the value comes from instead: "secretKeyRef", "the shell"; empty for Raw
	At   Place
}

// A Mount is something that is mounted into a container.
type Mount struct {
	Kind     MountKind
	Source   string // path on the host, or the name of the volume or object
	Target   string // path in the container
	ReadOnly bool
	Unknown  string // why Source is not known; empty if it is
	// Content is the text of a config that stands in the manifest itself, with its name.
	Content Variable
	At      Place
}

// MountKind is what a mount brings.
type MountKind uint8

// The kinds of mount.
const (
	OtherMount   MountKind = iota
	HostPath               // a file or directory of the host
	Volume                 // a named or anonymous volume, a claim
	ConfigMount            // config maps, secrets and configs
	Scratch                // empty and only in memory or for the life of the pod
	ClusterToken           // a projected token of the service account
	Device                 // a device of the host
)

// A Port is a port that is published on the host.
type Port struct {
	Address   string // of the host; empty for all
	Published string // empty if the runtime picks one
	Target    string
	Unknown   string // why Address is not known
	At        Place
}

// Everywhere reports whether the port is published on all interfaces of the host.
func (p Port) Everywhere() bool {
	return p.Unknown == "" && (p.Address == "" || p.Address == "0.0.0.0" || p.Address == "::" || p.Address == "[::]")
}

// Name of the workload as reports show it: "service agent", "Deployment agent".
func (w *Workload) String() string { return strings.TrimSpace(w.Kind + " " + w.Name) }

// Holds reports whether a place is in what says how the workload is run.
func (w *Workload) Holds(at Place) bool {
	object, _, named := strings.Cut(w.At.Field, ": ")
	if named {
		return at.File == w.At.File && strings.HasPrefix(at.Field, object+": ")
	}
	return strings.HasPrefix(at.Field, w.At.Field+".")
}

// Sandboxed returns the containers that run untrusted code.
func (w *Workload) Sandboxed() []*Container {
	var out []*Container
	for _, c := range w.Containers {
		if c.Role == Sandbox {
			out = append(out, c)
		}
	}
	return out
}

// Start is what the manifest starts in place of the image's entrypoint and command; nil
// for what it leaves, and empty for what it takes away (Compose specification,
// "entrypoint"). It is not known if a variable in it is not.
func (c *Container) Start() (entry, cmd []string, known bool) {
	entry, a := words(c.Entry)
	cmd, b := words(c.Command)
	return entry, cmd, a && b
}

// IsRoot reports whether a user is uid 0 by what it is called: a number, or root.
func IsRoot(user string) bool {
	name, _, _ := strings.Cut(user, ":")
	return name == "root" || name != "" && strings.Trim(name, "0") == ""
}

// Tier is how strong a boundary holds what a container does.
type Tier uint8

// The tiers, weakest first.
const (
	ContainerTier Tier = iota // the kernel of the host
	GVisor                    // a kernel in user space
	MicroVM                   // a kernel of its own
)

func (t Tier) String() string { return [...]string{"container", "gvisor", "microvm"}[t] }

// Tier is the tier of the runtime, by its name. A name that says nothing, and one that
// is not known, count as a plain container.
func (w *Workload) Tier() Tier {
	if !w.Runtime.Known() {
		return ContainerTier
	}
	name := strings.ToLower(w.Runtime.Value)
	for _, n := range []string{"gvisor", "runsc"} {
		if strings.Contains(name, n) {
			return GVisor
		}
	}
	for _, n := range []string{"kata", "firecracker", "microvm", "cloud-hypervisor", "clh", "libkrun", "krun", "hyperv", "edera"} {
		if strings.Contains(name, n) {
			return MicroVM
		}
	}
	return ContainerTier
}
