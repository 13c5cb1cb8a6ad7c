package model_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// TestCanonicalFormIsFixed promises that a message's digest stays what it is:
// transcripts of years ago are found by it.
func TestCanonicalFormIsFixed(t *testing.T) {
	image := &model.Image{SHA256: blob.Sum([]byte("x")), ContentType: "image/png"}
	for _, tt := range []struct {
		message model.Message
		text    string
	}{
		{model.Message{Role: model.User, Parts: []model.Part{{Text: "Grüße <&> \u2028\n"}}},
			"{\"parts\":[{\"text\":\"Grüße <&> \u2028\\n\"}],\"role\":\"user\"}"},
		{model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "a.b", Args: `{"x": 1}`}}},
			`{"calls":[{"args":"{\"x\": 1}","id":"1","name":"a.b"}],"role":"assistant"}`},
		{model.Message{Role: model.Tool, CallID: "1", Failed: true, Parts: []model.Part{{Image: image}}},
			`{"call_id":"1","failed":true,"parts":[{"image":{"content_type":"image/png","sha256":"2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"}}],"role":"tool"}`},
	} {
		got, err := tt.message.Canonical()
		if err != nil || string(got) != tt.text {
			t.Errorf("got %s, %v, want %s", got, err, tt.text)
		}
		if d, err := tt.message.Digest(); err != nil || d != blob.Sum([]byte(tt.text)) {
			t.Errorf("digest %s, %v, want that of the text", d, err)
		}
	}
}

// TestCanonicalIsTheSameAfterReading promises that a message that is stored and
// read again has the digest it had.
func TestCanonicalIsTheSameAfterReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := model.Message{Role: model.Assistant, Parts: []model.Part{{Text: rapid.String().Draw(t, "text")}},
			Calls: []model.Call{{ID: "1", Name: rapid.String().Draw(t, "name"), Args: rapid.String().Draw(t, "args")}}}
		text, err := m.Canonical()
		if err != nil {
			t.Fatal(err)
		}
		var read model.Message
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Canonical()
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s became %s, %v", text, again, err)
		}
	})
}

// TestRequestDigestIsOfWhatTheModelIsTold promises that who asks and who
// listens change nothing, and that any word does.
func TestRequestDigestIsOfWhatTheModelIsTold(t *testing.T) {
	base := func() model.Request {
		return model.Request{Model: "m", System: "s", Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "Hello"}}}},
			Tools: []model.ToolSpec{{Name: "t", Schema: json.RawMessage(`{"b":1, "a":2}`)}}}
	}
	digest := func(change func(*model.Request)) blob.Digest {
		r := base()
		change(&r)
		d, err := r.Digest()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	same := digest(func(*model.Request) {})
	if got := digest(func(r *model.Request) { r.Agent, r.Stream = "clerk", func(string) {} }); got != same {
		t.Error("who asks changed the digest")
	}
	if got := digest(func(r *model.Request) { r.Tools[0].Schema = json.RawMessage(`{"a":2,"b":1}`) }); got != same {
		t.Error("the order of a schema's members changed the digest")
	}
	seed, warm := int64(1), 0.5
	for i, change := range []func(*model.Request){
		func(r *model.Request) { r.Model = "n" }, func(r *model.Request) { r.System = "" },
		func(r *model.Request) { r.Messages[0].Parts[0].Text = "hello" }, func(r *model.Request) { r.Tools = nil },
		func(r *model.Request) { r.Params.Seed = &seed }, func(r *model.Request) { r.Params.Temperature = &warm },
		func(r *model.Request) { r.Answer = &model.AnswerSpec{Name: "a", Schema: json.RawMessage(`{}`)} },
	} {
		if digest(change) == same {
			t.Errorf("change %d left the digest as it was", i+1)
		}
	}
}

// TestWhatCannotBeReadAlikeHasNoDigest promises that two different messages
// never share one.
func TestWhatCannotBeReadAlikeHasNoDigest(t *testing.T) {
	bad := "a\xffb"
	for i, m := range []model.Message{
		{Role: model.User, Parts: []model.Part{{Text: bad}}}, {Role: model.Tool, CallID: bad},
		{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "n", Args: bad}}},
	} {
		if _, err := m.Digest(); !fault.Is(err, fault.Invalid) {
			t.Errorf("message %d: got %v, want invalid", i+1, err)
		}
		if _, err := (model.Request{Model: "m", Messages: []model.Message{m}}).Digest(); !fault.Is(err, fault.Invalid) {
			t.Errorf("request %d: got %v, want invalid", i+1, err)
		}
	}
	seed := int64(1) << 53
	if _, err := (model.Request{Model: "m", Params: model.Params{Seed: &seed}}).Digest(); !fault.Is(err, fault.Invalid) {
		t.Errorf("a seed beyond 2^53: got %v, want invalid", err)
	}
}

// TestRequestsThatNoVendorUnderstandsAreRefused promises that a slip is told
// here, in words, and not by a vendor's code.
func TestRequestsThatNoVendorUnderstandsAreRefused(t *testing.T) {
	hello := model.Message{Role: model.User, Parts: []model.Part{{Text: "Hello"}}}
	call := model.Message{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "t", Args: "{}"}}}
	result := model.Message{Role: model.Tool, CallID: "1"}
	picture := model.Part{Image: &model.Image{SHA256: blob.Sum([]byte("x")), ContentType: "image/png"}}
	with := func(all ...model.Message) model.Request { return model.Request{Model: "m", Messages: all} }
	for name, tt := range map[string]struct {
		req  model.Request
		want fault.Kind // Internal for none
	}{
		"good":          {with(hello, call, result, call, result), fault.Internal},
		"no model":      {model.Request{Messages: []model.Message{hello}}, fault.Invalid},
		"no message":    {with(), fault.Invalid},
		"many messages": {with(make([]model.Message, model.MaxMessages+1)...), fault.TooLarge},
		"many tools": {model.Request{Model: "m", Messages: []model.Message{hello}, Tools: make([]model.ToolSpec, model.MaxTools+1)},
			fault.TooLarge},
		"a tool twice": {model.Request{Model: "m", Messages: []model.Message{hello}, Tools: []model.ToolSpec{{Name: "a"},
			{Name: "a"}}}, fault.Invalid},
		"negative tokens": {model.Request{Model: "m", Messages: []model.Message{hello}, Params: model.Params{MaxTokens: -1}},
			fault.Invalid},
		"much text": {model.Request{Model: "m", System: strings.Repeat("x", model.MaxAsked+1), Messages: []model.Message{hello}},
			fault.TooLarge},
		"a result too many": {with(hello, call, result, result), fault.Invalid},
		"a result first":    {with(hello, result), fault.Invalid},
		"an id twice":       {with(hello, call, call), fault.Invalid},
		"a user's call":     {with(model.Message{Role: model.User, Calls: call.Calls}), fault.Invalid},
		"a strange role":    {with(model.Message{Role: "system"}), fault.Invalid},
		"both in a part":    {with(model.Message{Role: model.User, Parts: []model.Part{{Text: "x", Image: picture.Image}}}), fault.Invalid},
		"a model's picture": {with(hello, model.Message{Role: model.Assistant, Parts: []model.Part{picture}}), fault.Invalid},
		"no digest": {with(model.Message{Role: model.User, Parts: []model.Part{{Image: &model.Image{ContentType: "image/png"}}}}),
			fault.Invalid},
		"many pictures": {with(model.Message{Role: model.User, Parts: func() []model.Part {
			all := make([]model.Part, model.MaxImages+1)
			for i := range all {
				all[i] = picture
			}
			return all
		}()}), fault.TooLarge},
	} {
		if err := tt.req.Check(); tt.want == fault.Internal && err != nil || tt.want != fault.Internal && !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", name, err, tt.want)
		}
	}
}

// TestCostIsRoundedUp promises that a budget in money is never short by a part.
func TestCostIsRoundedUp(t *testing.T) {
	p := model.Price{Currency: "USD", Input: 3_000_000, Cached: 300_000, Output: 15_000_000}
	for _, tt := range []struct {
		usage model.Usage
		want  int64
	}{
		{model.Usage{}, 0},
		{model.Usage{Input: 1_000_000}, 3_000_000},
		{model.Usage{Input: 1_000_000, Cached: 1_000_000}, 300_000},
		{model.Usage{Input: 1, Cached: 1}, 1}, // 0.3 of a millionth
		{model.Usage{Input: 10, Cached: 4, Output: 2}, 6*3 + 2 + 2*15},
	} {
		if got := p.Cost(tt.usage); got != tt.want {
			t.Errorf("%+v costs %d, want %d", tt.usage, got, tt.want)
		}
	}
	if _, err := (model.Routes{}).Find("careful"); !fault.Is(err, fault.NotFound) {
		t.Errorf("a missing route: got %v, want not found", err)
	}
}

// TestSilenceIsEstimated promises that a server that does not count cannot
// evade a budget.
func TestSilenceIsEstimated(t *testing.T) {
	r := model.Request{System: "12345678", Messages: []model.Message{{Parts: []model.Part{{Text: "1234"}}}}}
	got := r.Estimate(model.Message{Parts: []model.Part{{Text: "12345"}}})
	if want := (model.Usage{Input: 3, Output: 2, Estimated: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if sum := got.Add(model.Usage{Input: 1}); !sum.Estimated || sum.Total() != 6 {
		t.Errorf("the sum is %+v", sum)
	}
}
