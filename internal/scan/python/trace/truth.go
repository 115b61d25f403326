package trace

import (
	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// truth says whether a value may be true and whether it may be false.
func truth(v value, w *world) (yes, no bool) {
	switch v.kind {
	case noneKind:
		return false, true
	case boolKind, intKind:
		return v.num != 0, v.num == 0
	case stringKind, bytesKind:
		return v.text != "", v.text == ""
	case tupleKind, mapKind:
		return len(v.items()) > 0, len(v.items()) == 0
	case listKind, dictKind, setKind:
		if content := w.content(v.num); content.kind == tupleKind || content.kind == mapKind {
			return truth(content, w)
		}
	case functionKind, methodKind, partialKind, classKind, moduleKind, accountKind, secretKind, exceptionKind, otherKind, threadKind,
		generatorKind, managerKind, codeKind, commandKind, pathKind, regexKind:
		return true, false
	case instanceKind:
		if v.data.class.plain(w, "__bool__", "__len__") {
			return true, false
		}
	case idKind:
		switch v.data.id.Class {
		case effect.Root:
			return false, true
		case effect.User:
			return true, false
		}
	case externalKind:
		if yes, ok := knownFlags[v.text]; ok {
			return yes, !yes
		}
	}
	return true, true
}

// knownFlags are externals whose truth is the same wherever the image runs.
var knownFlags = map[string]bool{
	"typing.TYPE_CHECKING": false, "os.environ": true, "sys.argv": true, "sys.path": true, "sys.modules": true,
}

func isNone(v value) (yes, no bool) {
	switch v.kind {
	case noneKind:
		return true, false
	case unknownKind, memberKind, settingKind:
		return true, true
	case externalKind:
		return v.text[len(v.text)-1] == ')' || v.origin() != StandardLibrary, true // what a call gives may be None
	}
	return false, true
}

// switched notes that a condition which the environment decides sends paths both ways.
func (r *run) switched(c *control, v value) {
	if v.kind != settingKind {
		return
	}
	c.w.state.Switched = true
	c.w.past = c.w.past.Add(effect.Effect{Kind: effect.Condition, Call: "condition", Place: r.f.place(c.pc), Note: v.text + " decides"})
}
