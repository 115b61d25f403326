package image

// A Config is the part of an OCI image config that decides how a container
// starts and what it is made of (OCI image-spec, config.md). It is decoded field
// by field: one unreadable field does not hide the others.
type Config struct {
	OS, Architecture, Variant string

	User         string
	Env          []string // "NAME=value", in order
	Entrypoint   []string
	Cmd          []string
	WorkingDir   string
	ExposedPorts []string // "22/tcp", sorted
	Volumes      []string // sorted
	Labels       map[string]string
	Healthcheck  []string // Healthcheck.Test; Docker's format only
	OnBuild      []string // Docker's format only
	Shell        []string // Docker's format only
	StopSignal   string

	DiffIDs []string
	History []History
}

// History is one entry of a config's history.
type History struct {
	CreatedBy  string
	Comment    string
	EmptyLayer bool
}

// Getenv returns the last value of a variable in Env, as a process sees it.
func (c *Config) Getenv(name string) (value string, ok bool) {
	for _, kv := range c.Env {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			value, ok = kv[len(name)+1:], true
		}
	}
	return value, ok
}
