package modeltest

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// canned is a transport that answers every request with the same bytes.
type canned struct {
	kind string
	body []byte
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {c.kind}}, Body: io.NopCloser(bytes.NewReader(c.body))}, nil
}

// Fuzz promises that no answer of a server does more harm than a fault: what
// comes of it is within bounds, and can be written down.
func Fuzz(f *testing.F, adapter func(http.RoundTripper) (model.Generator, error)) {
	names, err := filepath.Glob("testdata/*.http")
	if err != nil || len(names) == 0 {
		f.Fatal(err, names)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		_, body, _ := bytes.Cut(data, []byte("\n\n"))
		f.Add(body, bytes.Contains(data, []byte("text/event-stream")))
	}
	f.Fuzz(func(t *testing.T, body []byte, streamed bool) {
		kind := "application/json"
		if streamed {
			kind = "text/event-stream"
		}
		g, err := adapter(canned{kind, body})
		if err != nil {
			t.Fatal(err)
		}
		req := model.Request{Model: "a-model", Messages: []model.Message{said("Hello")}, Tools: Tools(), Answer: form()}
		if streamed {
			req.Stream = func(string) {}
		}
		r, err := g.Generate(t.Context(), req)
		if err != nil {
			if !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) && !fault.Is(err, fault.Unavailable) &&
				!fault.Is(err, fault.TooMany) && !fault.Is(err, fault.Refused) && !fault.Is(err, fault.NotFound) {
				t.Errorf("an error without a kind: %v", err)
			}
			return
		}
		Sound(t, r)
		// What a model said can be shown to it again.
		req.Messages = append(req.Messages, r.Message)
		for _, c := range r.Message.Calls {
			req.Messages = append(req.Messages, model.Message{Role: model.Tool, CallID: c.ID, Parts: []model.Part{{Text: "no"}}})
		}
		if err := req.Check(); err != nil {
			t.Errorf("it cannot be said again: %v", err)
		}
	})
}

// Sound checks what holds for every response there can be.
func Sound(t *testing.T, r model.Response) {
	t.Helper()
	if _, err := r.Digest(); err != nil {
		t.Errorf("no digest: %v", err)
	}
	if len(textOf(r)) > model.MaxText || len(r.Message.Calls) > model.MaxCalls || r.Usage.Total() < 0 || r.Usage.Cached > r.Usage.Input {
		t.Errorf("out of bounds: %d bytes, %d calls, %+v", len(textOf(r)), len(r.Message.Calls), r.Usage)
	}
	if (r.Stop == model.WantsTool) != (len(r.Message.Calls) > 0) {
		t.Errorf("stop %q with %d calls", r.Stop, len(r.Message.Calls))
	}
	ids := map[string]bool{}
	for _, c := range r.Message.Calls {
		if c.ID == "" || ids[c.ID] || len(c.Args) > model.MaxArgs {
			t.Errorf("call %q: its id is empty or there twice, or %d bytes are too many", c.ID, len(c.Args))
		}
		ids[c.ID] = true
	}
}
