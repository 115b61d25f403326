package secret

import (
	"strings"
	"testing"
)

// verdicts in the tables below
const (
	no      = "no"
	yes     = "YES"
	known   = "default"
	reviews = "either"
)

type envCase struct{ name, value, want string }

func check(t *testing.T, cases []envCase) {
	t.Helper()
	seen := map[envCase]bool{}
	for _, c := range cases {
		if seen[c] {
			t.Errorf("%s stands twice in the table", c.name)
		}
		seen[c] = true
		j := Judge(c.name, c.value)
		got := no
		switch {
		case j.Secret:
			got = yes
		case j.Default:
			got = known
		}
		if got != c.want && c.want != reviews {
			t.Errorf("%s=%s: %s (%s: %s), want %s", c.name, c.value, got, j.Kind, j.Reason, c.want)
		}
		if j.Secret != (j.Confidence > 0) || (j.Secret || j.Default) != (j.Kind != "") {
			t.Errorf("%s=%s: %+v contradicts itself", c.name, c.value, j)
		}
		if j.Reason == "" {
			t.Errorf("%s=%s: no reason", c.name, c.value)
		}
	}
}

func TestJudgeFalseAlarms(t *testing.T) {
	m := newMaker()
	check(t, []envCase{
		{"libcrypto3", "3.1.4-r1", no}, // D27
		{"keyring", "=24.0", no},       // D27
		{"access.log", "/proc/self/fd/2", no},
		{"WORDPRESS_CLI_GPG_KEY", strings.ToUpper(m.hex(40)), no}, // D29
		{"GOPRIVATE", "git.corp/*", no},                           // D31
		{"GOPASS_VERSION", "1.15", no},                            // D33
		{"ACCESS_KEY_ID_DOC_URL", "https://x/y", no},              // D34
		{"instance_types_file_key", "general", no},                // D39
		{"AWS_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE", no},         // D35: the vendor's documentation
		{"AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", no},
		{"GPG_KEYS", strings.ToUpper(m.hex(40)) + " " + strings.ToUpper(m.hex(40)), no},
		{"RABBITMQ_PGP_KEY_ID", "0x" + strings.ToUpper(m.hex(16)), no},
		{"NGINX_GPGKEY", strings.ToUpper(m.hex(40)), no},
		{"NODE_RELEASE_KEY", strings.ToUpper(m.hex(40)), no},
		{"KEEPASSXC_VERSION", "2.7.6", no},
		{"NGINX_PROXY_PASS_URL", "http://app:8000", no},
		{"Access-Control-Allow-Credentials", "true", no},
		{"SSH_GATEWAY_PUBLIC_KEY", m.text(60), no},
		{"JWT_PUBLIC_KEY", m.pem("PUBLIC KEY"), no},
		{"PUBLIC_ALGOLIA_API_KEY", m.hex(32), no},
		{"POSTHOG_API_KEY", "phc_" + m.text(43), no},
		{"NEXT_PUBLIC_FIREBASE_API_KEY", "AIza" + m.text(35), no},
		{"NEXT_PUBLIC_SUPABASE_ANON_KEY", m.jwt(), no},
		{"STRIPE_PUBLISHABLE_KEY", "pk_live_" + m.text(24), no},
		{"STRIPE_API_KEY", "pk_test_" + m.text(24), no},
		{"COPYBARA_SHA256", m.hex(64), no},
		{"GIT_COMMIT", m.hex(40), no},
		{"OPENAI_API_KEY", "<your_openai_api_key>", no},
		{"ANTHROPIC_API_KEY", "sk-ant-your-key-here", no},
		{"HF_TOKEN", "hf_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", no},
		{"GITHUB_TOKEN", "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", no},
		{"LABEL", "ghp_" + "1234567890abcdefghijklmnopqrstuvwxyz", no},
		{"TOKEN", "UNSET", no},
		{"TOKEN", "xxx", no},
		{"TOKEN", "***", no},
		{"SANDBOX_TOKEN", "dummy-token-for-sandbox", no},
		{"API_KEY", "your_key_here", no},
		{"API_KEY", "YourApiKeyHere", no},
		{"API_KEY", "example", no},
		{"API_KEY", "placeholder", no},
		{"API_KEY", "REPLACE_ME", no},
		{"API_KEY", "[insert key]", no},
		{"API_KEY", "api-key", no},
		{"API_KEY", "none", no},
		{"SECRET_KEY", "test-secret-key", no},
		{"SECRET_KEY", "build-only", no},
		{"SECRET_KEY", "$SECRET_KEY", no},
		{"SECRET_KEY", "${SECRET_KEY}", no},
		{"SECRET_KEY", "${SECRET_KEY:-}", no},
		{"SECRET_KEY", "%SECRET_KEY%", no},
		{"SECRET_KEY", "{{ secret_key }}", no},
		{"SECRET_KEY", "$(cat /run/secrets/key)", no},
		{"SECRET_KEY", "`cat /run/secrets/key`", no},
		{"AUTH_HEADER", "Bearer ${TOKEN}", no},
		{"AUTH_TOKEN", "pre-${TOKEN}", no},
		{"PASSWORD", "${PASSWORD:-changeme}", known},
		{"TOKEN_URL", "https://issuer.example/token", no},
		{"TOKEN_ENDPOINT", "https://issuer.example/token", no},
		{"TOKEN_TTL", "3600s", no},
		{"TOKEN_EXPIRY_DAYS", "30", no},
		{"TOKEN_TYPE", "bearerbearer", no},
		{"TOKEN_HEADER_NAME", "X-Auth-Token-Header", no},
		{"TOKEN_AUDIENCE", "orders-service-eu", no},
		{"TOKEN_ALGORITHM", "HS256-RS256-ES256", no},
		{"SECRET_NAME", "prod/orders/db-credentials", no},
		{"SECRET_ARN", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x", no},
		{"DB_PASSWORD", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:x", no},
		{"DB_PASSWORD", "op://vault/item/password", no},
		{"DB_PASSWORD", "vault:secret/data/db#password", no},
		{"SECRET", "orders-db-credentials", no},
		{"TOKEN_VAR", "GITHUB_ACCESS_TOKEN", no},
		{"TOKEN", "GITHUB_ACCESS_TOKEN", no},
		{"PASSWORD_MIN_LENGTH", "12", no},
		{"PASSWORD_POLICY", "upper-lower-digit", no},
		{"PASSWORD_HASH_ALGORITHM", "argon2id-argon2i", no},
		{"PASSWORD_HASHERS", "argon2", no},
		{"RECAPTCHA_SITE_KEY", "6Le" + m.text(37), no},
		{"CACHE_KEY", m.text(32), no},
		{"PASSWORD_RESET_TIMEOUT", "259200", no},
		{"MYSQL_ALLOW_EMPTY_PASSWORD", "yes", no},
		{"MYSQL_RANDOM_ROOT_PASSWORD", "1", no},
		{"POSTGRES_HOST_AUTH_METHOD", "scram-sha-256", no},
		{"BASIC_AUTH", "enabled", no},
		{"AUTH_PROVIDER", "keycloak-openid-connect", no},
		{"SSH_AUTH_SOCK", "/run/ssh-agent.sock", no},
		{"PWD", "/app", no},
		{"OLDPWD", "/", no},
		{"BYPASS_CACHE", "somewhere", no},
		{"MULTIPASS_HOME", "/opt/multipass", no},
		{"AUTHOR", "Jane Doe <jane@example.com>", no},
		{"AUTHORS", "jane, joe and 12 others1234567890", no},
		{"TURKEY_REGION", "ankara", no},
		{"HOTKEYS", "ctrl-c,ctrl-v", no},
		{"KEYMAP", "de-latin1-nodeadkeys", no},
		{"SESSION_ID", m.hex(32), no},
		{"PRIMARY_KEY", "order_id", no},
		{"SORT_KEY", "created_at", no},
		{"IDEMPOTENCY_KEY", "9f1c2b3a-1111-4222-8333-444455556666", no},
		{"CONTEXT_TOKENS", "131072", no},
		{"SECRETS_BACKEND", "airflow.providers.hashicorp", no},
		{"DOCKER_CONTENT_TRUST", "1", no},
		{"REGISTRY", "registry.example:5000/team/app:1.2", no},
		{"BASE_IMAGE", "python@sha256:" + m.hex(64), no},
		{"PROXY", "http://proxy:3128", no},
		{"REPO", "https://git@git.corp/team/app.git", no},
		{"REPO", "git@git.corp:team/app.git", no},
		{"DATABASE_URL", "postgres://db/x", no},
		{"DATABASE_URL", "postgres://app@db/x", no},
		{"DATABASE_URL", "postgres://app:$DB_PASSWORD@db/x", no},
		{"DATABASE_URL", "postgres://app:${DB_PASSWORD}@db/x", no},
		{"DATABASE_URL", "postgres://<user>:<password>@db/x", no},
		{"DATABASE_URL", "postgres://user:xxx@db/x", no},
		{"SENTRY_DSN", "https://" + m.hex(32) + "@o1.ingest.example/1", no},
		{"PRIVATE_KEY", "-----BEGIN RSA PRIVATE KEY-----", no}, // D35: no body
		{"TLS_CERTIFICATE", m.pem("CERTIFICATE"), no},
		{"TLS_KEY", "/etc/tls/tls.key", no},
		{"TLS_KEY", "tls.key", no},
		{"SIGNING_KEY", "certs/signing.pem", no},
		{"PASSWORD", "$6$salt$" + m.text(86), no},
		{"PATH", "/usr/local/bin:/usr/bin:/bin", no},
		{"LANG", "C.UTF-8", no},
		{"PYTHONPATH", "/app:/app/lib", no},
		{"NODE_OPTIONS", "--max-old-space-size=4096", no},
		{"LS_COLORS", "rs=0:di=01;34:ln=01;36", no},
		{"COUNT", "12345678", no},
		{"TOKEN_COUNT", m.text(24), no},
	})
}

func TestJudgeSecrets(t *testing.T) {
	m := newMaker()
	check(t, []envCase{
		{"PASSWORD", "hunter2hunter2", yes},        // D40
		{"API_KEY", m.text(12) + "=b", yes},        // D42
		{"NPM_TOKEN", "npm_" + m.text(36), yes},    // D45
		{"X", "postgres://u:p@h/db", yes},          // D44
		{"X_API_KEY", m.text(24), yes},             // D26
		{"X", m.github("ghp_"), yes},               // D44
		{"X", "ghp_" + m.text(36), yes},            // no checksum, but random
		{"SESSION_TOKEN", m.hex(32), yes},          // the session's own
		{"SESSION_TOKEN", m.text(12) + "1a", yes},  //
		{"AWS_SECRET_ACCESS_KEY", m.text(40), yes}, //
		{"AWS_SECRET_ACCESS_KEY", "/" + m.text(39), yes},
		{"awsSecretAccessKey", m.text(20) + "/" + m.text(19), yes},
		{"JUPYTER_TOKEN", "opensandboxcodeinterpreterjupyter", yes}, // fixed, of low entropy, and real
		{"SECRET_KEY_BASE", m.hex(128), yes},
		{"SECRET_KEY", "django-insecure-" + m.text(50), yes},
		{"dbPassword", "correct horse battery staple", yes},
		{"DB_PASSWORD_PROD", "Tr0ub4dor&3", yes},
		{"DBPASS", "Tr0ub4dor&3", yes},
		{"MYSQLPASSWORD", "Tr0ub4dor&3", yes},
		{"NEXT_PUBLIC_DB_PASSWORD", "Tr0ub4dor&3", yes},
		{"REDIS_PASSWORD", "pa$$word-of-ours", yes},
		{"CERT_PASSWORD", "Tr0ub4dor&3", yes},
		{"KEY_PASSPHRASE", "open sesame now", yes},
		{"AUTHTOKEN", m.text(20), yes},
		{"GITHUB_PAT", m.text(40), yes},
		{"COOKIE_SECRET", m.text(32), yes},
		{"ENCRYPTION_KEY", m.hex(64), yes},
		{"APP_KEY", "base64:" + base64Of(m.text(32)), yes},
		{"HEROKU_API_KEY", "1f0c9a3e-5b7d-4c2a-9e8f-6d5b4a3c2e1f", yes},
		{"AZURE_STORAGE_KEY", m.text(86) + "==", yes},
		{"client-secret", m.text(20), yes},
		{"api.key", m.text(20), yes},
		{"SECRET", "'" + m.text(20) + "'", yes},
		{"TOKEN", "${TOKEN:-" + m.text(20) + "}", yes},
		{"TOKEN", "s3cr3tt0ken", yes},
		{"NEXT_PUBLIC_OPENAI", "sk-proj-" + m.text(40), yes},
		{"SSH_PRIVATE_KEY", m.pem("OPENSSH PRIVATE KEY"), yes},
		{"SSH_PRIVATE_KEY", strings.ReplaceAll(m.pem("RSA PRIVATE KEY"), "\n", `\n`), yes},
		{"SSH_PRIVATE_KEY", base64Of(m.pem("OPENSSH PRIVATE KEY")), yes},
		{"BLOB", base64Of(`{"type":"service_account","private_key":"` + strings.ReplaceAll(m.pem("PRIVATE KEY"), "\n", `\n`) + `"}`), yes},
		{"ANYTHING", "mongodb+srv://app:" + m.text(12) + "@cluster0.example/x", yes},
		{"ANYTHING", "redis://:" + m.text(12) + "@redis:6379/0", yes},
		{"ANYTHING", "postgres://app:p%40ss2word@db/x", yes},
		{"ANYTHING", "app:" + m.text(12) + "@tcp(db:3306)/x", yes},
		{"ConnectionStrings__Db", "Server=db;User Id=app;Password=" + m.text(12) + ";", yes},
		{"LIBPQ", "host=db user=app password=" + m.text(12), yes},
		{"AZURE", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=" + m.text(86) + "==;", yes},
		{"INDEX", "https://pypi.corp/simple?token=" + m.text(24) + "&x=1", yes},
		{"COMPOSER_AUTH", `{"http-basic":{"repo.corp":{"username":"u","password":"` + m.text(12) + `"}}}`, yes},
		{"DOCKER_AUTH_CONFIG", `{"auths":{"r.corp":{"auth":"` + base64Of("user:"+m.text(12)) + `"}}}`, yes},
		{"SLACK_URL", "https://hooks.slack.com/services/T" + m.of(base32, 8) + "/B" + m.of(base32, 8) + "/" + m.text(24), yes},
	})
}

func TestJudgeDefaults(t *testing.T) {
	check(t, []envCase{
		{"MINIO_ROOT_PASSWORD", "minioadmin", known},
		{"POSTGRES_PASSWORD", "postgres", known},
		{"POSTGRES_PASSWORD", "mysecretpassword", known},
		{"MYSQL_ROOT_PASSWORD", "my-secret-pw", known},
		{"ADMIN_PASSWORD", "changeme", known},
		{"ADMIN_PASSWORD", "Change-Me", known},
		{"DB_PASS", "pass", known},
		{"AUTH_SECRET", "supersecretkey", known},
		{"PASSWORD", "123456", known},
		{"DATABASE_URL", "postgres://postgres:postgres@db/x", known},
		{"AMQP_URL", "amqp://guest:guest@mq/", known},
		{"MINIO_ROOT_USER", "minioadmin", no},
		{"POSTGRES_USER", "postgres", no},
	})
}

func TestDescribe(t *testing.T) {
	for value, want := range map[string]string{"": "0 characters", "x": "1 character", "hunter2": "7 characters", "ghp_": "4 characters", "pässword": "8 characters"} {
		if got := Describe(value); got != want {
			t.Errorf("Describe(%q) = %q, want %q", value, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for name, want := range map[string]string{
		"DB_PASSWORD": "db password", "clientAPIKey2": "client api key", "x-api-key": "x api key", "KEYCLOAK": "keycloak",
		"PYTHON_SHA256": "python sha", "GitHubToken": "git hub token", "": "", "__": "", "a.B-c": "a b c", "npm_config__auth": "npm config auth",
	} {
		if got := strings.Join(words(name), " "); got != want {
			t.Errorf("words(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestInText(t *testing.T) {
	m := newMaker()
	token, pass, opaque := m.github("ghp_"), m.text(14), m.text(24)
	for _, c := range []struct{ name, text, secret, kind, key string }{
		{"token in a clone", "git clone https://x-access-token:" + token + "@github.com/a/b", token, "GitHub token", ""},
		{"password in a URL", "pip install -i https://u:" + pass + "@pypi.corp/simple x", pass, "URL with a password", ""},
		{"bearer", `curl -H "Authorization: Bearer ` + opaque + `" https://x`, opaque, "authorization header", "Authorization"},
		{"header", `curl -H 'X-Api-Key: ` + opaque + `' https://x`, opaque, "API key", "X-Api-Key"},
		{"assignment", "export DB_PASSWORD=" + pass + " && make", pass, "password", "DB_PASSWORD"},
		{"quoted", `API_KEY="` + opaque + `" make`, opaque, "API key", "API_KEY"},
		{"option", "mysql --password=" + pass + " -u app", pass, "password", "password"},
		{"json", `echo '{"password": "` + pass + `"}' > c.json`, pass, "password", "password"},
		{"connection string", `app --db "Server=db;Password=` + pass + `;"`, pass, "connection string with a password", ""},
	} {
		hits := InText(c.text)
		if len(hits) != 1 {
			t.Errorf("%s: %d hits, want 1: %+v", c.name, len(hits), hits)
			continue
		}
		h := hits[0]
		if h.Own != strings.Contains(h.Kind, "GitHub") {
			t.Errorf("%s: its own form tells: %t", c.name, h.Own)
		}
		if got := c.text[h.Offset : h.Offset+h.Length]; got != c.secret || h.Kind != c.kind || h.Name != c.key {
			t.Errorf("%s: %+v at %q", c.name, h, got)
		}
	}
	for _, text := range []string{
		"apk add libcrypto3=3.1.4-r1 libsecret=0.20.5-r0",            // D27
		"pip install keyring==24.0 secrets==1.0 pytest-token==2.3.4", // D27
		`echo "access.log = /proc/self/fd/2" >> /etc/php.conf`,       // D28
		`--mount=type=secret,id=NPM_TOKEN npm ci`,
		`curl -H "Authorization: Bearer $TOKEN" https://x`,
		`if [ "$TOKEN" = "abcdefgh1234" ]; then true; fi`,
		`docker login --password-stdin < /run/secrets/p`,
		`PASSWORD=$(cat /run/secrets/p) make`,
		`POSTGRES_PASSWORD=postgres make test`, // a default: no leaked secret
		`PASSWORD="<your password>" make`,
		"",
	} {
		if hits := InText(text); len(hits) != 0 {
			t.Errorf("%s: %+v, want none", text, hits)
		}
	}
}

func FuzzJudge(f *testing.F) {
	m := newMaker()
	for _, s := range []string{"", "password", "the name says so", "${A:-${B:-x}}", "://?a=://?a=b", m.jwt(), m.github("ghp_"), base64Of(`{"password":"x"}`)} {
		f.Add("DB_PASSWORD", s)
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		j := Judge(name, value)
		if len(value) >= 6 && strings.Contains(j.Reason, value) {
			t.Errorf("the reason holds the value: %q", j.Reason)
		}
		if j.Secret && j.Default {
			t.Error("both a secret and a default")
		}
		end := 0
		for _, h := range InText(value) {
			if h.Offset < end || h.Length <= 0 || h.Offset+h.Length > len(value) {
				t.Errorf("%+v is no place in %d bytes, or overlaps the one before", h, len(value))
			}
			end = h.Offset + h.Length
		}
	})
}

// words are all the words of a text.
func words(text string) []string {
	var all []string
	s := splitter{text: text}
	for w := s.next(); len(w) > 0; w = s.next() {
		all = append(all, string(w))
	}
	return all
}
