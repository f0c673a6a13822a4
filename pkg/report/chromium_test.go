package report_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"dvmtools/internal/effort"
	"dvmtools/internal/leftout"
)

// A browser is a Chromium without a window, driven by the DevTools protocol
// over two pipes: messages are JSON, each ended by a zero byte.
type browser struct {
	in   *os.File
	end  func()     // ends the program and removes its files
	lock sync.Mutex // guards the fields below
	next int
	wait map[int]chan answer
	tabs map[string]*tab
	dead error
}

type answer struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// shared is the browser of all tests, nil before one has asked for it.
var shared *browser

func TestMain(m *testing.M) {
	code := m.Run()
	if shared != nil {
		shared.end()
	}
	os.Exit(code)
}

// startBrowser returns the browser of all tests, and starts it when it is the
// first to ask for it. It ends after the last test. Without Chromium the test is
// left out ([leftout.Skip]).
func startBrowser(t testing.TB) *browser {
	t.Helper()
	if shared != nil {
		return shared
	}
	if effort.Race {
		t.Skip("the pages are the same without the race detector")
	}
	if runtime.GOOS == "windows" {
		leftout.Skip(t, t.Name()+": a child process cannot be given pipes on this system")
	}
	program, why := leftout.Program("chromium", "chromium-browser", "google-chrome")
	if why != "" {
		leftout.Skip(t, t.Name()+": "+why)
	}
	profile, err := os.MkdirTemp("", "chromium")
	if err != nil {
		t.Fatal(err)
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
		"--hide-scrollbars", "--force-color-profile=srgb", "--remote-debugging-pipe", "--user-data-dir="+profile)
	c.ExtraFiles = []*os.File{theirIn, theirOut}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	b := &browser{in: ourOut, wait: map[int]chan answer{}, tabs: map[string]*tab{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		b.read(bufio.NewReaderSize(ourIn, 1<<16))
	}()
	b.end = func() {
		b.send("", "Browser.close", nil)
		ourOut.Close()
		stop := time.AfterFunc(20*time.Second, func() { c.Process.Kill() })
		c.Wait()
		stop.Stop()
		ourIn.Close()
		<-read
		os.RemoveAll(profile)
	}
	shared = b
	return b
}

// read handles answers and events until the pipe closes.
func (b *browser) read(r *bufio.Reader) {
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.lock.Lock()
			b.dead = fmt.Errorf("the browser ended: %w", err)
			for _, c := range b.wait {
				close(c)
			}
			b.wait = map[int]chan answer{}
			b.lock.Unlock()
			return
		}
		var m struct {
			ID        int
			Method    string
			SessionID string
			Params    json.RawMessage
			answer
		}
		if err := json.Unmarshal(text[:len(text)-1], &m); err != nil {
			continue
		}
		b.lock.Lock()
		if c := b.wait[m.ID]; m.ID != 0 && c != nil {
			delete(b.wait, m.ID)
			c <- m.answer
		} else if tab := b.tabs[m.SessionID]; tab != nil {
			tab.event(m.Method, m.Params)
		}
		b.lock.Unlock()
	}
}

// send sends a command and returns the channel of its answer.
func (b *browser) send(session, method string, params any) chan answer {
	b.lock.Lock()
	defer b.lock.Unlock()
	c := make(chan answer, 1)
	if b.dead != nil {
		close(c)
		return c
	}
	b.next++
	b.wait[b.next] = c
	text, err := json.Marshal(map[string]any{"id": b.next, "method": method, "params": params, "sessionId": session})
	if session == "" {
		text, err = json.Marshal(map[string]any{"id": b.next, "method": method, "params": params})
	}
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	if err != nil {
		delete(b.wait, b.next)
		close(c)
	}
	return c
}

// do sends a command, waits for its answer and decodes it into result.
func (b *browser) do(t testing.TB, session, method string, params, result any) {
	t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	select {
	case a, ok := <-b.send(session, method, params):
		if !ok {
			t.Fatalf("%s: the browser is gone", method)
		}
		if a.Error != nil {
			t.Fatalf("%s: %s", method, a.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(a.Result, result); err != nil {
				t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(time.Minute):
		t.Fatalf("%s: no answer", method)
	}
}

// A tab shows a page and collects its errors.
type tab struct {
	*browser
	t       testing.TB
	session string
	// Guarded by the browser's lock.
	complaints []string // of the console, of scripts, of the security policy
	requests   []string
}

// tab opens an empty page. Its own testing.TB is that of the caller.
func (b *browser) tab(t testing.TB) *tab {
	t.Helper()
	x := &tab{browser: b, t: t}
	var target struct{ TargetID string }
	b.do(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.do(t, "", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	x.session = attached.SessionID
	b.lock.Lock()
	b.tabs[x.session] = x
	b.lock.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		x.do(domain+".enable", nil, nil)
	}
	t.Cleanup(func() { b.do(t, "", "Target.closeTarget", map[string]any{"targetId": target.TargetID}, nil) })
	return x
}

// do sends a command of the tab.
func (x *tab) do(method string, params, result any) {
	x.t.Helper()
	x.browser.do(x.t, x.session, method, params, result)
}

// event takes an event; the browser's lock is held.
func (x *tab) event(method string, params json.RawMessage) {
	switch method {
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		json.Unmarshal(params, &p)
		x.requests = append(x.requests, p.Request.URL)
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		x.complaints = append(x.complaints, method+" "+string(params))
	}
}

// open writes a page to a file and shows it at an address within it ("" or
// "#i1").
func (x *tab) open(page, at string) {
	x.t.Helper()
	name := filepath.Join(x.t.TempDir(), "page.html")
	if err := os.WriteFile(name, []byte(page), 0o644); err != nil {
		x.t.Fatal(err)
	}
	x.lock.Lock()
	x.requests = nil
	x.lock.Unlock()
	x.do("Page.navigate", map[string]any{"url": "file://" + name + at}, nil)
	// The answer comes when the page is begun, its load event perhaps before
	// anybody listens.
	for begin := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		var state string
		if x.eval(`document.readyState`, &state); state == "complete" {
			return
		}
		if time.Since(begin) > time.Minute {
			x.t.Fatal("the page does not load")
		}
	}
}

// eval runs an expression of JavaScript and decodes its value into result. It
// runs beside the page's own script and outside of its security policy.
func (x *tab) eval(expression string, result any) {
	x.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	x.do("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if e := r.ExceptionDetails; e != nil {
		x.t.Fatalf("%s: %s %s", expression, e.Text, e.Exception.Description)
	}
	if result != nil {
		if err := json.Unmarshal(r.Result.Value, result); err != nil {
			x.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// text returns the text of the first element that a selector finds.
func (x *tab) text(selector string) string {
	x.t.Helper()
	var s string
	x.eval(fmt.Sprintf(`document.querySelector(%q)?.innerText ?? "(no %s)"`, selector, strings.ReplaceAll(selector, `"`, `'`)), &s)
	return s
}

// key presses a key: a name such as "Tab", or a character.
func (x *tab) key(name string, modifiers int) {
	x.t.Helper()
	code := map[string]int{"Tab": 9, "Backspace": 8, "Enter": 13, "Space": 32, "ArrowDown": 40, "ArrowUp": 38, "ArrowRight": 39, "ArrowLeft": 37}[name]
	key, text := name, ""
	switch {
	case name == "Enter":
		text = "\r"
	case name == "Space":
		key, text = " ", " "
	case len(name) == 1:
		text = name
		if c := strings.ToUpper(name)[0]; c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			code = int(c) // other characters share the codes of keys such as Delete
		}
	}
	p := map[string]any{"type": "keyDown", "key": key, "windowsVirtualKeyCode": code, "text": text, "modifiers": modifiers}
	x.do("Input.dispatchKeyEvent", p, nil)
	p["type"] = "keyUp"
	x.do("Input.dispatchKeyEvent", p, nil)
}

// click clicks with the mouse into the middle of the element that a selector
// finds.
func (x *tab) click(selector string) {
	x.t.Helper()
	var at []float64
	x.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView({block: "center"});
		const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, selector), &at)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		x.do("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// size sets the width and height of the window in pixels, theme to light or
// dark.
func (x *tab) size(width, height int, theme string) {
	x.t.Helper()
	x.do("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	x.do("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": theme}}}, nil)
}

// shot keeps pictures of the page in the directory that DVM_SCREENSHOTS names:
// name.png of all of it, name-top.png of the first screen. Nothing when it is
// not set.
func (x *tab) shot(name string) {
	x.t.Helper()
	dir := os.Getenv("DVM_SCREENSHOTS")
	if dir == "" {
		return
	}
	for suffix, all := range map[string]bool{"": true, "-top": false} {
		var p struct{ Data string }
		x.do("Page.captureScreenshot", map[string]any{"captureBeyondViewport": all, "format": "png"}, &p)
		data, err := base64.StdEncoding.DecodeString(p.Data)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+suffix+".png"), data, 0o644)
		}
		if err != nil {
			x.t.Fatal(err)
		}
	}
}

// quiet fails the test when the page had errors or requested anything but itself
// and the worker that it made.
func (x *tab) quiet() {
	x.t.Helper()
	x.eval("1", nil) // what was asked for before has happened
	x.lock.Lock()
	defer x.lock.Unlock()
	for _, c := range x.complaints {
		x.t.Errorf("the browser complains: %.600s", c)
	}
	for i, r := range x.requests {
		if i > 0 && !strings.HasPrefix(r, "blob:null/") || i == 0 && !strings.HasPrefix(r, "file://") {
			x.t.Errorf("the page asks for %s", r)
		}
	}
	x.complaints = nil
}
