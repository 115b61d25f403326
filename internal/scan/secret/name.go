package secret

import "strings"

// strength is how much a name says that its value is a credential.
type strength uint8

const (
	none   strength = iota
	weak            // keys of all sorts, "auth": the value must look the part
	strong          // any value that is not harmless
)

// A reading is what a name says.
type reading struct {
	strength strength
	kind     string
	public   bool   // it names something that is meant to be public
	visible  bool   // it names something whose keys stand in pages and apps
	signing  bool   // it names a key that signs packages: its value is a fingerprint
	why      string // why strength is none
}

// read reads a name word by word.
func read(name string) reading {
	r := reading{why: "the name is no credential's"}
	s := splitter{text: name}
	var before term
	for w := s.next(); len(w) > 0; w = s.next() {
		t := vocabulary[string(w)]
		r.public = r.public || t.roles&open != 0
		r.visible = r.visible || t.roles&visible != 0
		r.signing = r.signing || t.roles&signs != 0
		strength, kind := says(w, t, before)
		switch {
		case strength != none && strength >= r.strength:
			r.strength, r.kind = strength, kind
		case string(w) == "cookie":
			r.strength = weak // it holds the credential, or is the name of one that does
		case strength == none && r.strength != none && t.roles&attribute != 0:
			r.strength, r.kind, r.why = none, "", "the name is that of something about a credential, not of one"
		}
		before = t
	}
	r.public = r.public || framework(name)
	switch {
	case r.strength == none:
	case r.public && r.kind != password:
		r.strength, r.kind, r.why = none, "", "the name says that it is public"
	default:
		r.why = ""
	}
	return r
}

// framework reports whether a framework puts variables with such a name into pages.
func framework(name string) bool {
	return strings.HasPrefix(name, "REACT_APP_") || strings.HasPrefix(name, "VUE_APP_")
}

// Named reports whether name is a credential's by itself, so that any value that
// is no placeholder, path or reference is one.
func Named(name string) bool { return read(name).strength == strong }

// says tells what a word makes of a name, with the word before it.
func says(w []byte, t, before term) (strength, string) {
	isKey := string(w) == "key" || string(w) == "keys"
	switch {
	case string(w) == "tokens" && before.roles&counting != 0, isKey && before.roles&indexing != 0:
		return none, ""
	case isKey && before.key != "":
		return strong, before.key
	case t.noun != "":
		return strong, t.noun
	}
	for _, end := range endings {
		if len(w) > len(end) && string(w[len(w)-len(end):]) == end {
			return strong, nouns[end]
		}
	}
	for _, end := range [...]string{"pass", "pwd", "pw"} {
		if n := len(w) - len(end); n > 0 && string(w[n:]) == end && carriers[string(w[:n])] {
			return strong, password
		}
	}
	if t.hint != "" {
		return weak, t.hint
	}
	return none, ""
}

// A splitter reads the words of a name: what stands between its separators and its
// camel's humps, lower-cased and without trailing digits. "clientAPIKey2" is client,
// api, key.
type splitter struct {
	text string
	at   int
	buf  [32]byte
}

// next returns the next word, of which it keeps the end if it is too long to be one
// of ours, or nothing at the end. The word is good until the next call.
func (s *splitter) next() []byte {
	for {
		for s.at < len(s.text) && !alnum(s.text[s.at]) {
			s.at++
		}
		start := s.at
		for s.at < len(s.text) && alnum(s.text[s.at]) && (s.at == start || !hump(s.text, s.at)) {
			s.at++
		}
		end := s.at
		for end > start && digit(s.text[end-1]) {
			end--
		}
		if end > start || s.at >= len(s.text) {
			w := s.buf[:0]
			for _, c := range []byte(s.text[max(start, end-len(s.buf)):end]) {
				if upper(c) {
					c |= 0x20
				}
				w = append(w, c)
			}
			return w
		}
	}
}

// hump reports whether a word begins inside one, at i.
func hump(s string, i int) bool {
	return upper(s[i]) && (!upper(s[i-1]) || i+1 < len(s) && lower(s[i+1]))
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func alnum(c byte) bool { return upper(c) || lower(c) || digit(c) || c >= 0x80 }
