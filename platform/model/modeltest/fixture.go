package modeltest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// A fixture is one answer of a vendor.
type fixture struct {
	status int
	header http.Header
	body   []byte
}

// readFixture reads testdata/<name>.http: remarks that say where it is from, a
// line with the status, headers, an empty line, and the body as it is.
func readFixture(t *testing.T, name string) fixture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".http"))
	if err != nil {
		t.Fatal(err)
	}
	remarks := 0
	for bytes.HasPrefix(data, []byte("#")) {
		_, data, _ = bytes.Cut(data, []byte("\n"))
		remarks++
	}
	if remarks == 0 {
		t.Fatalf("%s.http does not say where it is from", name)
	}
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	status, err := strconv.Atoi(strings.TrimSpace(string(line)))
	if err != nil {
		t.Fatalf("%s.http: the status: %v", name, err)
	}
	r := bufio.NewReader(bytes.NewReader(rest))
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		t.Fatalf("%s.http: the headers: %v", name, err)
	}
	body, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return fixture{status, http.Header(header), bytes.TrimRight(body, "\n")}
}

// A sent request is one that reached a test's server.
type sent struct {
	header http.Header
	body   []byte
}

// A loopback is a test's server that remembers what it was sent.
type loopback struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

// listen starts a server on loopback.
func listen(t *testing.T, handle http.HandlerFunc) *loopback {
	t.Helper()
	l := &loopback{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 64<<20))
		if err != nil {
			return
		}
		l.mu.Lock()
		l.seen = append(l.seen, sent{r.Header.Clone(), body})
		l.mu.Unlock()
		handle(w, r)
	}))
	t.Cleanup(l.Close)
	return l
}

// serve answers every request with a fixture.
func serve(t *testing.T, f fixture) *loopback {
	t.Helper()
	return listen(t, func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range f.header {
			w.Header()[name] = values
		}
		w.WriteHeader(f.status)
		w.Write(f.body)
		if f.header.Get("Content-Type") == "text/event-stream" {
			w.Write([]byte("\n\n"))
		}
	})
}

// count is how many requests there were.
func (l *loopback) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.seen)
}

// only is the one request that was sent.
func (l *loopback) only(t *testing.T) sent {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.seen) != 1 {
		t.Fatalf("%d requests were sent, want 1", len(l.seen))
	}
	return l.seen[0]
}

// kept are the headers of a recorded answer; the others may name an account.
var kept = []string{"Content-Type", "X-Request-Id", "Request-Id"}

// record asks a real model and writes its answer over the fixture. The key is
// read here and goes to the real address alone.
func (v Vendor) record(t *testing.T, q Question) {
	key, name := os.Getenv(v.KeyVar), os.Getenv(v.ModelVar)
	if key == "" || name == "" {
		t.Fatalf("-record needs %s and %s in the environment", v.KeyVar, v.ModelVar)
	}
	var got fixture
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { got = v.forward(t, w, r) }))
	t.Cleanup(proxy.Close)
	g, err := v.New(Server{URL: proxy.URL, Key: key, Timeout: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	req := q.Request
	req.Model = name
	if q.Streamed {
		req.Stream = func(string) {}
	}
	r, err := g.Generate(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	q.hold(t, r)
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Recorded from %s on %s with -record.\n%d\n", v.Real, time.Now().UTC().Format(time.DateOnly), got.status)
	for _, name := range kept {
		if value := got.header.Get(name); value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	fmt.Fprintf(&b, "\n%s\n", bytes.TrimSpace(got.body))
	if bytes.Contains(b.Bytes(), []byte(key)) {
		t.Fatal("the answer holds the key; it is not written")
	}
	if err := os.WriteFile(filepath.Join("testdata", q.Name+".http"), b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// forward passes a request on to the real address and the answer back.
func (v Vendor) forward(t *testing.T, w http.ResponseWriter, r *http.Request) fixture {
	req, err := http.NewRequestWithContext(r.Context(), r.Method, v.Real+r.URL.Path, r.Body)
	if err != nil {
		t.Error(err)
		return fixture{}
	}
	req.Header = r.Header.Clone()
	req.Header.Del("Accept-Encoding")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return fixture{}
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 8<<20))
	if err != nil {
		t.Error(err)
	}
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	w.WriteHeader(res.StatusCode)
	w.Write(body)
	return fixture{res.StatusCode, res.Header, body}
}
