package dockerfile

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
)

var python = regexp.MustCompile(`^(python|pypy)[0-9.]*$`)

// tool follows programs whose effect depends on what they are asked for, and
// reports whether name is one of them.
func (r *session) tool(name string, args []arg) bool {
	first := ""
	if rest := leading(args, "-C -c --prefix --project --directory -n -p"); len(rest) > 0 {
		first = rest[0].text
	}
	switch {
	case python.MatchString(name):
		r.python(args)
	case name == "cd" || name == "pushd":
		r.cd(args)
	case name == "exit" || name == "return":
		r.exit(args)
	case name == "shift" || name == "set" && len(args) > 0 && args[0].text == "--":
		r.arguments(name, args)
	case name == "." || name == "source":
		r.source(args)
	case name == "git":
		r.git(first, args)
	case name == "tar" || name == "unzip" || name == "bsdtar":
		r.unpack(name, args)
	case name == "curl" || name == "wget":
		r.download(name, args)
	case name == "go" && first == "build":
		found, _ := options(args[1:], "-o")
		r.unknownUnder(cmp.Or(r.abs(found["-o"]), "/"), "go build makes it")
	case name == "pip" || name == "pip3" || name == "uv":
		r.pip(name, first, args)
	case slices.Contains(subcommands[name], first):
		return true
	default:
		return false
	}
	return true
}

func (r *session) cd(args []arg) {
	rest := leading(args, "")
	switch {
	case len(rest) == 1 && rest[0].known && rest[0].glob == "" && rest[0].text != "-":
		r.dir = r.abs(rest[0].text)
	default:
		r.dir = ""
	}
}

// python follows the interpreter: modules of the standard library that install
// or compile are known, code is not.
func (r *session) python(args []arg) {
	rest := leading(args, "-X -W")
	i := slices.IndexFunc(args, func(a arg) bool { return strings.HasPrefix(a.text, "-") && strings.HasSuffix(a.text, "m") })
	switch {
	case i >= 0 && i+1 < len(args) && args[i+1].known:
		switch module := args[i+1].text; module {
		case "compileall":
			r.compileall(args[i+2:])
		case "py_compile":
			r.pyCompile(args[i+2:])
		case "pip":
			r.execute(append(arguments([]string{"pip"}), args[i+2:]...))
		case "venv", "virtualenv", "ensurepip", "pipx", "playwright", "site", "sysconfig", "uv", "spacy", "nltk.downloader":
		default:
			r.opaque("a Python module whose effect on files is not known")
		}
	case len(rest) == 0 && len(args) > 0 && slices.Contains([]string{"--version", "-V", "-VV"}, args[0].text):
	default:
		r.opaque("Python code whose effect on files is not known")
	}
}

func (r *session) git(first string, args []arg) {
	switch first {
	case "clone":
		rest := leading(args, "-C -c")
		_, rest = options(rest[1:], "-b --branch --depth -c --config -o --origin -j --jobs --filter --shallow-since --recurse-submodules --separate-git-dir")
		into := r.dir
		switch {
		case len(rest) > 1:
			into = r.abs(rest[1].text)
		case len(rest) == 1:
			into = r.abs(strings.TrimSuffix(path.Base(rest[0].text), ".git"))
		}
		if len(rest) > 1 && !rest[1].known || into == "" {
			into = "/"
		}
		r.unknownUnder(into, "git clone brings it")
	case "config", "--version", "version", "init", "lfs", "rev-parse", "describe", "log", "status", "ls-remote", "remote":
	default:
		why := "git changes a working tree"
		r.doubt(cmp.Or(r.dir, "/"), why)
		r.unknownUnder(cmp.Or(r.dir, "/"), why)
	}
}

// unpack follows archivers: where they write, anything may be written.
func (r *session) unpack(name string, args []arg) {
	found, rest := options(args, "-C -d -f -T -X --directory --strip-components --exclude")
	creates := has(found, "-c", "-t", "-l", "--create", "--list", "--version") || len(rest) > 0 && name == "tar" && rest[0].text == args[0].text && strings.ContainsAny(rest[0].text, "ct") && !strings.Contains(rest[0].text, "x")
	if creates {
		return
	}
	into := cmp.Or(found["-C"], found["--directory"])
	if name == "unzip" {
		into = found["-d"]
	}
	p := r.abs(into)
	for _, a := range args {
		if !a.known {
			p = ""
		}
	}
	r.unknownUnder(cmp.Or(p, "/"), name+" unpacks an archive")
	r.doubt(cmp.Or(p, "/"), name+" unpacks an archive")
}

// download follows fetchers: what they write is not known.
func (r *session) download(name string, args []arg) {
	var to string
	switch name {
	case "wget":
		found, rest := options(args, "-O -P -o -e -U -T -t --output-document --directory-prefix --header --user --password --post-data --timeout --tries")
		to = cmp.Or(found["-O"], found["--output-document"])
		if to == "" && len(rest) > 0 {
			to = path.Join(cmp.Or(found["-P"], found["--directory-prefix"]), base(rest[0].text))
		}
	case "curl":
		found, rest := options(args, "-o -H -u -d -X -A -b -c -e -F -x -m -w --output --header --user --data --request --retry --retry-delay --retry-max-time --connect-timeout --max-time --proto --cacert --cert --key --user-agent --write-out")
		to = cmp.Or(found["-o"], found["--output"])
		if to == "" && has(found, "-O", "--remote-name") && len(rest) > 0 {
			to = base(rest[len(rest)-1].text)
		}
	}
	switch p := r.abs(to); {
	case to == "" || to == "-":
	case strings.ContainsAny(to, "$`") || p == "":
		r.unknownUnder("/", name+" writes a file whose name is a variable")
	default:
		r.write(p, nil, false)
	}
}

// base returns the file name in a URL.
func base(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return path.Base(url)
}

// pip follows installers of Python packages, which keep to their own directories
// unless told another.
func (r *session) pip(name, first string, args []arg) {
	if name == "uv" && !slices.Contains([]string{"pip", "sync", "venv", "python", "tool", "lock", "export", "cache", "add", "--version"}, first) {
		r.opaque(program(name))
		return
	}
	found, rest := options(args, "-e --editable -t --target --prefix --root -r --requirement -c --constraint -i --index-url --extra-index-url -f --find-links --cache-dir --python")
	for _, o := range []string{"-t", "--target", "--prefix", "--root"} {
		if dir, ok := found[o]; ok {
			r.unknownUnder(cmp.Or(r.abs(dir), "/"), name+" installs packages there")
			return
		}
	}
	editable := arg{text: cmp.Or(found["-e"], found["--editable"])}
	if slices.ContainsFunc(append(rest, editable), ours) && slices.ContainsFunc(rest, func(a arg) bool { return a.text == "install" }) {
		r.unknownUnder(r.prefix(), name+" installs a package of the build's own")
	}
}

// ours reports whether pip is told to install a directory or file of the build.
func ours(a arg) bool {
	return a.text == "." || strings.HasPrefix(a.text, "./") || strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, ".[") || strings.HasSuffix(a.text, ".whl")
}

// prefix is below where Python packages go: the virtual environment that PATH names
// first, or the system's.
func (r *session) prefix() string {
	env, known, _ := r.step.Getenv("PATH")
	first, _, _ := strings.Cut(env, ":")
	root := r.step.User == "root" || r.step.User == "0" || r.step.User == ""
	switch {
	case known && path.IsAbs(first) && path.Base(first) == "bin" && !within(first, "/usr") && first != "/bin":
		return path.Dir(first)
	case root:
		return "/usr"
	}
	return "/"
}
