package leak

import (
	"path"
	"strings"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/image"
)

// A store is a kind of file that programs keep credentials or settings in.
type store struct {
	what  string // "npm's configuration"; empty for settings, in which others may be
	files string // names of files, those with a slash with the directories they lie in
	read  func(*sink, string)
}

// maxStore is how much of such a file is read: of a dump or history, its head.
const maxStore = 1 << 20

// stored finds credentials by the names they have, in files that are known by theirs.
var stored = &image.Probe[[]Credential]{
	Name: "stored-credential", Version: 1, Head: maxStore,
	Want: func(e image.Entry) bool { return e.Size > 0 && storeOf(e.Path) != nil },
	Read: func(e image.Entry, b []byte) ([]Credential, bool) {
		var s sink
		s.store(e.Path, string(b))
		return s.kept, len(s.kept) > 0
	},
}

func (s *sink) store(p, text string) {
	st := storeOf(p)
	if st == nil || strings.Contains(text[:min(len(text), sniffed)], "\x00") {
		return
	}
	n := len(s.kept)
	st.read(s, text)
	for i := n; i < len(s.kept); i++ {
		s.kept[i].Store = st.what
	}
}

// The kinds that more than a name tells.
var (
	environment = &store{what: "an environment file", read: (*sink).settings}
	typed       = &store{what: "a history of commands", read: (*sink).commands}
	cloud       = &store{what: "cloud credentials", read: (*sink).settings}
	cluster     = &store{what: "a cluster's credentials", read: (*sink).settings}
	settings    = &store{read: (*sink).settings}
	source      = &store{read: (*sink).code}
	notebook    = &store{read: (*sink).notebook}
	dump        = &store{read: (*sink).dump}
)

// stores are the kinds that the name of a file tells.
var stores = []*store{
	{"Git's credentials", ".git-credentials git/credentials", (*sink).lines},
	{"a Git repository's configuration", ".git/config .gitconfig etc/gitconfig", (*sink).settings},
	{"logins of FTP and HTTP clients", ".netrc _netrc", (*sink).netrc},
	{"npm's configuration", ".npmrc npmrc .yarnrc .yarnrc.yml", (*sink).settings},
	{"Python packaging's configuration", ".pypirc pip.conf .pip.conf", (*sink).settings},
	{"registry logins", ".docker/config.json .dockercfg containers/auth.json .dockerconfigjson", (*sink).registries},
	{"a cluster's credentials", ".kube/config kubeconfig etc/kubernetes/admin.conf etc/kubernetes/kubelet.conf", (*sink).settings},
	{"cloud credentials", ".aws/credentials .aws/config .s3cfg .boto rclone.conf .oci/config doctl/config.yaml", (*sink).settings},
	{
		"a tool's credentials", ".cargo/credentials .cargo/credentials.toml .gem/credentials .m2/settings.xml gradle.properties " +
			"NuGet.Config nuget.config composer/auth.json .composer/auth.json gh/hosts.yml .terraform.d/credentials.tfrc.json .my.cnf " +
			"credentials.json credentials.yml credentials.yaml credentials.toml credentials.ini secret.json secrets.json secrets.yml " +
			"secrets.yaml secrets.toml secrets.ini", (*sink).settings,
	},
	{"a token by itself", ".vault-token huggingface/token .circleci/token", (*sink).bare},
	{"database passwords", ".pgpass", (*sink).pgpass},
}

type storeAt struct {
	suffix string
	store  *store
}

// byName has the kinds by the last part of their names.
var byName = func() map[string][]storeAt {
	m := map[string][]storeAt{}
	for _, s := range stores {
		for file := range strings.FieldsSeq(s.files) {
			m[path.Base(file)] = append(m[path.Base(file)], storeAt{"/" + file, s})
		}
	}
	return m
}()

// byExtension has the kinds of files for settings in general.
var byExtension = map[string]*store{
	".env": environment, ".ipynb": notebook, ".sql": dump, ".dump": dump, ".kubeconfig": cluster,
	".ini": settings, ".cfg": settings, ".conf": settings, ".cnf": settings, ".properties": settings, ".toml": settings,
	".yaml": settings, ".yml": settings, ".tfvars": settings, ".tfstate": settings, ".config": settings,
	".json": settings, ".xml": settings,
	".py": source, ".php": source, ".rb": source, ".js": source, ".ts": source, ".cjs": source, ".mjs": source,
}

// storeOf returns the kind of the file at p; nil if it is of none.
func storeOf(p string) *store {
	base := path.Base(p)
	for _, s := range byName[base] {
		if strings.HasSuffix(p, s.suffix) {
			return s.store
		}
	}
	if base[0] == '.' {
		switch {
		case base == ".envrc", base == ".env", strings.HasPrefix(base, ".env."):
			return environment
		case strings.HasSuffix(base, "history"):
			return typed
		}
	}
	s := byExtension[path.Ext(base)]
	switch {
	case s == nil, generated(p):
		return nil
	case path.Ext(base) == ".json" && (strings.Contains(p, "/gcloud/") || strings.Contains(p, "/.azure/")):
		return cloud
	case s == source || path.Ext(base) == ".json" || path.Ext(base) == ".xml":
		if !configures(base) {
			return nil
		}
	}
	return s
}

// configures reports whether a program's source or a document, by its name, holds
// settings.
func configures(base string) bool {
	base = strings.ToLower(base)
	for _, w := range []string{"config", "setting", "secret", "credential", "database", "local", "prod", "parameter", "app"} {
		if strings.Contains(base, w) {
			return true
		}
	}
	return false
}
