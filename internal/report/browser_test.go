package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var screenshots = flag.String("screenshots", "", "write pictures of the page to this `DIR`")

// A browser is a Chromium without a window, spoken to by the DevTools protocol
// through a pair of pipes (--remote-debugging-pipe: JSON ended by a zero byte).
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	id      int
	session string
	events  []event // since the last navigation
}

type event struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startBrowser starts a browser with an empty page. Without a browser the test is
// skipped.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" || testing.Short() {
		t.Skip("install Chromium to try the page in a browser")
	}
	toBrowser, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--headless", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--remote-debugging-pipe", "--user-data-dir=" + t.TempDir()}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses to start as root with one
	}
	cmd := exec.Command(path, args...)
	cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	b := &browser{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		fmt.Fprint(in, `{"id":0,"method":"Browser.close"}`+"\x00") // it may be gone before it answers
		if err := cmd.Wait(); err != nil {
			t.Log(err)
		}
		in.Close()
		out.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Network", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call sends a command and waits for its answer; events that come before it are kept.
func (b *browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	b.id++
	message := map[string]any{"id": b.id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	text, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(text, 0)); err != nil {
		b.t.Fatal(err)
	}
	id := b.id
	got := b.until(func(e event) bool { return e.ID == id })
	if got.Error != nil {
		b.t.Fatalf("%s: %s", method, got.Error.Message)
	}
	if result != nil {
		if err := json.Unmarshal(got.Result, result); err != nil {
			b.t.Fatal(err)
		}
	}
}

// until reads what the browser says up to what is looked for.
func (b *browser) until(found func(event) bool) event {
	b.t.Helper()
	for {
		text, err := b.out.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("the browser has gone: %v", err)
		}
		var e event
		if err := json.Unmarshal(text[:len(text)-1], &e); err != nil {
			b.t.Fatal(err)
		}
		b.events = append(b.events, e)
		if found(e) {
			return e
		}
	}
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	loaded := func(e event) bool { return e.Method == "Page.loadEventFired" }
	if !slices.ContainsFunc(b.events, loaded) {
		b.until(loaded)
	}
}

// eval evaluates an expression in the page.
func (b *browser) eval(expression string, result any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, got.ExceptionDetails)
	}
	if err := json.Unmarshal(got.Result.Value, result); err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
}

func (b *browser) number(expression string) int {
	b.t.Helper()
	var n int
	b.eval(expression, &n)
	return n
}

func (b *browser) list(expression string) []string {
	b.t.Helper()
	var out []string
	b.eval(expression, &out)
	return out
}

// size is that of the window, in pixels.
func (b *browser) size(width, height int) {
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

func (b *browser) media(media, scheme string) {
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": media, "features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// press presses a key, as a reader does.
func (b *browser) press(key, text string) {
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": text}, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// picture is kept for whoever asks for it.
func (b *browser) picture(name string) {
	b.t.Helper()
	if *screenshots == "" {
		return
	}
	var got struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}, &got)
	if err := os.WriteFile(filepath.Join(*screenshots, name+".png"), got.Data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// A site serves pages and keeps what was asked for.
type site struct {
	*httptest.Server
	pages map[string]string
	asked []string
}

func newSite(t *testing.T) *site {
	s := &site{pages: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		s.asked = append(s.asked, req.URL.Path)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, s.pages[req.URL.Path])
	}))
	t.Cleanup(s.Close)
	return s
}

// I6: in a browser, whatever stands in an image runs nothing, asks for nothing, and
// leaves the page as wide as the window.
func TestBrowserWithHostileText(t *testing.T) {
	b, s := startBrowser(t), newSite(t)
	b.size(360, 800)
	for i, text := range append(htmlMarks, hostile...) {
		path := fmt.Sprintf("/%d", i)
		s.pages[path] = formats()["html"](t, hostileReport(text))
		s.asked = nil
		b.open(s.URL + path)
		if n := b.number(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); n > 0 {
			t.Errorf("%q makes the page %d pixels too wide", text, n)
		}
		if n := b.number(`document.querySelectorAll('img, iframe, object, embed, base, link, script:not(:last-child)').length`); n > 0 {
			t.Errorf("%q adds %d elements", text, n)
		}
		if !slices.Equal(s.asked, []string{path}) {
			t.Errorf("%q: the server was asked for %q", text, s.asked)
		}
		for _, e := range b.events {
			switch e.Method {
			case "Page.javascriptDialogOpening", "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded":
				t.Errorf("%q: %s %s", text, e.Method, e.Params)
			case "Network.requestWillBeSent":
				var p struct{ Request struct{ URL string } }
				if json.Unmarshal(e.Params, &p) != nil || p.Request.URL != s.URL+path {
					t.Errorf("%q: asks for %s", text, p.Request.URL)
				}
			}
		}
	}
}

const shownRules = `[...document.querySelectorAll('article.finding')].filter(f => f.checkVisibility()).map(f => f.dataset.rule)`

// The findings can be searched and filtered, by keyboard too.
func TestBrowserFilters(t *testing.T) {
	b, s := startBrowser(t), newSite(t)
	s.pages["/"] = formats()["html"](t, newReport(imageResult()))
	b.size(1200, 900)
	b.open(s.URL + "/")
	expect := func(what string, want ...string) {
		t.Helper()
		got := b.list(shownRules)
		if !slices.Equal(got, want) {
			t.Errorf("%s: shows %q, want %q", what, got, want)
		}
		var count string
		b.eval(`document.querySelector('#filter output').value`, &count)
		if !strings.HasPrefix(count, fmt.Sprintf("%d ", len(want))) {
			t.Errorf("%s: says %q", what, count)
		}
	}
	all := []string{"SBX101", "SBX201", "SBX207", "SBX301", "SBX305", "SBX401"}
	expect("at first", all...)
	b.press("/", "/")
	b.call("Input.insertText", map[string]any{"text": "KEY private"}, nil)
	expect("two words", "SBX305")
	if n := b.number(`[...document.querySelectorAll('.group')].filter(g => g.checkVisibility()).length`); n != 1 {
		t.Errorf("%d groups are shown", n)
	}
	b.press("Escape", "")
	expect("Escape", all...)
	choose := func(name, value string) {
		b.eval(fmt.Sprintf(`(() => { const f = document.getElementById('filter'), e = f.elements.namedItem(%q); e.value = %q; e.dispatchEvent(new Event('input', {bubbles: true})); return 0 })()`, name, value), new(int))
	}
	choose("step", "environment")
	expect("a step", "SBX301", "SBX305")
	choose("rule", "SBX305")
	expect("a step and a rule", "SBX305")
	b.eval(`(document.querySelector('#filter button').click(), new Promise(done => setTimeout(done, 50, 0)))`, new(int))
	expect("cleared", all...)
	b.eval(`(document.querySelector('[name=level][value=error]').click(), 0)`, new(int))
	expect("no errors", "SBX101", "SBX207", "SBX401")
	b.eval(`(location.hash = 't1-f5', new Promise(done => setTimeout(done, 50, 0)))`, new(int))
	expect("a link to what is hidden", all...)
	choose("text", "no such text")
	expect("nothing")
	if n := b.number(`[...document.querySelectorAll('.nothing')].filter(n => n.checkVisibility()).length`); n != 1 {
		t.Error("nothing says that there is nothing")
	}
}

// contrast lists the texts that stand out too little from what is behind them
// (WCAG 2.2, 1.4.3), each once.
const contrast = `(() => {
  const parse = c => { const m = c.match(/[\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; } return [255, 255, 255, 1]; };
  const bad = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest('script, style, option')) continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) bad.add(e.tagName + '.' + e.className + ' ' + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return [...bad];
})()`

// unnamed lists the controls that a screen reader can't name, and headings that
// skip a level.
const unnamed = `(() => {
  const bad = [];
  for (const e of document.querySelectorAll('input, select, button')) if (!e.labels?.length && !e.textContent.trim()) bad.push(e.outerHTML);
  for (const e of document.querySelectorAll('svg')) if (e.getAttribute('aria-hidden') !== 'true' && !e.getAttribute('aria-label')) bad.push('svg.' + e.getAttribute('class'));
  let last = 0;
  for (const e of document.querySelectorAll('h1, h2, h3, h4, h5')) { const n = +e.tagName[1]; if (n > last + 1) bad.push(e.outerHTML); last = n; }
  return bad;
})()`

// The page is legible in light and dark, on a telephone, on paper and without its
// script.
func TestBrowserShowsThePage(t *testing.T) {
	b, s := startBrowser(t), newSite(t)
	r := newReport(imageResult(), incompleteResult(), dockerfileResult(), joinedReport().Targets[0].Result)
	r.Failed = incompleteReport().Failed
	s.pages["/"] = formats()["html"](t, r)
	for _, look := range []struct {
		name, media, scheme string
		width               int
	}{{"light", "screen", "light", 1200}, {"dark", "screen", "dark", 1200}, {"narrow", "screen", "light", 360}, {"print", "print", "dark", 760}} {
		b.size(look.width, 900)
		b.media(look.media, look.scheme)
		b.open(s.URL + "/")
		if bad := b.list(contrast); len(bad) > 0 {
			t.Errorf("%s: too little contrast: %q", look.name, bad)
		}
		if bad := b.list(unnamed); len(bad) > 0 {
			t.Errorf("%s: %q", look.name, bad)
		}
		if n := b.number(`document.documentElement.scrollWidth - document.documentElement.clientWidth`); n > 0 {
			t.Errorf("%s: %d pixels too wide", look.name, n)
		}
		b.picture(look.name)
	}
	const folded = `[...document.querySelectorAll('details')].filter(d => !d.open).length`
	if b.number(folded) == 0 {
		t.Error("nothing is folded to begin with")
	}
	var pdf struct{ Data string }
	b.call("Page.printToPDF", nil, &pdf)
	if text, err := base64.StdEncoding.DecodeString(pdf.Data); err != nil || !strings.HasPrefix(string(text), "%PDF-") {
		t.Errorf("no page is printed: %v", err)
	}
	if n := b.number(folded); n > 0 {
		t.Errorf("%d parts stay folded on paper", n)
	}
	b.media("screen", "light")
	b.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true}, nil)
	b.open(s.URL + "/")
	if got := b.list(shownRules); len(got) != len(r.Targets[0].Result.Findings)+len(r.Targets[1].Result.Findings)+len(r.Targets[2].Result.Findings)+len(r.Targets[3].Result.Findings) {
		t.Errorf("without its script the page shows %q", got)
	}
	if n := b.number(`document.getElementById('filter').checkVisibility() ? 1 : 0`); n != 0 {
		t.Error("without its script the page shows a filter")
	}
}
