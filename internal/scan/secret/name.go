package secret

import (
	"slices"
	"strings"
)

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
	signing  bool   // it names a key that signs packages: its value is a fingerprint
	why      string // why strength is none
}

const password = "password"

// nouns are the words that make a name a credential's.
var nouns = map[string]string{
	"password": password, "passwords": password, "passwd": password, "pwd": password, "psw": password,
	"pw": password, "pass": password, "passcode": password, "userpass": password, "pword": password,
	"passphrase": "passphrase", "psk": "pre-shared key", "mnemonic": "recovery phrase",
	"secret": "secret", "secrets": "secret", "token": "token", "tokens": "token", "jwt": "token",
	"apikey": "API key", "apikeys": "API key", "authkey": "key", "accesskey": "access key", "secretkey": "secret key",
	"privatekey": "private key", "privkey": "private key", "signingkey": "signing key", "encryptionkey": "encryption key",
	"masterkey": "master key", "credential": "credential", "credentials": "credential", "creds": "credential",
}

// keys are the words that make the "key" behind them a credential.
var keys = map[string]string{
	"api": "API key", "access": "access key", "secret": "secret key", "private": "private key", "priv": "private key",
	"encryption": "encryption key", "signing": "signing key", "master": "master key", "hmac": "HMAC key",
	"fernet": "encryption key", "aes": "encryption key",
}

// endings are what a word without separators ends in: PGPASSWORD, AUTHTOKEN.
var endings = []string{"password", "passwd", "passphrase", "apikey", "secret", "token"}

// carriers are what may stand before "pass" and "pwd" in one word: DBPASS. Too
// many other words end like that.
var carriers = []string{
	"admin", "auth", "db", "ftp", "http", "key", "ldap", "mail", "mongo", "my", "mysql", "pg", "postgres", "proxy",
	"redis", "root", "smtp", "sql", "ssh", "store", "sudo", "user", "vnc",
}

// hints are the words that may make a name a credential's.
var hints = map[string]string{
	"key": "key", "keys": "key", "gpgkey": "key", "auth": "credential", "authorization": "credential", "cred": "credential",
	"pat": "token", "salt": "secret", "bearer": "token", "cookie": "cookie", "sas": "token", "dsn": "credential",
}

// attributes are the words that, behind a credential, make a name that of
// something about it: where it is, how long it lasts, what it is called.
var attributes = set(`
	file files filename path paths dir directory folder location mount volume sock socket stdin
	name names id ids identifier user username login email owner
	url uri urls endpoint host hostname port address domain link page doc docs
	header headers field column param parameter label title description desc help prompt hint message template
	type kind format scheme mode method backend module plugin driver class manager provider store storage helper
	version prefix suffix length len size bits max min limit limits count number num budget usage per window quota
	ttl expiry expires expiration expire timeout lifetime duration interval age days hours minutes seconds
	policy policies rotation rotate strength complexity history attempts retries validation check verify
	algorithm alg algo cipher hash hashed hasher hashers digest sha md checksum sum fingerprint cert certificate crt encoding charset
	enabled enable disabled disable required require optional allowed allow dont
	issuer audience scope scopes realm region env var variable arn ref reference source src command cmd script
	through rate reset form dummy placeholder symbol decimals contract tokenizer`)

// publics are the words of what is meant to be seen.
var publics = set(`public publishable pub pubkey anon`)

// indexes stand before a "key" that finds something, or that a page shows.
var indexes = set(`site cache primary partition sort routing shard foreign row index`)

// counters stand before "tokens" that are counted, not secret.
var counters = set(`max min num total n output input context prompt completion`)

// signers name keys that images publish the fingerprints of.
var signers = set(`gpg pgp gpgkey openpgp minisign`)

// read reads a name word by word.
func read(name string) reading {
	ws := words(name)
	r := reading{why: "the name is no credential's"}
	for i, w := range ws {
		r.public = r.public || publics[w]
		r.signing = r.signing || signers[w]
		s, kind := noun(ws, i)
		switch {
		case s != none && s >= r.strength:
			r.strength, r.kind = s, kind
		case s == none && r.strength != none && attributes[w]:
			return reading{public: r.public, why: "the name is that of something about a credential, not of one"}
		}
	}
	switch {
	case r.strength == none:
	case r.public && r.kind != password:
		return reading{public: true, why: "the name says that it is public"}
	default:
		r.why = ""
	}
	return r
}

// Named reports whether name is a credential's by itself, so that any value that
// is no placeholder, path or reference is one.
func Named(name string) bool { return read(name).strength == strong }

// noun says what the word at i makes of a name.
func noun(ws []string, i int) (strength, string) {
	w := ws[i]
	if w == "tokens" && i > 0 && counters[ws[i-1]] {
		return none, ""
	}
	if (w == "key" || w == "keys") && i > 0 && indexes[ws[i-1]] {
		return none, ""
	}
	if (w == "key" || w == "keys") && i > 0 && keys[ws[i-1]] != "" {
		return strong, keys[ws[i-1]]
	}
	if kind := nouns[w]; kind != "" {
		return strong, kind
	}
	for _, end := range endings {
		if strings.HasSuffix(w, end) {
			return strong, nouns[end]
		}
	}
	for _, end := range []string{"pass", "pwd", "pw"} {
		if before, ok := strings.CutSuffix(w, end); ok && slices.Contains(carriers, before) {
			return strong, password
		}
	}
	if kind := hints[w]; kind != "" {
		return weak, kind
	}
	return none, ""
}

// words splits a name at its separators and at its camel's humps, lower-cased and
// without trailing digits: "clientAPIKey2" is client, api, key.
func words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if w := strings.TrimRight(strings.ToLower(name[start:end]), "0123456789"); w != "" {
			out = append(out, w)
		}
	}
	for i := range len(name) {
		switch c := name[i]; {
		case !alnum(c):
			flush(i)
			start = i + 1
		case i > start && upper(c) && (!upper(name[i-1]) || i+1 < len(name) && lower(name[i+1])):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return out
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }
func alnum(c byte) bool { return upper(c) || lower(c) || digit(c) || c >= 0x80 }
