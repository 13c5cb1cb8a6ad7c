package modeltest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// ask asks a server a plain question.
func (v Vendor) ask(ctx context.Context, t *testing.T, s Server, streamed bool) (model.Response, error) {
	t.Helper()
	g, err := v.New(s)
	if err != nil {
		t.Fatal(err)
	}
	req := model.Request{Model: "a-model", Messages: []model.Message{said("Hello")}, Agent: "clerk"}
	if streamed {
		req.Stream = func(string) {}
	}
	return g.Generate(ctx, req)
}

// both runs a test for an answer in one piece and for a stream.
func both(t *testing.T, test func(t *testing.T, streamed bool)) {
	t.Helper()
	for name, streamed := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name, func(t *testing.T) { test(t, streamed) })
	}
}

// sameStreamed promises that a stream is put together to what the same answer
// in one piece is.
func sameStreamed(t *testing.T, v Vendor) {
	for _, name := range []string{"text", "calls", "structured"} {
		var got [2]model.Response
		for i, q := range []string{name, name + "_streamed"} {
			g, err := v.New(Server{URL: serve(t, readFixture(t, q)).URL, Key: Key})
			if err != nil {
				t.Fatal(err)
			}
			for _, question := range Questions() {
				if question.Name != q {
					continue
				}
				req := question.Request
				if question.Streamed {
					req.Stream = func(string) {}
				}
				if got[i], err = g.Generate(t.Context(), req); err != nil {
					t.Fatal(err)
				}
			}
		}
		a, errA := got[0].Message.Digest()
		b, errB := got[1].Message.Digest()
		if a != b || errA != nil || errB != nil || got[0].Usage != got[1].Usage || got[0].Stop != got[1].Stop {
			t.Errorf("%s: in one piece %+v, streamed %+v", name, got[0], got[1])
		}
	}
}

// errorsHaveKinds promises that each status becomes the kind that says what
// can be done, and that no secret is in any text of it, although the vendor
// repeats it.
func errorsHaveKinds(t *testing.T, v Vendor) {
	both(t, func(t *testing.T, streamed bool) {
		for status, want := range map[int]fault.Kind{
			400: fault.Invalid, 401: fault.Refused, 403: fault.Refused, 404: fault.NotFound, 408: fault.Unavailable,
			409: fault.Unavailable, 413: fault.TooLarge, 422: fault.Invalid, 429: fault.TooMany,
			500: fault.Unavailable, 502: fault.Unavailable, 503: fault.Unavailable, 529: fault.Unavailable,
		} {
			for _, body := range []string{v.Error(status, "Incorrect key "+Key), "<html>" + Key + "</html>", `{"error":"` + Key + `"}`,
				""} {
				s := serve(t, fixture{status, http.Header{"Content-Type": {"application/json"}}, []byte(body)})
				_, err := v.ask(t.Context(), t, Server{URL: s.URL, Key: Key}, streamed)
				if !fault.Is(err, want) {
					t.Errorf("status %d with %.40q: got %v, want %s", status, body, err, want)
				}
				silentAbout(t, err)
			}
		}
	})
}

// silentAbout looks for the key in everything an error says.
func silentAbout(t *testing.T, err error) {
	t.Helper()
	words, next := fault.Words(err)
	for e := err; e != nil; e = errors.Unwrap(e) {
		for _, text := range []string{words, next, fmt.Sprintf("%s %v %+v %#v", e, e, e, e)} {
			if strings.Contains(text, Key) || strings.Contains(text, Key[:12]) {
				t.Errorf("the key is in %q", text)
			}
		}
	}
}

// askedOnce promises that retries are the engine's.
func askedOnce(t *testing.T, v Vendor) {
	both(t, func(t *testing.T, streamed bool) {
		for _, status := range []int{408, 409, 429, 500, 503} {
			s := serve(t, fixture{status, http.Header{"Content-Type": {"application/json"}, "Retry-After": {"0"},
				"X-Should-Retry": {"true"}},
				[]byte(v.Error(status, "later"))})
			if _, err := v.ask(t.Context(), t, Server{URL: s.URL, Key: Key}, streamed); err == nil {
				t.Errorf("status %d is no fault", status)
			}
			if got := s.count(); got != 1 {
				t.Errorf("status %d: asked %d times, want once", status, got)
			}
		}
	})
}

// brokenServers promises that whatever a server does short of answering is a
// fault: one that may be tried again if the network failed, and one that may
// not if it answers in another form.
func brokenServers(t *testing.T, v Vendor) {
	answer := func(kind, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write([]byte(body))
		}
	}
	abort := func(kind string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte(`{"id":`))
			panic(http.ErrAbortHandler)
		}
	}
	both(t, func(t *testing.T, streamed bool) {
		for name, tt := range map[string]struct {
			handle http.HandlerFunc
			want   fault.Kind
		}{
			"a page":         {answer("text/html", "<html>Welcome</html>"), fault.Invalid},
			"another JSON":   {answer("application/json", `{"hello":"world"}`), fault.Invalid},
			"half of a JSON": {answer("application/json", `{"id":"x","choi`), fault.Invalid},
			"a list":         {answer("application/json", `[1,2]`), fault.Invalid},
			"null":           {answer("application/json", `null`), fault.Invalid},
			"nothing":        {answer("application/json", ""), fault.Invalid},
			"a lost one":     {abort("application/json"), fault.Unavailable},
			"one hanging up": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, fault.Unavailable},
			"a lost stream":  {abort("text/event-stream"), fault.Unavailable},
			"an event half": {answer("text/event-stream", "event: message_start\ndata: {\"type\":\"message_start\",\"id\":\n\n"),
				fault.Invalid},
			"a shape of wrong": {answer("application/json", `{"id":7,"choices":"none","content":{"a":1},"stop_reason":[]}`), fault.Invalid},
		} {
			if !streamed && strings.Contains(name, "event") {
				continue // only a stream has them
			}
			_, err := v.ask(t.Context(), t, Server{URL: listen(t, tt.handle).URL, Key: Key}, streamed)
			if !fault.Is(err, tt.want) {
				t.Errorf("%s: got %v, want %s", name, err, tt.want)
			}
			silentAbout(t, err)
		}
		_, err := v.ask(t.Context(), t, Server{URL: "http://" + Key + ":password@127.0.0.1:1", Key: Key}, streamed)
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("nobody there: got %v, want unavailable", err)
		}
		silentAbout(t, err)
	})
}

// largeAnswers promises that an answer without end costs little memory and ends.
func largeAnswers(t *testing.T, v Vendor) {
	const most = 96 << 20 // bytes allocated for one answer, garbage included
	endless := func(kind, head, piece string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Write([]byte(head))
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(piece)); err != nil {
					return
				}
			}
		}
	}
	words := strings.Repeat("word ", 2000)
	for name, tt := range map[string]struct {
		streamed bool
		handle   http.HandlerFunc
		long     bool // an answer that is cut, not a fault
	}{
		"whole":         {false, endless("application/json", `{"id":"`, words), false},
		"error":         {false, endless("text/html", ``, words), false},
		"one event":     {true, endless("text/event-stream", "data: ", words), false},
		"lines":         {true, endless("text/event-stream", "", "data: "+words+"\n"), false},
		"remarks":       {true, endless("text/event-stream", "", ": "+words+"\n"), false},
		"many pieces":   {true, endless("text/event-stream", "", v.Piece(words)), true},
		"not a stream":  {true, endless("text/plain", "", words), false},
		"without break": {true, endless("text/event-stream", "", strings.TrimSpace(words)), false},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := v.ask(t.Context(), t, Server{URL: listen(t, tt.handle).URL, Key: Key, Timeout: time.Minute}, tt.streamed)
		runtime.ReadMemStats(&after)
		switch {
		case tt.long && (err != nil || r.Stop != model.TooLong || len(textOf(r)) > model.MaxText || len(textOf(r)) < model.MaxText/2):
			t.Errorf("%s: got %d bytes, stop %q, %v; want them cut", name, len(textOf(r)), r.Stop, err)
		case !tt.long && !fault.Is(err, fault.TooLarge):
			t.Errorf("%s: got %v, want too large", name, err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > most {
			t.Errorf("%s: %d MiB were allocated, want at most %d", name, got>>20, most>>20)
		}
	}
}

// redirect promises that the key goes nowhere else.
func redirect(t *testing.T, v Vendor) {
	other := serve(t, readFixture(t, "text"))
	for _, status := range []int{301, 302, 307, 308} {
		s := listen(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+r.URL.Path, status) })
		if _, err := v.ask(t.Context(), t, Server{URL: s.URL, Key: Key}, false); !fault.Is(err, fault.Invalid) {
			t.Errorf("status %d: got %v, want a refusal", status, err)
		}
	}
	if other.count() != 0 {
		t.Error("the other server was asked")
	}
}

// tellsAgent promises that a vendor learns nothing of who asks.
func tellsAgent(t *testing.T, v Vendor) {
	for tell, want := range map[bool]string{true: "clerk", false: ""} {
		s := serve(t, readFixture(t, "text"))
		if _, err := v.ask(t.Context(), t, Server{URL: s.URL, Key: Key, TellAgent: tell}, false); err != nil {
			t.Fatal(err)
		}
		if got := s.only(t).header.Get("X-Gavel-Agent"); got != want {
			t.Errorf("told: %t, the header is %q, want %q", tell, got, want)
		}
		if strings.Contains(string(s.only(t).body), "clerk") {
			t.Error("the agent's name is in the body")
		}
	}
}

// environment promises that an adapter is what its Config says.
func environment(t *testing.T, v Vendor) {
	for _, name := range append(v.Environment, "HTTP_PROXY", "HTTPS_PROXY", "http_proxy") {
		t.Setenv(name, "http://192.0.2.1/from-the-environment")
	}
	s := serve(t, readFixture(t, "text"))
	if _, err := v.ask(t.Context(), t, Server{URL: s.URL, Key: ""}, false); err != nil {
		t.Fatal(err)
	}
	for name, values := range s.only(t).header {
		if strings.Contains(strings.Join(values, " "), "from-the-environment") {
			t.Errorf("header %s is from the environment: %q", name, values)
		}
	}
}

// images promises that a model is shown the bytes that the record names.
func images(t *testing.T, v Vendor) {
	s := serve(t, readFixture(t, "text"))
	g, err := v.New(Server{URL: s.URL, Key: Key})
	if err != nil {
		t.Fatal(err)
	}
	show := func(im model.Image) error {
		_, err := g.Generate(t.Context(), model.Request{Model: "a-model", Messages: []model.Message{
			{Role: model.User, Parts: []model.Part{{Text: "Look."}, {Image: &im}}}}})
		return err
	}
	if err := show(model.Image{SHA256: blob.Sum([]byte("other")), ContentType: "image/png"}); !fault.Is(err, fault.NotFound) {
		t.Errorf("an image that is not there: got %v", err)
	}
	if err := show(model.Image{SHA256: blob.Sum(Loaded), ContentType: "image/svg+xml"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an image that is a program: got %v", err)
	}
	if got := s.count(); got != 0 {
		t.Errorf("%d requests were sent", got)
	}
}

// silent promises that a server that never answers costs no more than the
// caller's patience, or the adapter's own.
func silent(t *testing.T, v Vendor) {
	both(t, func(t *testing.T, streamed bool) {
		hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
		half := func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write([]byte(v.Piece("Hello")))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}
		for _, handle := range []http.HandlerFunc{hang, half} {
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			_, err := v.ask(ctx, t, Server{URL: listen(t, handle).URL, Key: Key}, streamed)
			cancel()
			if !fault.Is(err, fault.Unavailable) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the caller gave up: got %v, want unavailable", err)
			}
			_, err = v.ask(t.Context(), t, Server{URL: listen(t, handle).URL, Key: Key, Timeout: 50 * time.Millisecond}, streamed)
			if !fault.Is(err, fault.Unavailable) {
				t.Errorf("the adapter gave up: got %v, want unavailable", err)
			}
		}
	})
}

// unreadable promises that a request that cannot be meant is refused here.
func unreadable(t *testing.T, v Vendor) {
	s := serve(t, readFixture(t, "text"))
	g, err := v.New(Server{URL: s.URL, Key: Key})
	if err != nil {
		t.Fatal(err)
	}
	good := []model.Message{said("Hello")}
	for name, req := range map[string]model.Request{
		"no model":     {Messages: good},
		"no message":   {Model: "m"},
		"two names":    {Model: "m", Messages: good, Tools: []model.ToolSpec{{Name: "a.b"}, {Name: "a_b"}}},
		"no schema":    {Model: "m", Messages: good, Tools: []model.ToolSpec{{Name: "a", Schema: []byte(`{"type":`)}}},
		"no answer":    {Model: "m", Messages: good, Answer: &model.AnswerSpec{Name: "a", Schema: []byte(`[]`)}},
		"no such call": {Model: "m", Messages: []model.Message{{Role: model.Tool, CallID: "x"}}},
	} {
		if _, err := g.Generate(t.Context(), req); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if got := s.count(); got != 0 {
		t.Errorf("%d requests were sent", got)
	}
}
