package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// TestDraftKeepsToTheBounds promises that an answer over a bound is cut, says
// so, and asks for nothing.
func TestDraftKeepsToTheBounds(t *testing.T) {
	for name, tt := range map[string]struct {
		fill func(d *wire.Draft)
		full bool
	}{
		"text to the brim":  {func(d *wire.Draft) { d.Text(strings.Repeat("x", model.MaxText)) }, false},
		"text":              {func(d *wire.Draft) { d.Text(strings.Repeat("x", model.MaxText)); d.Text("y") }, true},
		"text in umlauts":   {func(d *wire.Draft) { d.Text("x" + strings.Repeat("ü", model.MaxText/2)) }, true},
		"calls to the brim": {func(d *wire.Draft) { calls(d, model.MaxCalls) }, false},
		"calls":             {func(d *wire.Draft) { calls(d, model.MaxCalls+1) }, true},
		"arguments":         {func(d *wire.Draft) { d.Call(0, "a", "b", strings.Repeat("x", model.MaxArgs+1)) }, true},
		"many arguments": {func(d *wire.Draft) { d.Call(0, "a", "b", strings.Repeat("x", model.MaxArgs)); d.Call(0, "", "", "y") },
			true},
		"a name": {func(d *wire.Draft) { d.Call(0, "a", strings.Repeat("x", model.MaxName+1), "") }, true},
		"an id":  {func(d *wire.Draft) { d.Call(0, strings.Repeat("x", model.MaxName+1), "b", "") }, true},
	} {
		var streamed strings.Builder
		d := wire.Draft{Stream: func(s string) { streamed.WriteString(s) }}
		d.Call(99, "first", "b", "{}")
		if tt.full || !strings.Contains(name, "calls") {
			tt.fill(&d)
		} else {
			d = wire.Draft{Stream: d.Stream}
			tt.fill(&d)
		}
		m, stop := d.Message(model.Done)
		want := model.WantsTool
		if tt.full {
			want = model.TooLong
		}
		if stop != want || d.Full() != tt.full || tt.full != (len(m.Calls) == 0) {
			t.Errorf("%s: stop %q with %d calls, want %q", name, stop, len(m.Calls), want)
		}
		if len(m.Parts) > 0 && (len(m.Parts[0].Text) > model.MaxText || !utf8.ValidString(m.Parts[0].Text) ||
			streamed.String() != m.Parts[0].Text) {
			t.Errorf("%s: %d bytes of text, %d streamed", name, len(m.Parts[0].Text), streamed.Len())
		}
	}
}

func calls(d *wire.Draft, n int) {
	for i := range n {
		d.Call(int64(i), fmt.Sprint("id", i), "b", "{}")
	}
}

// TestDraftTellsCallsApart promises that the habits of servers do not mix
// calls up: all in one slot, names said again, ids missing or given twice.
func TestDraftTellsCallsApart(t *testing.T) {
	for name, tt := range map[string]struct {
		fill func(d *wire.Draft)
		want string
	}{
		"in turn": {func(d *wire.Draft) {
			d.Call(0, "a", "f", "{")
			d.Call(1, "b", "g", "[")
			d.Call(0, "", "", "}")
			d.Call(1, "", "", "]")
		}, `a:f{} b:g[]`},
		"in one slot": {func(d *wire.Draft) { d.Call(0, "a", "f", "{}"); d.Call(0, "b", "g", "{"); d.Call(0, "", "", "}") },
			`a:f{} b:g{}`},
		"named again":   {func(d *wire.Draft) { d.Call(0, "a", "f", "{"); d.Call(0, "a", "f", "}") }, `a:f{}`},
		"no ids":        {func(d *wire.Draft) { d.Call(0, "", "f", "{}"); d.Call(1, "", "g", "{}") }, `call_1:f{} call_2:g{}`},
		"one id twice":  {func(d *wire.Draft) { d.Call(0, "a", "f", "{}"); d.Call(1, "a", "g", "{}") }, `a:f{} call_2:g{}`},
		"our id theirs": {func(d *wire.Draft) { d.Call(0, "call_2", "f", "{}"); d.Call(1, "", "g", "{}") }, `call_2:f{} call_3:g{}`},
		"no arguments":  {func(d *wire.Draft) { d.Call(0, "a", "f", "") }, `a:f{}`},
		"no name":       {func(d *wire.Draft) { d.Call(0, "a", "", "{}") }, `a:unnamed{}`},
	} {
		var d wire.Draft
		tt.fill(&d)
		m, _ := d.Message(model.Done)
		var got []string
		for _, c := range m.Calls {
			got = append(got, c.ID+":"+c.Name+c.Args)
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// TestNamesComeBack promises that any set of tool names is said in the
// vendor's alphabet and understood again, or refused before it is sent.
func TestNamesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.OneOf(rapid.StringMatching(`[a-z]{1,5}[._][a-z]{1,5}`), rapid.StringN(1, 90, -1)), 1, 6,
			rapid.ID[string]).Draw(t, "names")
		var tools []model.ToolSpec
		for _, n := range names {
			tools = append(tools, model.ToolSpec{Name: n})
		}
		n, err := wire.NewNames(tools)
		if err != nil {
			if !fault.Is(err, fault.Invalid) {
				t.Fatal(err)
			}
			return
		}
		for _, name := range names {
			theirs := n.Theirs(name)
			if len(theirs) > 64 || strings.Trim(theirs, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
				t.Fatalf("%q is said as %q", name, theirs)
			}
			if got := n.Ours(theirs); got != name {
				t.Fatalf("%q came back as %q", name, got)
			}
		}
	})
	if got, want := wire.Plain("poolpatrol.get_shift"), "poolpatrol_get_shift"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if a, b := wire.Plain("a:b"), wire.Plain("a;b"); a == b {
		t.Errorf("two ids became one, %q", a)
	}
}

// TestObjectIsAlwaysOne promises that what a model wrote wrongly can still be
// shown to it.
func TestObjectIsAlwaysOne(t *testing.T) {
	for args, want := range map[string]string{
		`{"a":1}`: `{"a":1}`, `{"a":`: `{"unreadable_arguments":"{\"a\":"}`, `[1]`: `{"unreadable_arguments":"[1]"}`,
		`null`: `{"unreadable_arguments":"null"}`, ``: `{"unreadable_arguments":""}`,
	} {
		if got := string(wire.Object(args)); got != want || !json.Valid([]byte(got)) {
			t.Errorf("%q became %s, want %s", args, got, want)
		}
	}
}

// TestCountsAreBroughtIntoSense promises that no report of a server makes a
// negative or endless bill.
func TestCountsAreBroughtIntoSense(t *testing.T) {
	const huge = 1<<63 - 1
	price := model.Price{Input: 100_000_000, Cached: 100_000_000, Output: 100_000_000} // a hundred a million tokens
	for _, n := range [][3]int64{{-1, -1, -1}, {huge, huge, huge}, {1, 5, 0}, {-huge, huge, 3}} {
		u := wire.Count(n[0], n[1], n[2])
		if u.Input < 0 || u.Cached < 0 || u.Output < 0 || u.Cached > u.Input || u.Total() < 0 || price.Cost(u) < 0 {
			t.Errorf("%v became %+v, at a cost of %d", n, u, price.Cost(u))
		}
	}
}

// TestImageIsCheckedAgainstItsDigest promises that a loader cannot show a model
// other bytes than the record says.
func TestImageIsCheckedAgainstItsDigest(t *testing.T) {
	im := model.Image{SHA256: blob.Sum([]byte("right")), ContentType: "image/png"}
	give := func(data []byte) wire.Loader {
		return func(context.Context, blob.Digest) ([]byte, error) { return data, nil }
	}
	for name, tt := range map[string]struct {
		load wire.Loader
		want fault.Kind
	}{
		"none":  {nil, fault.Invalid},
		"wrong": {give([]byte("wrong")), fault.Internal},
		"empty": {give(nil), fault.TooLarge},
		"large": {give(make([]byte, model.MaxImage+1)), fault.TooLarge},
	} {
		if _, err := tt.load.Image(t.Context(), im); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
	if got, err := give([]byte("right")).Image(t.Context(), im); err != nil || string(got) != "right" {
		t.Errorf("got %q, %v", got, err)
	}
}

// one is a transport that gives one answer.
type one struct{ res *http.Response }

func (o one) RoundTrip(*http.Request) (*http.Response, error) { return o.res, nil }

// TestStreamsAreBoundedByEvent promises that a stream may be long while each of
// its events is short, however its lines end and its reads fall.
func TestStreamsAreBoundedByEvent(t *testing.T) {
	const size = 1 << 20
	for name, tt := range map[string]struct {
		piece string
		times int
		ok    bool
	}{
		"short events":     {"data: " + strings.Repeat("x", size) + "\n\n", 20, true},
		"with carriage":    {"data: " + strings.Repeat("x", size) + "\r\n\r\n", 20, true},
		"one long event":   {"data: " + strings.Repeat("x", size) + "\n", 20, false},
		"no line at all":   {strings.Repeat("x", size), 20, false},
		"just short of it": {"data: " + strings.Repeat("x", size) + "\n", 7, true},
	} {
		for _, whole := range []bool{true, false} {
			var body io.Reader = strings.NewReader(strings.Repeat(tt.piece, tt.times))
			if !whole {
				body = iotest.HalfReader(body)
			}
			res := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
				Body: io.NopCloser(body)}
			req, err := http.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1/", nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := wire.Client(one{res}).Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.Copy(io.Discard, got.Body)
			if tt.ok && err != nil || !tt.ok && !fault.Is(err, fault.TooLarge) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}

// TestRefusalHoldsCodesOnly promises that a vendor's words are not kept, and
// that its codes cannot carry any.
func TestRefusalHoldsCodesOnly(t *testing.T) {
	r := wire.Refusal{Provider: "openai", Status: 429, Type: "a b\nc", Code: strings.Repeat("x", 500), RequestID: "req_1\x00"}
	if got := r.Error(); strings.ContainsAny(got, "\n\x00") || len(got) > 300 || !strings.Contains(got, "req_1") {
		t.Errorf("got %q", got)
	}
	for _, tt := range []struct {
		r    wire.Refusal
		want fault.Kind
	}{
		{wire.Refusal{Status: 429, Code: "insufficient_quota"}, fault.Refused},
		{wire.Refusal{Status: 429, Code: "rate_limit_exceeded"}, fault.TooMany},
		{wire.Refusal{Status: 402, Type: "billing_error"}, fault.Refused},
	} {
		if err := tt.r.Fault(); err.Kind != tt.want || err.Next == "" && tt.want == fault.Refused {
			t.Errorf("%+v is %s, want %s", tt.r, err.Kind, tt.want)
		}
	}
	if err := wire.Broken(t.Context(), "openai", errors.New("it said: secret words")); strings.Contains(err.Error(), "secret") {
		t.Errorf("the library's words are in %q", err)
	}
}
