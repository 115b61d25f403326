package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// prctl(2) options.
const (
	prSetDumpable      = 4
	prSetKeepCaps      = 8
	prCapBSetDrop      = 24
	prSetSecureBits    = 28
	prSetNoNewPrivs    = 38
	prCapAmbient       = 47
	prSetPdeathSig     = 1
	prSetName          = 15
	prSetSeccomp       = 22
	prSetChildReaper   = 36
	prSetTimerSlack    = 29
	prGetDumpable      = 3
	prGetNoNewPrivs    = 39
	secureBitsKeepCaps = 1 << 4
	secureBitsNoFixup  = 1 << 2
)

// foreign is a call through ctypes: path is "ctypes.CDLL().prctl" or the like.
func (c *call) foreign(name string) []outcome {
	switch name {
	case "prctl":
		return c.prctl()
	case "setuid", "seteuid", "setreuid", "setresuid":
		return c.unchecked(setIDs(effect.SetUID, name)(c))
	case "setgid", "setegid", "setregid", "setresgid":
		return c.unchecked(setIDs(effect.SetGID, name)(c))
	case "setgroups":
		return c.foreignGroups()
	case "initgroups":
		return c.unchecked(initGroups(c))
	case "syscall":
		return c.rawCall()
	case "unsetenv", "putenv", "setenv", "clearenv":
		return c.foreignEnviron(name)
	case "unshare", "setns", "clone", "capset", "cap_set_proc", "system", "execve", "execv", "execvp":
		return loses(c)
	}
	return c.ret(unknown)
}

// unchecked is a call into the C library: it tells of failure by what it gives, not by an exception.
func (c *call) unchecked(outs []outcome) []outcome {
	for i := range outs {
		if outs[i].how == raised {
			outs[i].how, outs[i].val = returned, integer(-1)
		} else {
			outs[i].val = integer(0)
		}
	}
	return outs
}

// foreignGroups is setgroups(size, list): without groups only if the size is 0.
func (c *call) foreignGroups() []outcome {
	groups := effect.GroupsUnknown
	if n := c.given(0, ""); n.kind == intKind && n.num == 0 {
		groups = effect.GroupsSafe
	}
	return c.unchecked(c.results(effect.SetGroups, c.w.state.SetGroups(groups)))
}

func (c *call) foreignEnviron(name string) []outcome {
	if name == "clearenv" {
		c.note(effect.Effect{Kind: effect.KeepVariable, Variables: c.w.state.Mapping, Note: "os.environ still has them"})
		c.w.state.Process = 0
		return c.ret(unknown)
	}
	return processOnly(c)
}

// prctl is prctl(option, argument, ...).
func (c *call) prctl() []outcome {
	option, arg := c.given(0, ""), c.given(1, "")
	s := &c.w.state
	if option.kind != intKind {
		return loses(c)
	}
	set := arg.kind == intKind && arg.num == 1
	switch option.num {
	case prSetNoNewPrivs:
		s.NoNewPrivileges = s.NoNewPrivileges || set
	case prSetDumpable:
		s.Dumpable = arg.kind != intKind || arg.num != 0
	case prSetKeepCaps:
		s.KeepCaps = arg.kind != intKind || arg.num != 0
	case prSetSecureBits:
		s.KeepCaps = s.KeepCaps || arg.kind != intKind || arg.num&(secureBitsKeepCaps|secureBitsNoFixup) != 0
	case prCapAmbient:
		return loses(c)
	case prCapBSetDrop, prSetPdeathSig, prSetName, prSetSeccomp, prSetChildReaper, prSetTimerSlack, prGetDumpable, prGetNoNewPrivs:
		return c.ret(unknown)
	}
	c.note(effect.Effect{Kind: effect.Prctl})
	return c.ret(unknown)
}

// rawCall is syscall(number, ...): ids that it changes are one thread's only.
func (c *call) rawCall() []outcome {
	n := c.given(0, "")
	if n.kind != intKind {
		return loses(c)
	}
	if harmlessCalls[n.num] {
		return c.ret(unknown)
	}
	c.w.state.OneThread = c.w.state.OneThread || identityCalls[n.num]
	if !identityCalls[n.num] {
		return loses(c)
	}
	c.note(effect.Effect{Kind: effect.SetUID, Note: "a raw system call, which changes one thread only"})
	return c.ret(unknown)
}

// identityCalls are the numbers of the calls that change ids, on x86-64 and arm64.
var identityCalls = map[int64]bool{
	105: true, 106: true, 113: true, 114: true, 116: true, 117: true, 119: true, 122: true, 123: true,
	143: true, 144: true, 145: true, 146: true, 147: true, 149: true, 151: true, 152: true, 159: true,
}

// harmlessCalls are numbers of calls that programs make raw and that don't change ids: getrandom, memfd_create, gettid, pidfd_open, landlock.
var harmlessCalls = map[int64]bool{186: true, 318: true, 319: true, 434: true, 444: true, 445: true, 446: true}

// prototypeModels are types of functions of ctypes: called with a name and a library they give that function of it.
func prototypeModels() map[string]model {
	m := map[string]model{
		"ctypes.cast": func(c *call) []outcome { return c.ret(c.given(0, "obj")) },
	}
	for _, name := range []string{"ctypes.CFUNCTYPE()", "ctypes.PYFUNCTYPE()"} {
		m[name] = prototype
		m[name+"()"] = loses // a function at an address
	}
	return m
}

func prototype(c *call) []outcome {
	switch v := c.given(0, ""); {
	case v.callee() != nil:
		return c.ret(v)
	case v.kind == tupleKind && len(v.items()) > 0 && v.items()[0].kind == stringKind:
		return c.ret(external("ctypes.CDLL()."+v.items()[0].text, StandardLibrary))
	}
	return c.ret(external(c.path+"()", StandardLibrary))
}

// isForeign reports whether an external path is a function of a library loaded by ctypes, and gives its name.
func isForeign(path string) (name string, ok bool) {
	if !strings.HasPrefix(path, "ctypes.") {
		return "", false
	}
	for _, loader := range []string{"CDLL()", "PyDLL()", "WinDLL()", "cdll.LoadLibrary()", "pythonapi", "cdll[]"} {
		if rest, found := strings.CutPrefix(path, "ctypes."+loader+"."); found {
			return rest, !strings.Contains(rest, ".")
		}
	}
	return "", false
}
