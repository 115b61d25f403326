package trace

import (
	"strconv"
	"strings"
)

// stringMethods are the methods of str that matter: what is known of the text is kept, and so is that it is made of a secret.
func stringMethods() map[string]model {
	plain := func(f func(string) string) model {
		return func(c *call) []outcome {
			if c.self.kind == stringKind && len(c.args) == 0 {
				return c.ret(text(f(c.self.text)))
			}
			return c.ret(c.derived())
		}
	}
	m := map[string]model{
		"str.upper": plain(strings.ToUpper), "str.lower": plain(strings.ToLower), "str.strip": plain(strings.TrimSpace),
		"str.lstrip": stripped, "str.rstrip": stripped, "str.casefold": plain(strings.ToLower),
		"str.startswith": affix(strings.HasPrefix), "str.endswith": affix(strings.HasSuffix),
		"str.split": split, "str.join": joinStrings, "str.replace": replaceText, "str.isdigit": isDigit, "str.encode": encoded,
		"text.startswith": otherAffix(strings.HasPrefix), "text.endswith": otherAffix(strings.HasSuffix),
		"str.removeprefix": trimmed(strings.TrimPrefix), "str.removesuffix": trimmed(strings.TrimSuffix), "str.format": formatMethod,
		"str.partition": partitioned(false), "str.rpartition": partitioned(true),
	}
	for _, name := range []string{"upper", "lower", "strip", "casefold"} {
		m["text."+name] = func(c *call) []outcome { return c.ret(c.self) }
	}
	return m
}

// derived is a text made of the object and the arguments: a secret if one of them is.
func (c *call) derived() value {
	s := secretsIn(c.self)
	for _, v := range c.args {
		s |= secretsIn(v)
		s |= secretsIn(c.w.sequence(v))
	}
	for _, v := range c.values {
		s |= secretsIn(v)
	}
	switch {
	case s != 0:
		return secret(s)
	case c.self.kind == settingKind:
		return c.self
	}
	return unknown
}

func stripped(c *call) []outcome { return c.ret(c.derived()) }

func trimmed(f func(s, part string) string) model {
	return func(c *call) []outcome {
		if part := c.given(0, ""); c.self.kind == stringKind && part.kind == stringKind {
			return c.ret(text(f(c.self.text, part.text)))
		}
		return c.ret(c.derived())
	}
}

// affix is startswith or endswith, with one text or a tuple of them.
func affix(f func(s, part string) bool) model {
	return func(c *call) []outcome {
		parts := []value{c.given(0, "")}
		if parts[0].kind == tupleKind {
			parts = parts[0].items()
		}
		if c.self.kind != stringKind || len(c.args) != 1 {
			return c.ret(unknown)
		}
		found, known := false, true
		for _, p := range parts {
			known = known && p.kind == stringKind
			found = found || p.kind == stringKind && f(c.self.text, p.text)
		}
		if found || known {
			return c.ret(boolean(found))
		}
		return c.ret(unknown)
	}
}

// otherAffix is affix of a name or value of the environment that is not known.
func otherAffix(func(s, part string) bool) model {
	return func(c *call) []outcome {
		if c.self.kind == settingKind {
			return c.ret(c.self)
		}
		return c.ret(unknown)
	}
}

func split(c *call) []outcome {
	sep := c.given(0, "sep")
	if c.self.kind != stringKind || len(c.args)+len(c.names) > 1 || len(c.args) == 1 && (sep.kind != stringKind || sep.text == "") {
		return c.ret(c.w.newList(c.f.site(c.pc), unknown))
	}
	parts := strings.Fields(c.self.text)
	if sep.kind == stringKind {
		parts = strings.Split(c.self.text, sep.text)
	}
	var items []value
	for _, p := range parts {
		items = append(items, text(p))
	}
	return c.ret(c.w.newList(c.f.site(c.pc), tuple(items)))
}

func joinStrings(c *call) []outcome {
	return c.after(c.drain(c.given(0, "")), func(c *call, all value) []outcome {
		if s := secretsIn(all); s != 0 {
			return c.ret(secret(s))
		}
		var parts []string
		for _, x := range all.items() {
			if x.kind != stringKind {
				return c.ret(unknown)
			}
			parts = append(parts, x.text)
		}
		if all.kind != tupleKind || c.self.kind != stringKind {
			return c.ret(unknown)
		}
		return c.ret(text(strings.Join(parts, c.self.text)))
	})
}

func replaceText(c *call) []outcome {
	from, to := c.given(0, "old"), c.given(1, "new")
	if c.self.kind == stringKind && from.kind == stringKind && to.kind == stringKind && len(c.args) == 2 && len(c.self.text)*(len(to.text)+1) < 1<<16 {
		return c.ret(text(strings.ReplaceAll(c.self.text, from.text, to.text)))
	}
	return c.ret(c.derived())
}

func isDigit(c *call) []outcome {
	if c.self.kind != stringKind {
		return c.ret(c.derivedTest())
	}
	return c.ret(boolean(c.self.text != "" && strings.Trim(c.self.text, "0123456789") == ""))
}

// derivedTest is a question to a text that is not known.
func (c *call) derivedTest() value {
	if c.self.kind == settingKind {
		return c.self
	}
	return unknown
}

func encoded(c *call) []outcome {
	if c.self.kind == stringKind {
		return c.ret(simple(bytesKind, 0, c.self.text))
	}
	return c.ret(c.derived())
}

// partitioned is partition or rpartition.
func partitioned(last bool) model {
	return func(c *call) []outcome {
		sep := c.given(0, "")
		if c.self.kind != stringKind || sep.kind != stringKind || sep.text == "" {
			return c.ret(tuple([]value{c.derived(), unknown, c.derived()}))
		}
		at := strings.Index(c.self.text, sep.text)
		if last {
			at = strings.LastIndex(c.self.text, sep.text)
		}
		switch {
		case at >= 0:
			return c.ret(tuple([]value{text(c.self.text[:at]), sep, text(c.self.text[at+len(sep.text):])}))
		case last:
			return c.ret(tuple([]value{text(""), text(""), c.self}))
		}
		return c.ret(tuple([]value{c.self, text(""), text("")}))
	}
}

func formatMethod(c *call) []outcome {
	for _, list := range [][]value{c.args, c.values} {
		for _, v := range list {
			if v.kind == instanceKind {
				return c.written(v, "__format__")
			}
		}
	}
	if s := c.derived(); s.kind == secretKind {
		return c.ret(s)
	}
	if c.self.kind == stringKind && len(c.args) == 1 && c.args[0].kind == stringKind && strings.Count(c.self.text, "{}") == 1 {
		return c.ret(text(strings.Replace(c.self.text, "{}", c.args[0].text, 1)))
	}
	return c.ret(unknown)
}

// toInt is int(v).
func toInt(v value) (value, bool) {
	switch v.kind {
	case intKind, idKind:
		return v, true
	case boolKind:
		return integer(v.num), true
	case stringKind:
		if n, err := strconv.ParseInt(strings.TrimSpace(v.text), 10, 64); err == nil {
			return integer(n), true
		}
	}
	return unknown, false
}
