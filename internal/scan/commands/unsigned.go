package commands

import "regexp"

// unsigned are the options by which package managers install what nobody signed, by
// the arguments on one line, a blank before each.
var unsigned = []struct{ programs, options *regexp.Regexp }{
	{regexp.MustCompile(`^(apt|apt-get|aptitude)$`), regexp.MustCompile(`(?i) (--allow-unauthenticated|--force-yes|--allow-insecure-repositories|-o ?APT::Get::AllowUnauthenticated=(?:true|1|yes)|-o ?Acquire::Allow(?:DowngradeTo)?InsecureRepositories=(?:true|1|yes))\b`)},
	{regexp.MustCompile(`^(yum|dnf|microdnf|tdnf|yum-config-manager|dnf5)$`), regexp.MustCompile(`(?i) (--nogpgcheck|--no-gpgchecks|--setopt[ =](?:\S+\.)?gpgcheck=(?:0|false|no))\b`)},
	{regexp.MustCompile(`^zypper$`), regexp.MustCompile(` (--no-gpg-checks|--no-gpgcheck|--allow-unsigned-rpm)\b`)},
	{regexp.MustCompile(`^rpm$`), regexp.MustCompile(` (--nosignature|--nogpg|--nodigest)\b`)},
	{regexp.MustCompile(`^apk$`), regexp.MustCompile(` (--allow-untrusted)\b`)},
	{regexp.MustCompile(`^debootstrap$`), regexp.MustCompile(` (--no-check-gpg)\b`)},
}

// Unsigned is the option by which a command installs packages whose signatures it does
// not check; empty if it has none.
func (c Command) Unsigned() string {
	line := ""
	for _, text := range c.Texts()[min(1, len(c.Words)):] {
		line += " " + text
	}
	for _, u := range unsigned {
		if m := u.options.FindStringSubmatch(line); m != nil && u.programs.MatchString(c.Name()) {
			return m[1]
		}
	}
	return ""
}
