package dockerfile

import (
	"path"
	"strings"
)

// mountPoints returns where the mounts of a RUN are, for as long as it runs (reference
// of the Dockerfile format, "RUN --mount"). Secrets and sockets are single files of
// their own.
func (e *evaluator) mountPoints(in *Instr) []string {
	var out []string
	for _, flag := range in.Flags {
		options, ok := strings.CutPrefix(flag, "--mount=")
		if !ok {
			continue
		}
		kind, target := "bind", ""
		for field := range strings.SplitSeq(options, ",") {
			switch key, value, _ := strings.Cut(field, "="); strings.ToLower(key) {
			case "type":
				kind = value
			case "target", "dst", "destination":
				target = e.word(value)
			}
		}
		if kind != "secret" && kind != "ssh" && target != "" && isKnown(target) {
			out = append(out, target)
		}
	}
	return out
}

// mount takes away what the mounts of a RUN hide, and returns what puts it back. What is
// mounted is not known, and what is written there is not in the layer.
func (l *layer) mount(s *Step) (unmount func()) {
	hidden := map[string]*node{}
	for _, target := range s.mounts {
		at := l.real(s.abs(target), true)
		if at == "/" || l.mounted(at) {
			continue
		}
		if hidden[at] = l.at(at); hidden[at] != nil {
			l.remove(at)
		}
		l.mounts = append(l.mounts, at)
	}
	return func() {
		for at, n := range hidden {
			l.remove(at)
			if dir, name := path.Split(at); n != nil {
				l.directory(dir).kids[name] = n
			}
		}
	}
}
