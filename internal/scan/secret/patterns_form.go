package secret

import "strings"

// forms are the forms of credentials that have no one issuer.
var forms = []Pattern{
	// RFC 7468, and RFC 4880 (6.2) for blocks; a header of RFC 1421 may come first.
	{
		Name: "private-key", Kind: "private key", Needles: []string{"PRIVATE KEY"}, lead: anyOf("- "), open: true, longest: Longest,
		form:  `[A-Za-z0-9 -]*?` + keyForm,
		judge: keyBody,
	},
	{
		Name: "private-key-base64", Kind: "private key in Base64", Needles: needles("LS0tLS1CRUdJTi"), open: true, longest: Longest,
		form: `LS0tLS1CRUdJTi[A-Za-z0-9+/_-]{80,}={0,2}`, judge: encodedKey,
	},
	{Name: "putty-private-key", Kind: "private key", Needles: needles("PuTTY-User-Key-File-"), open: true, longest: Longest, form: `PuTTY-User-Key-File-[23]: [\s\S]{1,}?Private-Lines: \d+\r?\n([A-Za-z0-9+/=\r\n]{40,})`},
	// RFC 7519 and RFC 7515, 3.1.
	{
		Name: "json-web-token", Kind: "JSON web token", Needles: needles("eyJ"), longest: 8192, publishable: true,
		form: `eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`, check: jwt,
	},
	// RFC 3986, 3.2.1.
	{
		Name: "url-password", Kind: "URL with a password", Needles: needles("://"), lead: anyOf("+.-"), open: true, sign: '@', longest: 1024,
		form: `[A-Za-z][A-Za-z0-9+.-]*://([^\s/?#"'<>:@` + "`" + `]*):([^\s/?#"'<>` + "`" + `]+)@[^\s"'<>]`, judge: urlPassword,
	},
	// "user:password@tcp(host)", as drivers for MySQL take it.
	{
		Name: "driver-password", Kind: "connection string with a password", Needles: needles("@tcp( @unix("), lead: unspaced, open: true,
		form: `(?:[^\s:/@"'=]*=)?([^\s:/@"'=]+):([^\s"']+?)@(?:tcp|unix)\(`, judge: userAndPassword,
	},
	// "keyword=value;..." lists: libpq, ODBC, ADO.NET, Azure's storage.
	{
		Name: "connection-string-password", Kind: "connection string with a password", Needles: needles("password= pwd= accountkey= sharedaccesskey="), Fold: true, lead: inList, open: true,
		form:  `(?i)(?:.*[;\s])?(?:server|data source|host|addr|user id|uid|user|username|database|dbname|initial catalog|endpoint|accountname|sharedaccesskeyname|port|defaultendpointsprotocol)\s{0,2}=[^;=]+(?:[;\s].*[;\s]|[;\s])(?:password|pwd|accountkey|sharedaccesskey)=([^;\s"']+)`,
		judge: func(groups []string) (found, bool) { return userAndPassword([]string{groups[0], "", groups[1]}) },
	},
	// RFC 9110, 11.6.2.
	{
		Name: "authorization-header", Kind: "authorization header", Needles: needles("authorization"), Fold: true, Generic: true, lead: joined, open: true, longest: 4096,
		form:  `(?i)(?:[\w-]*-)?authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["'` + "`" + `]?(?:bearer|token|basic|apikey)\s+([!#-%(-;=?-\[\]-_a-~]+)`,
		judge: func(groups []string) (found, bool) { return authorized(groups[1]) },
	},
	{
		Name: "assigned-secret", Kind: "secret", Fold: true, Generic: true, lead: named, open: true,
		Needles: needles("secret token passw passphrase apikey api_key api-key access_key accesskey access-key private_key privatekey auth_key authkey signing_key signingkey encryption_key encryptionkey master_key masterkey credential"),
		form:    `([\w.-]{1,100})\\?["']?\]?\s{0,8}(?::=|=>|=|:)\s{0,8}\\?["']([^"'\\\s]{8,})\\?["']`,
		judge:   besideName,
	},
}

// keyForm is a private key in PEM, up to the end of its body.
const keyForm = `(-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\s|\\n|\\r)*(?:[A-Za-z-]+: [^\n\\]*(?:\s|\\n|\\r)+)*[A-Za-z0-9+/=]{40}(?:[A-Za-z0-9+/=]|\s|\\n|\\r)*)`

// uuidForm is RFC 9562's, in lower case.
const uuidForm = `[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`

// near is the form of a value that is assigned to a name with word in it. The name
// is the first group, the value the second.
func near(word, value string) string {
	return `(?i:([\w.-]*` + word + `[\w.-]{0,40}))\\?["']?\]?\s{0,8}(?::=|=>|=|:)\s{0,8}\\?["']?(` + value + `)`
}

// named are the bytes of names.
func named(c byte) bool { return alnum(c) && c < 0x80 || c == '_' || c == '-' || c == '.' }

func unspaced(c byte) bool { return c > ' ' && c != '"' && c != '\'' }

// inList are the bytes of a list of keywords and values on one line.
func inList(c byte) bool { return c >= ' ' && !strings.ContainsRune("\"'`<>{}", rune(c)) }

// anyOf are letters, digits and the given signs.
func anyOf(signs string) func(byte) bool {
	return func(c byte) bool { return alnum(c) && c < 0x80 || strings.IndexByte(signs, c) >= 0 }
}
