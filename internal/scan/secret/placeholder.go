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
	welcome1 1234 12345 123456 1234567 12345678 123456789 1234567890 111111 000000`)

func isDefault(value string) bool { return defaults[strings.ToLower(value)] }

// fillers are words of which one makes a value a placeholder.
var fillers = set(`
	your example placeholder dummy fake sample redacted replace replaceme insert todo tbd fixme unset undefined
	notset mock foobar lorem`)

// blanks are whole values that say there is none.
var blanks = set(`
	none null nil nul na empty unset undefined void required optional disabled enabled auto default prompt ask
	generate generated random hidden masked unused ignored ignore skip foo bar baz foobar blank anonymous n/a
	no-password nopassword notused unknown inherit token-here`)

// small are words that people put around a credential's name to make a placeholder.
var small = set(`
	a an the my our some this that is in it here goes put enter add use set of for and not no only app test testing tests
	dev development local build ci super very key keys value string change me to be must server user db bot real`)

// placeholder returns why value is no secret if it is written to be replaced.
func placeholder(value string, n reading) string {
	switch {
	case blanks[strings.ToLower(value)]:
		return "it says that there is none"
	case strings.HasSuffix(value, "EXAMPLE"), strings.HasSuffix(value, "EXAMPLEKEY"):
		return "it is a key from a vendor's documentation"
	}
	ws := words(value)
	named, plain := false, true
	for _, w := range ws {
		if fillers[w] || strings.HasPrefix(w, "your") && len(w) > 4 {
			return "it is written to be replaced"
		}
		named = named || nouns[w] != ""
		plain = plain && (nouns[w] != "" || hints[w] != "" || keys[w] != "" || small[w])
	}
	switch {
	case variable.MatchString(value) && (plain || named):
		return "it is the name of a variable"
	case plain && len(ws) > 0 && (named || n.kind != password):
		return "it is written to be replaced"
	case named && n.kind != password && wordy(value):
		return "it is the name of a credential"
	}
	return ""
}

// wordy reports whether value is lower-case words joined by "-", "_" or ".".
func wordy(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return (r < 'a' || r > 'z') && !strings.ContainsRune("-_.", r) })
}
