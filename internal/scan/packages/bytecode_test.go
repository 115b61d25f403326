package packages

import "testing"

func TestSourceOf(t *testing.T) {
	for p, want := range map[string]string{
		"/app/main.pyc":                                      "/app/main.py",
		"/app/__pycache__/main.cpython-313.pyc":              "/app/main.py",
		"/app/__pycache__/main.cpython-313.opt-2.pyc":        "/app/main.py",
		"/__pycache__/main.pypy310.pyc":                      "/main.py",
		"/app/__pycache__/test.cpython-313-pytest-8.2.0.pyc": "",
		"/app/__pycache__/main.cpython-313.max-2.pyc":        "",
		"/app/__pycache__/main.pyc":                          "",
		"/app/__pycache__/.cpython-313.pyc":                  "",
		"/app/__pycache__/sub/main.pyc":                      "/app/__pycache__/sub/main.py",
		"/app/main.py":                                       "",
		"/app/main.pyo":                                      "",
	} {
		if got, ok := SourceOf(p); got != want || ok != (want != "") {
			t.Errorf("SourceOf(%s) = %q, %v; want %q", p, got, ok, want)
		}
	}
}
