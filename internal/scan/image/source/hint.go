package source

import "errors"

// A hinted error says what the user can do about it.
type hinted struct {
	error
	hint string
}

// hint adds a hint to err.
func hint(err error, text string) error { return &hinted{err, text} }

// Hint says what the user can do, in one line.
func (h *hinted) Hint() string { return h.hint }

func (h *hinted) Unwrap() error { return h.error }

// orHint adds a hint to err if it has none.
func orHint(err error, text string) error {
	if hintOf(err) != "" {
		return err
	}
	return hint(err, text)
}

// hintOf returns the hint nearest to the outside of err; empty if it has none.
func hintOf(err error) string {
	var h interface{ Hint() string }
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}

// An absence says that an image is not where it was looked for.
type absence struct{ error }

func (a *absence) Unwrap() error { return a.error }
