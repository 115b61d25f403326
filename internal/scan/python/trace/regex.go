package trace

import "regexp"

// regexModels are the functions of re that ask whether a text matches, where pattern and text are known. What RE2 does not know, is not decided.
func regexModels() map[string]model {
	m := map[string]model{
		"re.compile": func(c *call) []outcome {
			if p := c.given(0, "pattern"); p.kind == stringKind && len(c.args)+len(c.names) == 1 {
				return c.ret(simple(regexKind, 0, p.text))
			}
			return c.ret(external("re.compile()", StandardLibrary))
		},
	}
	for name, shape := range map[string][2]string{"match": {`^(?:`, `)`}, "fullmatch": {`^(?:`, `)$`}, "search": {`(?:`, `)`}} {
		m["re."+name] = func(c *call) []outcome {
			if len(c.args)+len(c.names) != 2 {
				return c.ret(external(c.path+"()", StandardLibrary))
			}
			return c.matches(c.given(0, "pattern"), c.given(1, "string"), shape)
		}
		m["regex."+name] = func(c *call) []outcome { return c.matches(c.self, c.given(0, "string"), shape) }
	}
	return m
}

// matches says whether a text matches; a match that is sure is an object of which no more is known than that it is there.
func (c *call) matches(pattern, s value, shape [2]string) []outcome {
	if pattern.kind != stringKind && pattern.kind != regexKind || s.kind != stringKind {
		return c.ret(unknown)
	}
	re, err := regexp.Compile(shape[0] + pattern.text + shape[1])
	switch {
	case err != nil:
		return c.ret(unknown)
	case !re.MatchString(s.text):
		return c.ret(none)
	}
	return c.ret(c.namespace(nil))
}
