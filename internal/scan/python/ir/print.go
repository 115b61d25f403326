package ir

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Print writes c and the code objects among its constants, one instruction a line, for tests and for people. Texts of constants are shown
// by their length only, so that no secret gets out.
func Print(w io.Writer, c *Code) error {
	if _, err := fmt.Fprintf(w, "%s(%s)\n", c.Name, strings.Join(c.Params, ", ")); err != nil {
		return err
	}
	for i := range c.Instrs {
		if _, err := fmt.Fprintf(w, "%5d %4d  %s\n", c.Instrs[i].Line, i, c.Text(i)); err != nil {
			return err
		}
	}
	for _, r := range c.Ranges {
		if _, err := fmt.Fprintf(w, "      [%d, %d) -> %d, depth %d, %d slots\n", r.Start, r.End, r.Target, r.Depth, r.Entry.Slots()); err != nil {
			return err
		}
	}
	for _, k := range c.Consts {
		if k.Kind == CodeObject && k.Code != nil {
			if err := Print(w, k.Code); err != nil {
				return err
			}
		}
	}
	return nil
}

// Text is instruction i in words.
func (c *Code) Text(i int) string {
	in := &c.Instrs[i]
	words := []string{in.Op.String()}
	if in.Name != "" {
		words = append(words, in.Name)
	}
	if in.Op == LoadConst && in.Arg >= 0 && in.Arg < len(c.Consts) {
		words = append(words, c.Consts[in.Arg].String())
	} else if in.Arg != 0 {
		words = append(words, strconv.Itoa(in.Arg))
	}
	if in.Arg2 != 0 {
		words = append(words, strconv.Itoa(in.Arg2))
	}
	if len(in.Names) > 0 {
		words = append(words, "("+strings.Join(in.Names, ", ")+")")
	}
	return strings.Join(words, " ")
}

// String describes the constant; a text is shown by its length.
func (k Const) String() string {
	switch k.Kind {
	case None:
		return "None"
	case Bool:
		return strconv.FormatBool(k.Int != 0)
	case Int:
		return strconv.FormatInt(k.Int, 10)
	case Str:
		return fmt.Sprintf("str of %d", len(k.Text))
	case Bytes:
		return fmt.Sprintf("bytes of %d", len(k.Text))
	case Tuple:
		return fmt.Sprintf("tuple of %d", len(k.Items))
	case FrozenSet:
		return fmt.Sprintf("frozenset of %d", len(k.Items))
	case CodeObject:
		if k.Code != nil {
			return "code " + k.Code.Name
		}
	}
	return "other"
}
