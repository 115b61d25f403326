package trace

import (
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// compare is x op y: a boolean, or not known.
func compare(op string, x, y value, w *world) value {
	var result answer
	switch op {
	case "==", "is":
		result = equal(x, y)
	case "!=", "is not":
		result = equal(x, y).not()
	case "in":
		result = contains(y, x, w)
	case "not in":
		result = contains(y, x, w).not()
	default:
		result = inOrder(op, x, y)
	}
	if result != undecided {
		return boolean(result == yes)
	}
	for _, v := range []value{x, y} {
		if v.kind == settingKind {
			return v // the environment decides
		}
	}
	return unknown
}

// answer is yes, no or undecided.
type answer uint8

const (
	undecided answer = iota
	no
	yes
)

func (a answer) not() answer {
	switch a {
	case yes:
		return no
	case no:
		return yes
	}
	return undecided
}

func answered(b bool) answer {
	if b {
		return yes
	}
	return no
}

// inOrder compares numbers; an id of which only is known that it isn't 0 with a number too: ids are not negative.
func inOrder(op string, x, y value) answer {
	if x.kind == intKind && y.kind == intKind {
		switch op {
		case "<":
			return answered(x.num < y.num)
		case "<=":
			return answered(x.num <= y.num)
		case ">":
			return answered(x.num > y.num)
		}
		return answered(x.num >= y.num)
	}
	if x.kind == idKind && y.kind == intKind && x.data.id.Class == effect.User {
		if y.num <= 0 {
			return answered(op == ">" || op == ">=")
		}
		if y.num == 1 && (op == ">=" || op == "<") {
			return answered(op == ">=")
		}
	}
	if x.kind == externalKind && x.text == "sys.version_info" && y.kind == tupleKind && len(y.items()) > 0 && y.items()[0].kind == intKind {
		if major := y.items()[0].num; major < 3 || major == 3 && len(y.items()) == 1 {
			return answered(op == ">" || op == ">=")
		}
	}
	return undecided
}

// equal says whether the two are equal.
func equal(x, y value) answer {
	if x.kind > y.kind {
		x, y = y, x
	}
	switch {
	case x.kind == noneKind:
		if isYes, isNo := isNone(y); isYes != isNo {
			return answered(isYes)
		}
	case numeric(x) && numeric(y):
		return equalIDs(toID(x), toID(y))
	case scalar(x) && scalar(y):
		return answered(x.kind == y.kind && x.text == y.text && x.num == y.num)
	case x.kind == stringKind && y.kind == secretKind && x.text == "":
		return no
	case x.kind == tupleKind && y.kind == tupleKind:
		return equalAll(x.items(), y.items())
	case x.kind == stringKind && y.kind == otherKind:
		if among(y.items(), x, 1) == yes {
			return no
		}
	case x.same(y) && (x.kind == functionKind || x.kind == classKind || x.kind == moduleKind || x.kind == instanceKind):
		return yes
	}
	return undecided
}

func scalar(v value) bool {
	return v.kind == stringKind || v.kind == bytesKind || v.kind == intKind || v.kind == boolKind || v.kind == noneKind
}

func numeric(v value) bool { return v.kind == intKind || v.kind == boolKind || v.kind == idKind }

func equalIDs(a, b effect.ID) answer {
	switch {
	case a.Class == effect.Unknown || b.Class == effect.Unknown:
		return undecided
	case a.Class != b.Class:
		return no
	case a.Known && b.Known:
		return answered(a.Num == b.Num)
	case a.Name != "" && a.Name == b.Name:
		return yes
	}
	return undecided
}

func equalAll(xs, ys []value) answer {
	if len(xs) != len(ys) {
		return no
	}
	all := yes
	for i := range xs {
		switch equal(xs[i], ys[i]) {
		case no:
			return no
		case undecided:
			all = undecided
		}
	}
	return all
}

// contains says whether x is in the container.
func contains(container, x value, w *world) answer {
	switch container.kind {
	case externalKind:
		if container.text == "os.environ" {
			return w.inEnviron(x)
		}
	case stringKind:
		if x.kind == stringKind {
			return answered(strings.Contains(container.text, x.text))
		}
	case tupleKind:
		return among(container.items(), x, 1)
	case listKind, setKind:
		if content := w.content(container.num); content.kind == tupleKind {
			return among(content.items(), x, 1)
		}
	case dictKind:
		switch content := w.content(container.num); content.kind {
		case mapKind:
			return among(content.items(), x, 2)
		case watchedKind:
			return inWatched(content, x, w)
		}
	}
	return undecided
}

func among(items []value, x value, stride int) answer {
	found := no
	for i := 0; i < len(items); i += stride {
		switch equal(items[i], x) {
		case yes:
			return yes
		case undecided:
			found = undecided
		}
	}
	return found
}
