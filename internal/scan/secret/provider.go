package secret

import (
	"encoding/base64"
	"encoding/json"
	"hash/crc32"
	"regexp"
	"strings"
)

// A provider is one form of token that says by itself what it is.
type provider struct {
	prefix      string         // literal; what may be shown of a token
	form        *regexp.Regexp // of the whole token
	kind        string
	publishable bool               // some are meant to be seen: a public name clears it
	valid       func(string) level // nil if the form is all there is
}

// level is what a check of a token's inside says.
type level uint8

const (
	wrong level = iota
	possible
	right
)

// token compiles a provider's form, anchored at the token's start.
func token(prefix, rest, kind string) provider {
	return provider{prefix: prefix, form: regexp.MustCompile("^" + regexp.QuoteMeta(prefix) + "(?:" + rest + ")"), kind: kind}
}

func (p provider) checked(valid func(string) level) provider { p.valid = valid; return p }

func (p provider) public() provider { p.publishable = true; return p }

// providers are the forms that token issuers document, or that their tokens show.
var providers = []provider{
	token("ghp_", `[A-Za-z0-9]{36}`, "GitHub token").checked(github),
	token("gho_", `[A-Za-z0-9]{36}`, "GitHub OAuth token").checked(github),
	token("ghu_", `[A-Za-z0-9]{36}`, "GitHub user token").checked(github),
	token("ghs_", `[A-Za-z0-9]{36}`, "GitHub app token").checked(github),
	token("ghr_", `[A-Za-z0-9]{36}`, "GitHub refresh token").checked(github),
	token("github_pat_", `[A-Za-z0-9]{22}_[A-Za-z0-9]{59}`, "GitHub token"),
	token("glpat-", `[A-Za-z0-9_-]{20,}(?:\.[0-9a-z.]+)?`, "GitLab token"),
	token("gldt-", `[A-Za-z0-9_-]{20,}`, "GitLab deploy token"),
	token("glrt-", `[A-Za-z0-9_-]{20,}`, "GitLab runner token"),
	token("AKIA", `[A-Z2-7]{16}`, "AWS access key ID").checked(aws),
	token("ASIA", `[A-Z2-7]{16}`, "AWS access key ID").checked(aws),
	token("AIza", `[0-9A-Za-z_-]{35}`, "Google API key").public(),
	token("GOCSPX-", `[A-Za-z0-9_-]{28}`, "Google OAuth client secret"),
	token("ya29.", `[A-Za-z0-9_-]{40,}`, "Google access token"),
	token("sk-ant-", `[a-z0-9]+-[A-Za-z0-9_-]{32,}`, "Anthropic API key"),
	token("sk-proj-", `[A-Za-z0-9_-]{20,}`, "OpenAI API key"),
	token("sk-svcacct-", `[A-Za-z0-9_-]{20,}`, "OpenAI API key"),
	token("sk-admin-", `[A-Za-z0-9_-]{20,}`, "OpenAI admin key"),
	token("sk-or-v1-", `[0-9a-f]{64}`, "OpenRouter API key"),
	token("sk-", `[A-Za-z0-9]{48}`, "OpenAI API key"),
	token("hf_", `[A-Za-z0-9]{34,40}`, "Hugging Face token"),
	token("gsk_", `[A-Za-z0-9]{52}`, "Groq API key"),
	token("xai-", `[A-Za-z0-9]{70,}`, "xAI API key"),
	token("pplx-", `[A-Za-z0-9]{40,}`, "Perplexity API key"),
	token("nvapi-", `[A-Za-z0-9_-]{60,}`, "NVIDIA API key"),
	token("r8_", `[A-Za-z0-9]{37}`, "Replicate token"),
	token("e2b_", `[0-9a-f]{40}`, "E2B API key"),
	token("tvly-", `[A-Za-z0-9-]{32,}`, "Tavily API key"),
	token("xoxb-", `[A-Za-z0-9-]{20,}`, "Slack token"),
	token("xoxp-", `[A-Za-z0-9-]{20,}`, "Slack token"),
	token("xoxa-", `[A-Za-z0-9-]{20,}`, "Slack token"),
	token("xoxr-", `[A-Za-z0-9-]{20,}`, "Slack token"),
	token("xoxs-", `[A-Za-z0-9-]{20,}`, "Slack token"),
	token("xoxe", `[.-][A-Za-z0-9-]{20,}`, "Slack token"),
	token("xapp-", `[A-Za-z0-9-]{20,}`, "Slack app token"),
	token("https://hooks.slack.com/services/", `T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,}`, "Slack webhook"),
	token("sk_live_", `[A-Za-z0-9]{16,}`, "Stripe secret key"),
	token("rk_live_", `[A-Za-z0-9]{16,}`, "Stripe restricted key"),
	token("whsec_", `[A-Za-z0-9+/]{24,}`, "webhook signing secret"),
	token("npm_", `[A-Za-z0-9]{36}`, "npm token"),
	token("pypi-AgEI", `[A-Za-z0-9_-]{50,}`, "PyPI token"),
	token("rubygems_", `[0-9a-f]{48}`, "RubyGems token"),
	token("dckr_pat_", `[A-Za-z0-9_-]{27,}`, "Docker Hub token"),
	token("SG.", `[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}`, "SendGrid API key"),
	token("SK", `[0-9a-f]{32}`, "Twilio API key"),
	token("dop_v1_", `[0-9a-f]{64}`, "DigitalOcean token"),
	token("doo_v1_", `[0-9a-f]{64}`, "DigitalOcean OAuth token"),
	token("dapi", `[0-9a-f]{32}(?:-\d)?`, "Databricks token"),
	token("hvs.", `[A-Za-z0-9_-]{24,}`, "Vault token"),
	token("tskey-", `[a-z]+-[A-Za-z0-9]+-[A-Za-z0-9]{20,}`, "Tailscale key"),
	token("pul-", `[0-9a-f]{40}`, "Pulumi token"),
	token("lin_api_", `[A-Za-z0-9]{40}`, "Linear API key"),
	token("AGE-SECRET-KEY-1", `[0-9A-Z]{58}`, "age private key"),
	token("eyJ", `[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}`, "JSON web token").checked(jwt).public(),
}

// github checks the last six characters, the CRC-32 of what stands between the
// prefix and them, in base 62 (GitHub, "Behind GitHub's new authentication token
// formats"). A token made to show the form has none.
func github(t string) level {
	body := t[len("ghp_"):]
	n := len(body) - 6
	if base62(crc32.ChecksumIEEE([]byte(body[:n]))) == body[n:] {
		return right
	}
	if !random(body) || sequential(body) {
		return wrong
	}
	return possible
}

func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var out [6]byte
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = digits[n%62]
		n /= 62
	}
	return string(out[:])
}

// aws tells the key of the vendor's documentation, which opens nothing.
func aws(t string) level {
	if strings.HasSuffix(t, "EXAMPLE") {
		return wrong
	}
	return right
}

// jwt decodes the header, a JSON object with a member "alg" (RFC 7515, 4.1.1),
// and tells the token that every introduction shows.
func jwt(t string) level {
	parts := strings.Split(t, ".")
	head, err := base64.RawURLEncoding.DecodeString(parts[0])
	if err != nil {
		return wrong
	}
	var h struct {
		Alg string `json:"alg"`
	}
	if json.Unmarshal(head, &h) != nil || h.Alg == "" {
		return wrong
	}
	if body, err := base64.RawURLEncoding.DecodeString(parts[1]); err == nil && strings.Contains(string(body), `"sub":"1234567890"`) {
		return wrong
	}
	return right
}
