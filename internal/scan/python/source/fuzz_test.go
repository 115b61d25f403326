package source

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzSource checks that any source is compiled into a valid program or refused with
// a line of it.
func FuzzSource(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.py"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{
		"match a, *b:\n    case [1, -2.5+3j, *_] | (x.y, None): pass\n    case {'a': 1, **r} if r: pass\n    case C(1, b=D()) as q: pass\n",
		"try: a\nexcept* A as e: b\nexcept* B: c\nelse: d\nfinally: e\n",
		"async def f[T: int = 1, *U, **P](a, /, b: T = 1, *, c=2, **k) -> x:\n  async with a as b, c: return [await d async for e in g]\n",
		"class C[T](B, metaclass=M):\n\tx: int = 1\n\tdef f(self): return super().f(self.__x)\n",
		"x = f'{a!r:>{w}}{b=}' t'{c}' rb'\\x' '\\N{BULLET}'\n",
		"# -*- coding: latin-1 -*-\n\xe9 = '\xe9'\n",
		"\xef\xbb\xbfif x:\n\ty\n\x0c\n        z\\\n  w\n",
		"with (a as b, c): del (d, [e]), f[g:h:i, ...], j.k\n",
		"def f():\n  global a\n  def g():\n    nonlocal b\n    return lambda: (a, b)\n  b = 1\n",
		"print 'x'\nraise E, 'y'\n`z`\n0777\n",
	} {
		f.Add([]byte(seed))
	}
	limits := Limits{Bytes: 1 << 16, Tokens: 1 << 14, Depth: 100}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Compile("f.py", data, Options{Limits: limits})
		var e *Error
		switch {
		case err == nil && m.Code == nil:
			t.Error("neither a program nor an error")
		case err != nil && !errors.As(err, &e):
			t.Error(err)
		case err != nil && (e.Line < 1 || e.Line > len(data)+1):
			t.Errorf("refused on line %d of %d bytes", e.Line, len(data))
		}
	})
}
