package effect

import "strconv"

// Class says what is known about an id.
type Class uint8

// The classes.
const (
	Unknown Class = iota
	Root          // 0
	User          // not 0
)

// ID is a user or group id. The zero value is one of which nothing is known.
type ID struct {
	Class Class
	Known bool   // Number is known
	Num   int64  // the number
	Name  string // the account's name, if the program looked it up by name
}

// Number is the id n.
func Number(n int64) ID {
	if n == 0 {
		return ID{Class: Root, Known: true}
	}
	return ID{Class: User, Known: true, Num: n}
}

// Named is the id of the account or group of that name: root's is 0, every other one's is taken for not 0 (whether the account exists and what
// its number is can be looked up in the image by who knows it).
func Named(name string) ID {
	if name == "root" {
		return ID{Class: Root, Known: true, Name: name}
	}
	return ID{Class: User, Name: name}
}

// String shows the id: "1000", "sandbox", "?".
func (i ID) String() string {
	switch {
	case i.Name != "":
		return i.Name
	case i.Known:
		return strconv.FormatInt(i.Num, 10)
	case i.Class == User:
		return "not 0"
	}
	return "?"
}

// IDs are the three ids of a process, of users or of groups (credentials(7)).
type IDs struct{ Real, Effective, Saved ID }

// Same is three times the same id.
func Same(i ID) IDs { return IDs{i, i, i} }

// any reports whether one of the ids is of the class.
func (i IDs) any(c Class) bool {
	return i.Real.Class == c || i.Effective.Class == c || i.Saved.Class == c
}

// Groups says what is known about the supplementary groups.
type Groups uint8

// The groups.
const (
	GroupsUnknown   Groups = iota
	GroupsInherited        // what root was started with, 0 among them
	GroupsSafe             // none, or only ones that are not 0
	GroupsRoot             // 0 is one of them
)
