// Package effect is the vocabulary of what a program does to its credentials and to its environment between its start and the first untrusted
// code: effects in order, the state they lead to, the places where untrusted code starts, and what does not hold there.
//
// It promises to judge by the kernel's rules only (credentials(7), environ in proc(5), prctl(2)): a State says what is shown, and every
// question to it has three answers, because what is not known is never taken for good.
package effect

import "fmt"

// Place is where in a program something happens.
type Place struct {
	File     string // as it is to be shown: path in the image or the build context
	Line     int    // 0 if not known
	Function string // "main"; empty if there is none
}

// String is the place as file:line.
func (p Place) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// Kind is the kind of an effect.
type Kind uint8

// The kinds of effects.
const (
	SetGroups      Kind = iota + 1 // setgroups, initgroups
	SetGID                         // setgid, setegid, setregid, setresgid
	SetUID                         // setuid, seteuid, setreuid, setresuid
	ReadVariable                   // reads a watched variable
	RemoveVariable                 // removes one for good: from the mapping and from the process
	KeepVariable                   // seems to remove one, and does not or only in part; Note says how
	AddVariable                    // puts one (back) into the environment
	Prctl                          // prctl, securebits, capabilities
	RunCode                        // exec, eval, runpy: code in this process
	LoadModule                     // a module that is not the framework's own, or is not known
	CallOut                        // a call into third-party code
	StartProcess                   // a child process
	ReplaceProcess                 // exec*: another program in this process
	Fork                           // fork without exec
	StartThread                    // a thread or executor
	Bind                           // a socket is bound; Note holds the address if known
	Condition                      // a condition that the environment decides; Note says which
	Argument                       // a watched variable's value on a command line
)

// ImageSetting is the Note of a Condition whose Call names a variable that the image sets: who starts a container can set it otherwise.
const ImageSetting = "its value is the image's own"

// Effect is one thing the program does.
type Effect struct {
	Kind      Kind
	Call      string // as it is to be shown: "os.setuid(1000)"; never a secret's value
	Place     Place
	Variables Variables // of the watched ones, those it is about
	Failed    bool      // the path on which the call raises
	Note      string    // what is to be added, in words; may be empty
}

// History is the effects of a path, last first. It is shared between paths; nil is empty.
type History struct {
	Last   Effect
	Before *History
}

// Add is h and then e.
func (h *History) Add(e Effect) *History { return &History{Last: e, Before: h} }

// Effects lists the effects in the order in which they happen.
func (h *History) Effects() []Effect {
	n := 0
	for x := h; x != nil; x = x.Before {
		n++
	}
	all := make([]Effect, n)
	for x := h; x != nil; x = x.Before {
		n--
		all[n] = x.Last
	}
	return all
}

// Variables is a set of watched variables, by their index in Outcome.Watched: bit i for the i-th. 64 are enough for anyone.
type Variables uint64

// Names lists the names of the set, given all the watched ones.
func (v Variables) Names(watched []string) []string {
	var out []string
	for i, name := range watched {
		if v&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}

// All is the set of n variables.
func All(n int) Variables { return Variables(1)<<min(n, 64) - 1 }
