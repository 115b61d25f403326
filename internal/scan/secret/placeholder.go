package secret

import "strings"

// defaults are passwords and tokens that everybody knows, lower-cased.
var defaults = set(`
	admin admin123 admin1234 administrator changeit changeme changeme123 change-me change_me changethis change-this
	default docker elastic grafana guest insecure jupyter letmein manager master minio minio123 minioadmin mongo
	my-secret-pw mysecretpassword mysql neo4j oracle p@ssw0rd p@ssword pass passw0rd passwd password password1
	password12 password123 pleasechangeme postgres postgrespassword qwerty rabbitmq raspberry redis root rootpass
	rootpassword s3cr3t s3cret sa secret secret123 secretkey secretpassword supersecret supersecretkey
	supersecretpassword sys system test test123 test1234 testpass testpassword tomcat toor user vagrant welcome
	welcome1 yourstrong!passw0rd yourstrong(!)password yourstrong@passw0rd vncpassword 1234 12345 123456 1234567 12345678 123456789 1234567890 111111 000000`)

// isDefault reports whether value is a well-known default for credentials of a kind.
// "example" is one where it is a password, and only a placeholder elsewhere.
func isDefault(value, kind string) bool {
	return len(value) <= 24 && (defaults[strings.ToLower(value)] || kind == password && value == "example")
}

// fillers are words of which one makes a value a placeholder.
var fillers = set(`
	your example placeholder dummy fake sample redacted replace replaceme insert todo tbd fixme unset undefined
	notset mock foobar lorem`)

// absent are words of which one, among other words, says that the value comes later
// or from elsewhere, or is not needed.
var absent = set(`
	runtime injected provided supplied unused required needed override overridden later elsewhere unneeded
	ignored filled buildtime nothing without see vault`)

// blanks are whole values that say there is none.
var blanks = set(`
	none null nil nul na empty unset undefined void required optional disabled enabled auto default prompt ask
	generate generated random hidden masked unused ignored ignore skip foo bar baz foobar blank anonymous n/a
	no-password nopassword notused unknown inherit token-here abc123 abcd1234 secret-here password-here`)

// small are words that people put around a credential's name to make a placeholder.
var small = set(`
	a an the my our some this that is in it here goes put enter add use set of for and not no only app test testing tests
	dev development local build ci super very key keys value string change me to be must server user db bot real`)

// placeholder returns why value is no secret if it is written to be replaced.
func placeholder(value string, n reading) string {
	switch {
	case len(value) > 200:
		return ""
	case blanks[strings.ToLower(value)]:
		return "it says that there is none"
	case strings.HasSuffix(value, "EXAMPLE"), strings.HasSuffix(value, "EXAMPLEKEY"):
		return "it is a key from a vendor's documentation"
	case constant(value):
		return "it is written to be replaced"
	}
	chosen := n.kind == password && strings.ContainsAny(value, "!@#$%^&*+=~?") // as only passwords are
	s := splitter{text: value}
	count, named, plain, elsewhere := 0, false, true, false
	for w := s.next(); len(w) > 0; w = s.next() {
		count++
		if !chosen && (fillers[string(w)] || len(w) > 4 && string(w[:4]) == "your") {
			return "it is written to be replaced"
		}
		t := vocabulary[string(w)]
		named = named || t.noun != ""
		elsewhere = elsewhere || absent[string(w)]
		plain = plain && (t.noun != "" || t.hint != "" || t.key != "" || small[string(w)])
	}
	switch {
	case variable.MatchString(value) && (plain || named):
		return "it is the name of a variable"
	case plain && count > 0 && (named || n.kind != password):
		return "it is written to be replaced"
	case elsewhere && count > 1 && wordy(value):
		return "it says that the value comes from elsewhere, or is not needed"
	case named && n.kind != password && wordy(value):
		return "it is the name of a credential"
	}
	return ""
}

// constant reports whether value is one character over and over that people type
// for a value's place, whatever separates groups of it: a UUID of zeros.
func constant(value string) bool {
	first, n := byte(0), 0
	for i := range len(value) {
		switch c := value[i]; {
		case c == '-' || c == ' ' || c == ':':
		case first == 0 && strings.IndexByte("0xX*.?_#-", c) >= 0:
			first, n = c, 1
		case c != first || first == 0:
			return false
		default:
			n++
		}
	}
	return n >= 3 || n > 0 && len(value) <= 2
}

// wordy reports whether value is lower-case words joined by "-", "_", "." or spaces.
func wordy(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return (r < 'a' || r > 'z') && !strings.ContainsRune("-_. ", r) })
}
