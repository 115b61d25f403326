package manifest

import "strings"

// words are those of an entrypoint or command; nil if there is none, and not known if a
// variable in it has no value or it can't be split.
func words(list []Setting) (out []string, known bool) {
	if list != nil {
		out = []string{}
	}
	for _, s := range list {
		switch {
		case s.Unknown != "":
			return nil, false
		case s.text:
			all, ok := split(s.Value)
			if !ok {
				return nil, false
			}
			out = append(out, all...)
		default:
			out = append(out, s.Value)
		}
	}
	return out, true
}

// split splits a text at spaces as compose does: quotes and backslashes keep what they
// hold together, and no shell sees it. It is not ok if a quote is not closed.
func split(text string) (out []string, ok bool) {
	var word strings.Builder
	quote, some := byte(0), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quote != '\'' && i+1 < len(text):
			i++
			word.WriteByte(text[i])
			some = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\''):
			quote, some = c, true
		case quote == 0 && strings.IndexByte(" \t\r\n", c) >= 0:
			if some {
				out = append(out, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteByte(c)
			some = true
		}
	}
	if some {
		out = append(out, word.String())
	}
	return out, quote == 0
}
