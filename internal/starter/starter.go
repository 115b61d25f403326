// Package starter holds a hardened sandbox to start from: a Dockerfile, what starts
// in its container, and how the container is run. An audit of the image that it makes
// passes bytecode, privilege and environment; a test insists.
package starter

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

//go:embed all:template
var templates embed.FS

// Options are what differs from sandbox to sandbox.
type Options struct {
	User   string // name of the account that runs untrusted code
	UID    int    // its uid and gid
	Python string // version of the official image, such as "3.13"
}

// Default returns the options of a sandbox that nobody has asked anything else of. Its
// uid is none that the first users of a host have.
func Default() Options { return Options{User: "sandbox", UID: 10001, Python: "3.13"} }

// oldest is the first minor version of Python 3 that the programs are written for.
const oldest = 9

// The ids that accounts of users may have (Debian Policy, 9.2.2): what is below is the
// system's, and the two in the middle are nobody's and no one's.
const (
	firstUID = 1000
	nobody   = 65534
	noUID    = 65535
	lastUID  = 1<<31 - 1
)

var (
	accountName   = regexp.MustCompile(`^[a-z_][a-z0-9_-]{0,31}$`) // what useradd(8) takes on Debian
	pythonVersion = regexp.MustCompile(`^3\.(\d{1,2})(\.\d{1,2})?$`)
)

// Check reports the first option from which no sandbox can be made.
func (o Options) Check() error {
	m := pythonVersion.FindStringSubmatch(o.Python)
	switch {
	case o.User == "root":
		return fmt.Errorf("user root: untrusted code must not run as root")
	case !accountName.MatchString(o.User):
		return fmt.Errorf("user %q: an account is named with up to 32 lower-case letters, digits, - and _", o.User)
	case o.UID < firstUID || o.UID > lastUID || o.UID == nobody || o.UID == noUID:
		return fmt.Errorf("uid %d: it must be from %d to %d, and neither %d nor %d", o.UID, firstUID, lastUID, nobody, noUID)
	case m == nil:
		return fmt.Errorf("python %q: it is a version such as 3.13 or 3.13.1", o.Python)
	}
	if minor, err := strconv.Atoi(m[1]); err != nil || minor < oldest {
		return fmt.Errorf("python %s: it must be 3.%d or later", o.Python, oldest)
	}
	return nil
}

// A File is one file of the sandbox.
type File struct {
	Name string // relative to its directory, with slashes
	Body string
}

// Files returns the files of a sandbox, the Dockerfile first.
func Files(o Options) ([]File, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	var out []File
	for _, name := range []string{
		"Dockerfile", ".dockerignore", "compose.yaml", "src/entrypoint.py", "src/sandbox.py", "src/agent.py",
	} {
		text, err := fs.ReadFile(templates, "template/"+name)
		if err != nil {
			return nil, fmt.Errorf("reading the template of %s: %w", name, err)
		}
		t, err := template.New(name).Option("missingkey=error").Parse(string(text))
		if err != nil {
			return nil, fmt.Errorf("reading the template of %s: %w", name, err)
		}
		var b strings.Builder
		if err := t.Execute(&b, o); err != nil {
			return nil, fmt.Errorf("making %s: %w", name, err)
		}
		out = append(out, File{name, b.String()})
	}
	return out, nil
}
