package network

import (
	"regexp"
	"slices"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/commands"
	"github.com/sandbox-audit/sandbox-audit/internal/scan/shell"
)

// The words by which settings say yes and no.
var (
	yes = regexp.MustCompile(`(?i)^(1|true|yes|on|enabled?|y|t)$`)
	no  = regexp.MustCompile(`(?i)^(0|false|no|off|none|never|disabled?|n|f)$`)
)

// A variable is one that turns the verification of certificates off.
type variable struct {
	name *regexp.Regexp
	off  *regexp.Regexp // of the value
	who  string         // what reads it
}

var (
	anything = regexp.MustCompile(``)
	hosts    = regexp.MustCompile(`\S`)
	zero     = regexp.MustCompile(`^0$`)
)

// variables are those that tools document, then names that say so themselves.
var variables = []variable{
	{regexp.MustCompile(`^PYTHONHTTPSVERIFY$`), zero, "Python"},                                         // PEP 493
	{regexp.MustCompile(`^NODE_TLS_REJECT_UNAUTHORIZED$`), zero, "Node.js"},                             // nodejs.org/api/cli.html
	{regexp.MustCompile(`^GIT_SSL_NO_VERIFY$`), anything, "git, whatever its value"},                    // git's http.c asks only whether it is set
	{regexp.MustCompile(`^CURL_CA_BUNDLE$`), regexp.MustCompile(`^$`), "Python's requests before 2.28"}, // psf/requests, HISTORY, 2.28.0
	{regexp.MustCompile(`^PIP_TRUSTED_HOST$`), hosts, "pip"},
	{regexp.MustCompile(`^UV_INSECURE_HOST$`), hosts, "uv"},
	{regexp.MustCompile(`^GOINSECURE$`), hosts, "go"},
	{regexp.MustCompile(`(?i)^(npm_config|yarn)_strict_ssl$`), no, "npm"},
	{regexp.MustCompile(`^YARN_ENABLE_STRICT_SSL$`), no, "yarn"},
	{regexp.MustCompile(`^CONDA_SSL_VERIFY$`), no, "conda"},
	{regexp.MustCompile(`^BUNDLE_SSL_VERIFY_MODE$`), no, "bundler"},
	{regexp.MustCompile(`^PERL_LWP_SSL_VERIFY_HOSTNAME$`), zero, "Perl"},
	{regexp.MustCompile(`^(MAVEN_OPTS|MAVEN_ARGS|JAVA_TOOL_OPTIONS)$`), regexp.MustCompile(`wagon\.http\.ssl\.insecure=true`), "Maven"},
	{regexp.MustCompile(`^GOFLAGS$`), regexp.MustCompile(`(^|\s)-insecure`), "go"},
	{regexp.MustCompile(`(?i)^(.*_)?(verify_(ssl_certs?|ssl|tls|certs?|https)|(ssl|tls|https|certs?)_(verify|verification))$`), no, ""},
	{regexp.MustCompile(`(?i)^(.*_)?(insecure_skip_(tls_)?verify|skip_((ssl|tls|cert)_)?verif(y|ication)|(ssl|tls)_(skip|no)_verify|(ssl|tls)_insecure|disable_(ssl|tls|cert)_verif(y|ication)|ignore_(ssl|tls|https|cert(ificate)?)_errors)$`), yes, ""},
}

// docker's own: any value that is not empty turns verification on.
var onlyOn = regexp.MustCompile(`^DOCKER_TLS_VERIFY$`)

// VariableOff says what a variable of that value switches off, in half a sentence;
// empty if that is nothing.
func VariableOff(name, value string) string {
	if onlyOn.MatchString(name) {
		return ""
	}
	for _, v := range variables {
		if !v.name.MatchString(name) {
			continue
		}
		if !v.off.MatchString(value) || v.off == hosts && Loopback(value) {
			return ""
		}
		if v.who == "" {
			return "its name says that certificates are not verified"
		}
		return "it stops the verification of certificates in " + v.who
	}
	return ""
}

// curlOptions are the short options of curl that take a value (curl(1)).
var curlOptions = valued("AbcCdDeEFHKmoPQrtTuUwxXyYz")

// valued are options that take a value: short ones by their letters, and long ones.
func valued(letters string, long ...string) shell.Options {
	o := shell.Options{}
	for _, l := range letters {
		o["-"+string(l)] = string(l)
	}
	for _, l := range long {
		o[l] = l
	}
	return o
}

// A flag is an option by which a program is told not to verify.
type flag struct {
	programs *regexp.Regexp
	text     *regexp.Regexp // of the arguments on one line, a blank before each
}

func set(programs, text string) flag {
	return flag{regexp.MustCompile(`^(` + programs + `)$`), regexp.MustCompile(`(?i) (` + text + `)`)}
}

const never = `(?:[ =](?:false|0|no|off)\b)`

var flags = []flag{
	set(`wget`, `--no-check-certificate\b`),
	set(`pip[0-9.]*|python[0-9.]*|pipenv|poetry`, `--trusted-host[ =]\S+|config set \S*trusted-host \S+`),
	set(`uv|uvx`, `--(?:allow-insecure-host|trusted-host)[ =]\S+`),
	set(`npm|pnpm|yarn|npx`, `--no-strict-ssl\b|(?:-g )?(?:config )?set (?:-g )?(?:strict-ssl|enableStrictSsl)`+never+`|--strict-ssl`+never),
	set(`git`, `(?:-c|--config)[ =]http\.(?:\S+\.)?sslverify=(?:false|0|no|off)\b|config (?:set )?(?:--?\S+ )*http\.(?:\S+\.)?sslverify (?:false|0|no|off)\b`),
	set(`apt|apt-get|aptitude`, `-o ?acquire::https::(?:\S+::)?verify-(?:peer|host)=(?:false|0|no|off)\b`),
	set(`yum|dnf|microdnf|tdnf|yum-config-manager`, `--setopt[ =](?:\S+\.)?sslverify=(?:false|0|no)\b`),
	set(`apk`, `--no-check-certificate\b`),
	set(`conda|mamba|micromamba`, `--set ssl_verify (?:false|no)\b|--insecure\b|--ssl-verify`+never),
	set(`go`, `get (?:-\S+ )*-insecure\b|env -w goinsecure=\S+`),
	set(`skopeo|podman|buildah|crane`, `--(?:src-|dest-)?tls-verify=false\b|copy --insecure\b`),
	set(`kubectl|oc|helm|argocd`, `--insecure-skip-tls-verify(?:=true)?(?: |$)`),
	set(`mvn|mvnw|java`, `-dmaven\.wagon\.http\.ssl\.insecure=true`),
	set(`http|https|xh`, `--verify[ =](?:no|false|0)\b`),
	set(`aws`, `--no-verify-ssl\b`),
	set(`svn`, `--trust-server-cert\b|--trust-server-cert-failures[ =]\S+`),
	set(`hg`, `--insecure\b`),
	set(`bundle|bundler`, `config (?:set )?(?:--\S+ )*(?:ssl_verify_mode|BUNDLE_SSL_VERIFY_MODE) (?:0|none)\b`),
	set(`poetry`, `config certificates\.\S+\.cert false\b`),
	set(`gcloud`, `config set (?:\S+ )?auth/disable_ssl_validation true\b`),
	set(`az|cf|bosh`, `--skip-ssl-validation\b`),
	set(`aria2c`, `--check-certificate=false`),
	set(`composer`, `config (?:-\S+ )*disable-tls true`),
	set(`deno`, `--unsafely-ignore-certificate-errors`),
	set(`.*chrom.*|puppeteer|playwright`, `--ignore-certificate-errors\b`),
}

// CommandOff says by which option a command is told not to verify whom it talks to:
// "curl -k"; empty if it is not, or if it talks to this machine only.
func CommandOff(c commands.Command) string {
	name, args := c.Name(), c.Args()
	if name == "curl" {
		return curlOff(args)
	}
	line := ""
	for _, text := range c.Texts()[min(1, len(c.Words)):] {
		line += " " + text
	}
	for _, f := range flags {
		m := f.text.FindStringSubmatch(line)
		if m == nil || !f.programs.MatchString(name) || local(args) {
			continue
		}
		if strings.HasPrefix(name, "python") && !strings.Contains(line, " -m pip ") {
			continue
		}
		option, host := m[1], ""
		if i := strings.Index(option, "-host"); i >= 0 {
			option, host = option[:i+len("-host")], option[i+len("-host")+1:]
		}
		if Loopback(host) {
			continue
		}
		return name + " " + strings.TrimSpace(keyed.ReplaceAllString(option, "$1$2"))
	}
	return ""
}

// keyed is a setting for one URL, which could hold a login.
var keyed = regexp.MustCompile(`(?i)(http\.|https::)\S+(?:\.|::)(sslverify|verify-)`)

func curlOff(args []shell.Word) string {
	p := curlOptions.Parse(args, true)
	if local(p.Rest) {
		return ""
	}
	for _, o := range []string{"-k", "--insecure", "--proxy-insecure", "--doh-insecure"} {
		if p.Flags[o] {
			return "curl " + o
		}
	}
	return ""
}

// local reports whether the URLs among the words are all of this machine.
func local(words []shell.Word) bool {
	urls := slices.DeleteFunc(slices.Clone(words), func(w shell.Word) bool { return !strings.Contains(w.Text, "://") && !Loopback(w.Text) })
	return len(urls) > 0 && !slices.ContainsFunc(urls, func(w shell.Word) bool { return !Loopback(w.Text) })
}
