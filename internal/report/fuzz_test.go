package report

import "testing"

// FuzzRender puts one string in every place where a foreign one can stand, and
// searches every format for what no output may hold (I1-I5).
func FuzzRender(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Add("  :")
	f.Add("  ::stop-command\x00\x80:\xde")
	f.Fuzz(func(t *testing.T, s string) {
		for ext, write := range formats() {
			if wrong := unfit(ext, write(t, hostileReport(s))); wrong != "" {
				t.Errorf("%s of %q: %s", ext, s, wrong)
			}
		}
	})
}
