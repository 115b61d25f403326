package secret

import "strings"

// role is what a word does in names, besides naming a credential.
type role uint8

const (
	attribute role = 1 << iota // behind a credential: makes a name that of something about it
	open                       // says that the value is meant to be public
	visible                    // names something whose keys stand in pages and apps
	indexing                   // before "key": one that finds something
	counting                   // before "tokens": those that are counted
	signs                      // a key that signs packages: its value is a fingerprint
)

// A term is what one word says in a name. The kinds are empty if it says no such thing.
type term struct {
	roles role
	noun  string // the kind of credential that the word names
	hint  string // the kind that it may name
	key   string // the kind that the word makes of the "key" behind it
}

const password = "password"

// nouns are the words that make a name a credential's.
var nouns = map[string]string{
	"password": password, "passwords": password, "passwd": password, "pwd": password, "psw": password, "pswd": password,
	"pw": password, "pass": password, "passcode": password, "userpass": password, "pword": password, "passwort": password,
	"passphrase": "passphrase", "psk": "pre-shared key", "mnemonic": "recovery phrase",
	"secret": "secret", "secrets": "secret", "token": "token", "tokens": "token", "tok": "token", "jwt": "token",
	"apikey": "API key", "apikeys": "API key", "authkey": "key", "accesskey": "access key", "secretkey": "secret key",
	"privatekey": "private key", "privkey": "private key", "signingkey": "signing key", "encryptionkey": "encryption key",
	"masterkey": "master key", "sharedkey": "shared key", "secretkeybase": "secret key",
	"credential": "credential", "credentials": "credential", "creds": "credential",
}

// keys are the words that make the "key" behind them a credential.
var keys = map[string]string{
	"api": "API key", "access": "access key", "secret": "secret key", "private": "private key", "priv": "private key",
	"encryption": "encryption key", "signing": "signing key", "master": "master key", "hmac": "HMAC key", "shared": "shared key",
	"fernet": "encryption key", "aes": "encryption key", "account": "account key", "storage": "account key",
}

// hints are the words that may make a name a credential's.
var hints = map[string]string{
	"key": "key", "keys": "key", "gpgkey": "key", "auth": "credential", "authorization": "credential", "cred": "credential",
	"pat": "token", "salt": "secret", "bearer": "token", "cookie": "cookie", "sas": "token", "dsn": "credential",
	"license": "license key", "seed": "seed",
}

// endings are what a word without separators ends in: PGPASSWORD, AUTHTOKEN.
var endings = []string{"password", "passwd", "passphrase", "apikey", "secret", "token"}

// carriers are what may stand before "pass" and "pwd" in one word: DBPASS. Too
// many other words end like that.
var carriers = set(`
	admin auth db ftp http key ldap mail mongo my mysql pg postgres proxy redis root smtp sql ssh store sudo user vnc`)

var roles = map[role]string{
	attribute: `
	file files filename path paths dir directory folder location mount volume sock socket stdin
	name names id ids identifier user username login email owner
	url uri urls endpoint host hostname port address domain link page doc docs
	header headers field column param parameter label title description desc help prompt hint message template
	type kind format scheme mode method backend module plugin driver class manager provider store storage helper
	version prefix suffix length len size bits max min limit limits count number num budget usage per window quota
	ttl expiry expires expiration expire timeout lifetime duration interval age days hours minutes seconds
	policy policies rotation rotate strength complexity history attempts retries validation check verify
	algorithm alg algo cipher hash hashed hasher hashers digest sha md checksum sum fingerprint cert certificate crt encoding charset
	enabled enable disabled disable required require optional allowed allow dont use
	issuer audience scope scopes realm region env var variable arn ref reference source src command cmd script
	through rate reset form dummy placeholder symbol decimals contract tokenizer cache index
	regex pattern samesite secure httponly refresh leeway skew grace schema model models namespace group role`,
	open:     `public publishable pub pubkey anon vite gatsby`,
	visible:  `maps firebase frontend browser posthog recaptcha`,
	indexing: `site cache primary partition sort routing shard foreign row index sorting object`,
	counting: `max min num total n output input context prompt completion`,
	signs:    `gpg pgp gpgkey openpgp minisign`,
}

// vocabulary is what words say in names.
var vocabulary = terms()

func terms() map[string]term {
	all := map[string]term{}
	edit := func(w string, f func(*term)) {
		t := all[w]
		f(&t)
		all[w] = t
	}
	for w, kind := range nouns {
		edit(w, func(t *term) { t.noun = kind })
	}
	for w, kind := range hints {
		edit(w, func(t *term) { t.hint = kind })
	}
	for w, kind := range keys {
		edit(w, func(t *term) { t.key = kind })
	}
	for r, list := range roles {
		for w := range strings.FieldsSeq(list) {
			edit(w, func(t *term) { t.roles |= r })
		}
	}
	return all
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}
