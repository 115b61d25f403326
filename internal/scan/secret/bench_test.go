package secret

import "testing"

// Most variables of an image are no credentials.
func BenchmarkJudgeHarmless(b *testing.B) {
	pairs := [][2]string{
		{"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}, {"LANG", "C.UTF-8"},
		{"PYTHON_VERSION", "3.12.5"}, {"NODE_ENV", "production"}, {"JAVA_HOME", "/opt/java/openjdk"},
		{"PYTHON_SHA256", newMaker().hex(64)}, {"OPENAI_API_BASE", "https://api.openai.com/v1"}, {"GPG_KEY", newMaker().hex(40)},
	}
	for i := 0; b.Loop(); i++ {
		p := pairs[i%len(pairs)]
		Judge(p[0], p[1])
	}
}

func BenchmarkJudgeSecret(b *testing.B) {
	value := newMaker().text(32)
	for b.Loop() {
		Judge("SESSION_TOKEN", value)
	}
}

// Needles that turn out to begin nothing cost little.
func BenchmarkPatternAtNothing(b *testing.B) {
	window := []byte("the task-list of https://example.org/ is risk-free: sk-list, hf_, eyJ, :AA, SG.")
	for b.Loop() {
		for _, p := range Patterns()[:10] {
			p.At(window, 20)
		}
	}
}
