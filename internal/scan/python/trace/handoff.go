package trace

import (
	"strings"
	"unicode"

	"github.com/sandbox-audit/sandbox-audit/internal/scan/effect"
)

// takeover says whether a third-party function takes over: whether it serves, runs or starts what it is not known to be harmless.
type takeover uint8

const (
	goesOn takeover = iota
	mayTakeOver
	takesOver
)

// handOffs are names of functions by which third-party code takes over.
var handOffs = setOf("serve", "serve_forever", "run_app", "run_forever", "run_until_complete", "start_server", "wait_for_termination", "mainloop",
	"run_task", "start_consuming", "run_server", "serve_http", "run_loop", "run_sync", "run_module", "run_path", "worker_main", "run_simple",
	"run_in_process", "run_process", "runserver", "run_stdio", "start_serving", "handle_forever", "serve_until_stopped")

// starters are names, or first words of names, that say that something is started, and not what.
var starters = setOf("start", "run", "main", "launch", "loop", "listen", "worker", "consume", "spawn", "serve", "execute", "invoke", "exec", "eval")

// vague are starters that mean a workload only if what they belong to does: a database executes, too.
var vague = setOf("execute", "invoke", "exec", "eval")

// workloads are words for what others want to be run.
var workloads = setOf("agent", "agents", "code", "tool", "tools", "plugin", "plugins", "script", "user", "untrusted", "sandbox", "sandboxed", "notebook",
	"cell", "kernel", "worker", "workload", "workflow", "runner", "executor", "interpreter", "runtime", "repl")

// servers are modules whose main function serves an application until the program ends.
var servers = setOf("uvicorn", "hypercorn", "gunicorn", "granian", "waitress", "aiohttp", "flask", "bottle", "tornado", "twisted", "grpc", "quart",
	"sanic", "gradio", "streamlit", "celery", "rq", "dramatiq")

// watchers are words for what only watches or prepares the program.
var watchers = setOf("metrics", "metric", "tracer", "tracing", "trace", "telemetry", "monitor", "monitoring", "profiler", "profile", "log", "logger",
	"logging", "logs", "watchdog", "health", "healthcheck", "prometheus", "statsd", "sentry", "apm", "otel", "opentelemetry", "progress", "spinner",
	"timer", "stopwatch", "clock", "heartbeat", "stats", "exporter", "ddtrace", "newrelic", "instrumentation", "span", "migrations", "checks",
	"structlog", "loguru", "rich", "timeout", "transaction")

// takes judges a third-party function by its path.
func takes(path string) takeover {
	parts := strings.Split(strings.ReplaceAll(strings.ReplaceAll(path, "()", ""), "[]", ""), ".")
	name := parts[len(parts)-1]
	words := wordsOf(name)
	switch {
	case handOffs[name]:
		return takesOver
	case len(words) == 0 || !starters[words[0]]:
		return goesOn
	}
	for _, p := range parts[1:] {
		for _, w := range wordsOf(p) {
			if workloads[w] && w != words[0] {
				return takesOver
			}
		}
	}
	if vague[words[0]] {
		return goesOn
	}
	for _, p := range parts {
		for _, w := range wordsOf(p) {
			if watchers[w] {
				return goesOn
			}
		}
	}
	if servers[parts[0]] {
		return takesOver
	}
	return mayTakeOver
}

// wordsOf are the words of a name: of "startHTTP_server" start, http and server.
func wordsOf(name string) []string {
	var words []string
	from := 0
	letters := []rune(name)
	cut := func(to int) {
		if to > from {
			words = append(words, strings.ToLower(string(letters[from:to])))
		}
		from = to
	}
	for i, r := range letters {
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1])):
			cut(i)
		}
	}
	cut(len(letters))
	return words
}

// returned loses track on paths to a call of which it isn't known what it starts, where the program is seen to go on behind it and to give up what
// it had there: had the call taken over, it would not have.
func (a *analysis) returned(paths []effect.Path) {
	for i := range paths {
		p := &paths[i]
		drop, _ := p.Dropped()
		env, _ := p.Environment()
		if !p.Sink.Perhaps || drop == effect.Yes && env == effect.Yes {
			continue
		}
		for j := range paths {
			q := &paths[j]
			if q.Sink.Place == p.Sink.Place || !passes(q, p.Sink) {
				continue
			}
			after, _ := q.Dropped()
			left, _ := q.Environment()
			if after > drop || left > env {
				p.State.Lost = true
				a.lose(p.Sink.Place, "what "+p.Sink.Call+" starts is not known")
				break
			}
		}
	}
}

// passes reports whether a path leads past a call that it does not end in.
func passes(p *effect.Path, call effect.Sink) bool {
	for h := p.Past; h != nil; h = h.Before {
		if h.Last.Kind == effect.CallOut && h.Last.Place == call.Place && h.Last.Call == call.Call {
			return true
		}
	}
	return false
}
