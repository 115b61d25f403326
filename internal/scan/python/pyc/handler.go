package pyc

// A Handler is one entry of the exception table (since Python 3.11; CPython,
// InternalDocs/exception_handling.md).
type Handler struct {
	Start, End int  // of the code it guards, in bytes
	Target     int  // where the handler begins
	Depth      int  // of the stack when it begins, before what is pushed for it
	LastI      bool // the offset of what raised is pushed, below the exception
}

// Handlers decodes the exception table as the dis module does. An entry that is cut
// off ends it.
func (c *Code) Handlers() []Handler {
	var out []Handler
	t := c.ExceptionTable
	for {
		var n [4]int
		for i := range n {
			var ok bool
			if n[i], t, ok = varint(t); !ok {
				return out
			}
		}
		out = append(out, Handler{2 * n[0], 2 * (n[0] + n[1]), 2 * n[2], n[3] >> 1, n[3]&1 != 0})
	}
}

// varint reads six bits a byte, the highest first. What no code can reach is one
// large number.
func varint(t string) (n int, rest string, ok bool) {
	const large = 1 << 40
	for i := range len(t) {
		n = min(n<<6|int(t[i]&63), large)
		if t[i]&64 == 0 {
			return n, t[i+1:], true
		}
	}
	return 0, "", false
}
