// Package modeltest holds the promises that every adapter to a model vendor
// keeps, as one suite of tests.
//
// An adapter is asked the same questions as every other. A loopback server
// answers them in the vendor's published shape, from files in the adapter's
// testdata:
//
//	<question>.http       what the vendor answers; its head says where it is from
//	<question>.sent.json  what we send, as a golden file
//	<question>.json       the response we make of it, as a golden file
//
// With -record the questions go to the real address, for those who have a key,
// and the answers are written over the .http files. Then -update, and read the
// difference.
package modeltest

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// A Vendor is an adapter under test.
type Vendor struct {
	// New makes the adapter for a server.
	New func(Server) (model.Generator, error)
	// Streams says that a request's body asks for a stream.
	Streams func(body []byte) bool
	// Error is an error's body in the published shape, with the given words.
	Error func(status int, words string) string
	// Piece is one event of a stream that carries a text, with its end.
	Piece func(text string) string
	// Real is where -record sends the questions, with the names of the
	// environment's variables that hold the key and the model.
	Real               string
	KeyVar, ModelVar   string
	Header             string   // that carries the key
	Environment        []string // variables that the vendor's library would read
	Update, RecordReal bool
}

// A Server is how an adapter reaches the server of a test.
type Server struct {
	URL       string
	Key       string
	TellAgent bool
	Timeout   time.Duration
}

// Key is the secret that no error and no log may hold.
const Key = "sk-secret-0123456789-not-to-be-seen"

// Loaded is the image that conversations show, and Load finds it.
var Loaded = []byte("\x89PNG\r\n\x1a\nnot really a picture")

// Load is the loader that adapters under test are given.
func Load(_ context.Context, digest blob.Digest) ([]byte, error) {
	if digest != blob.Sum(Loaded) {
		return nil, fault.New(fault.NotFound, "image %s", digest)
	}
	return Loaded, nil
}

// Run tests an adapter.
func Run(t *testing.T, v Vendor) {
	if v.RecordReal {
		for _, q := range Questions() {
			if !q.MadeUp {
				t.Run("record/"+q.Name, func(t *testing.T) { v.record(t, q) })
			}
		}
		return
	}
	for _, q := range Questions() {
		t.Run("question/"+q.Name, func(t *testing.T) { v.question(t, q) })
	}
	for _, promise := range []struct {
		name string
		test func(*testing.T, Vendor)
	}{
		{"AStreamIsTheSameAnswer", sameStreamed},
		{"ErrorsHaveKindsAndHoldNoSecret", errorsHaveKinds},
		{"NothingIsAskedTwice", askedOnce},
		{"BrokenServersAreFaults", brokenServers},
		{"LargeAnswersAreBounded", largeAnswers},
		{"ARedirectIsNotFollowed", redirect},
		{"TheAgentIsToldOnlyToOurs", tellsAgent},
		{"TheEnvironmentIsNotRead", environment},
		{"AnImageIsTheBytesOfItsDigest", images},
		{"ASilentServerIsGivenUp", silent},
		{"UnreadableRequestsAreNotSent", unreadable},
	} {
		t.Run(promise.name, func(t *testing.T) { promise.test(t, v) })
	}
}

// question asks one question of the fixture's server.
func (v Vendor) question(t *testing.T, q Question) {
	f := readFixture(t, q.Name)
	s := serve(t, f)
	g, err := v.New(Server{URL: s.URL, Key: Key})
	if err != nil {
		t.Fatal(err)
	}
	req := q.Request
	var streamed strings.Builder
	if q.Streamed {
		req.Stream = func(text string) { streamed.WriteString(text) }
	}
	r, err := g.Generate(t.Context(), req)
	sent := s.only(t)
	v.golden(t, q.Name+".sent.json", indent(t, sent.body))
	if got := sent.header.Get(v.Header); !strings.Contains(got, Key) {
		t.Errorf("the key was not sent in %s", v.Header)
	}
	if got, want := v.Streams(sent.body), q.Streamed; got != want {
		t.Errorf("asked for a stream: %t, want %t", got, want)
	}
	if q.Fault != fault.Internal {
		if !fault.Is(err, q.Fault) {
			t.Errorf("got %v, want %s", err, q.Fault)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := r.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	v.golden(t, q.Name+".json", indent(t, text))
	q.hold(t, r)
	if q.Streamed && q.Answer.Text != "" && streamed.String() != textOf(r) && q.Request.Answer == nil {
		t.Errorf("streamed %q, answered %q", streamed.String(), textOf(r))
	}
}

// golden compares with a file of the adapter's testdata.
func (v Vendor) golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if v.Update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; -update writes it anew\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

func indent(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, bytes.TrimSpace(text), "", "  "); err != nil {
		t.Fatalf("not JSON: %v: %.200s", err, text)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func textOf(r model.Response) string {
	var b strings.Builder
	for _, p := range r.Message.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}
