package starter

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/sandbox-audit/sandbox-audit/internal/scantest"
)

// sandbox is a compiled agent of testdata, in a workspace of its own.
type sandbox struct {
	python, dir, token string
}

// TestPrograms shows what the programs do with this machine's Python and kernel.
func TestPrograms(t *testing.T) {
	s := newSandbox(t)
	t.Run("untrusted code", s.untrustedCode)
	t.Run("failed drop", s.failedDrop)
	t.Run("first process", s.firstProcess)
	t.Run("stop", s.stop)
	t.Run("probe", s.probe)
}

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can give root up: run as root to test the programs")
	}
	python, _ := interpreter(t, anyoneRuns)
	agent, err := os.ReadFile("testdata/agent.py")
	if err != nil {
		t.Fatal(err)
	}
	workspace := openDir(t)
	uid := Default().UID
	if err := os.Chown(workspace, uid, uid); err != nil {
		t.Fatal(err)
	}
	dir := compiled(t, python, func(name, source string) string {
		if name == "agent.py" {
			return string(agent)
		}
		return strings.Replace(source, `"/workspace"`, fmt.Sprintf("%q", workspace), 1)
	})
	return &sandbox{python, dir, (&scantest.Secrets{}).Hex(40)}
}

// anyoneRuns reports whether the sandbox's user can run an interpreter too.
func anyoneRuns(python string) bool {
	cmd := exec.Command(python, "-I", "-c", "import json, ctypes")
	cmd.Dir = "/"
	cmd.SysProcAttr = as(Default().UID)
	return cmd.Run() == nil
}

func as(uid int) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
}

// command starts a container's first process, as far as a process can stand for it: as
// root with groups that are worth something, an open file, and the session.
func (s *sandbox) command(args ...string) *exec.Cmd {
	cmd := exec.Command(s.python, append([]string{"-E", "-s"}, args...)...)
	cmd.Dir = "/"
	cmd.Env = []string{"SESSION_TOKEN=" + s.token, "SESSION_ID=1", "CONTROL_PLANE_URL=https://control.example", "PATH=/usr/bin:/bin", "OTHER=kept"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Groups: []uint32{0, 4, 27}}}
	return cmd
}

func (s *sandbox) entrypoint(task string) *exec.Cmd {
	return s.command(filepath.Join(s.dir, "entrypoint.pyc"), task)
}

// A report is what testdata/agent.py prints of the code that it ran.
type report struct {
	IDs         []int
	Groups      []int
	Status      map[string]string
	Environ     map[string]string
	First       string
	Descriptors []int
	Arguments   []string
	Root        map[string]string // what it did to become root: an error
	Parent      map[string]string // what it read of its parent, or an error
}

// untrustedCode checks all that code which the agent runs could try.
func (s *sandbox) untrustedCode(t *testing.T) {
	cmd := s.entrypoint("probe")
	secret, err := os.Open("/etc/shadow")
	if err != nil {
		t.Fatal(err)
	}
	defer secret.Close()
	cmd.ExtraFiles = []*os.File{secret}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	held, printed, _ := bytes.Cut(out, []byte("\n"))
	if want := fmt.Sprintf("%x", sha256.Sum256([]byte(s.token))); string(held) != want {
		t.Error("the agent does not have the session's token")
	}
	if bytes.Contains(printed, []byte(s.token)) {
		t.Error("the code that it runs has it too")
	}
	var got report
	if err := json.Unmarshal(printed, &got); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	uid := Default().UID
	if want := []int{uid, uid, uid, uid, uid, uid}; !slices.Equal(got.IDs, want) || len(got.Groups) > 0 {
		t.Errorf("ids %v and groups %v, want %v and none", got.IDs, got.Groups, want)
	}
	const none = "0000000000000000"
	if want := map[string]string{"NoNewPrivs": "1", "CapPrm": none, "CapEff": none, "CapAmb": none}; !reflect.DeepEqual(got.Status, want) {
		t.Errorf("status %v, want %v", got.Status, want)
	}
	for _, name := range []string{"SESSION_TOKEN", "SESSION_ID", "CONTROL_PLANE_URL", "OTHER"} {
		if _, there := got.Environ[name]; there || strings.Contains(got.First, name) {
			t.Errorf("%s is in its environment", name)
		}
	}
	if len(got.Descriptors) > 0 {
		t.Errorf("it has the descriptors %v", got.Descriptors)
	}
	if len(got.Arguments) != 2 {
		t.Errorf("%d command lines were read, want 2", len(got.Arguments))
	}
	refused(t, "becoming root", got.Root, "setuid", "setresuid", "setgid", "setgroups")
	refused(t, "reading the parent", got.Parent, "environ", "mem", "maps", "fd", "ptrace")
}

// refused insists that each of several attempts failed for want of permission.
func refused(t *testing.T, what string, got map[string]string, names ...string) {
	t.Helper()
	for _, name := range names {
		if e := got[name]; e != "EPERM" && e != "EACCES" {
			t.Errorf("%s: %s gives %q, want EPERM or EACCES", what, name, e)
		}
	}
}

// probe shows that the probe finds what is open: where root was given up before Python
// started, the first environment is.
func (s *sandbox) probe(t *testing.T) {
	if err := os.Chmod(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sandbox.pyc", "agent.pyc"} {
		if err := os.Chmod(filepath.Join(s.dir, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := s.command("-c", fmt.Sprintf("import os, sys; sys.path.insert(0, %q); import agent; agent.run({'SESSION_TOKEN': os.environ.pop('SESSION_TOKEN')})", s.dir))
	cmd.SysProcAttr = as(Default().UID)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte(s.token)) {
		t.Error("the token was not found where it is readable")
	}
}

// failedDrop checks that nothing runs with what is left of root.
func (s *sandbox) failedDrop(t *testing.T) {
	for _, c := range []struct{ name, before, want string }{
		{"groups stay", "os.setgroups = lambda groups: None", "an id or a group is left"},
		{"gid stays", "os.setgid = lambda gid: None", "an id or a group is left"},
		{"uid stays", "os.setuid = lambda uid: None", "an id or a group is left"},
		{"saved uid stays", "os.setuid = lambda uid: uid and os.seteuid(uid)", "an id or a group is left"},
		{"way back", "os.setuid = lambda uid: uid and os.setresuid(uid, uid, uid)", "there is a way back"},
		{"uid first", "os.setgroups = lambda groups: os.setuid(sandbox.UID)", "Operation not permitted"},
		{"prctl fails", "sandbox.prctl = lambda *args: -1", "prctl"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := s.command("-c", fmt.Sprintf("import os, sys; sys.path.insert(0, %q); import sandbox; %s; sandbox.drop_root(); print('surv' + 'ived')", s.dir, c.before))
			out, err := cmd.CombinedOutput()
			if err == nil || bytes.Contains(out, []byte("survived")) || !bytes.Contains(out, []byte(c.want)) {
				t.Errorf("%v, want an error that says %q\n%s", err, c.want, out)
			}
		})
	}
}

// firstProcess runs it as a container does, as the first process of its namespace.
func (s *sandbox) firstProcess(t *testing.T) {
	for task, want := range map[string]string{"leave": "gone\n", "late": "-9\n"} {
		t.Run(task, func(t *testing.T) {
			cmd := s.entrypoint(task)
			cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWPID
			out, err := cmd.CombinedOutput()
			if err != nil && cmd.Process == nil {
				t.Skipf("no process namespace can be made here: %v", err)
			}
			if err != nil || string(out) != want {
				t.Errorf("%v, %q, want %q", err, out, want)
			}
		})
	}
}

// stop checks that the program can be stopped, although a first process ignores signals
// that it has no handler for.
func (s *sandbox) stop(t *testing.T) {
	cmd := s.entrypoint("wait")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("ready\n"))
	if _, err := stdout.Read(line); err != nil || string(line) != "ready\n" {
		t.Errorf("%v, %q, want ready", err, line)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // its error is the exit code
	if got, want := cmd.ProcessState.ExitCode(), 128+int(syscall.SIGTERM); got != want {
		t.Errorf("exit code %d, want %d", got, want)
	}
}
