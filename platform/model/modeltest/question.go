package modeltest

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// A Question is a request and what must be true of any answer to it.
type Question struct {
	Name     string
	Request  model.Request
	Streamed bool
	MadeUp   bool       // a real model cannot be made to answer so
	Fault    fault.Kind // Internal for none
	Answer   Answer
}

// An Answer is what must be true of a response. Models word things as they
// like, so it says little; the golden file says the rest.
type Answer struct {
	Stop  model.Stop
	Text  string   // it holds this
	JSON  string   // it is this, read as JSON
	Calls []string // names, in order
	Args  []string // arguments, read as JSON
}

// hold checks a response against the answer and what holds for every one.
func (q Question) hold(t *testing.T, r model.Response) {
	t.Helper()
	a := q.Answer
	if r.Stop != a.Stop {
		t.Errorf("stop is %q, want %q", r.Stop, a.Stop)
	}
	if text := textOf(r); !strings.Contains(text, a.Text) || a.JSON != "" && !sameJSON(text, a.JSON) {
		t.Errorf("the text is %q, want %q or %s", text, a.Text, a.JSON)
	}
	if len(r.Message.Calls) != len(a.Calls) {
		t.Fatalf("%d calls, want %v", len(r.Message.Calls), a.Calls)
	}
	ids := map[string]bool{}
	for i, c := range r.Message.Calls {
		if c.Name != a.Calls[i] || !sameJSON(c.Args, a.Args[i]) {
			t.Errorf("call %d is %s(%s), want %s(%s)", i+1, c.Name, c.Args, a.Calls[i], a.Args[i])
		}
		if c.ID == "" || ids[c.ID] {
			t.Errorf("call %d has the id %q, which is empty or there twice", i+1, c.ID)
		}
		ids[c.ID] = true
	}
	if r.Message.Role != model.Assistant || r.Identity.Provider == "" || r.Identity.Model == "" || r.Identity.RequestID == "" {
		t.Errorf("it does not say who answered: %+v", r)
	}
	if r.Usage.Input <= 0 || r.Usage.Estimated || r.Usage.Cached > r.Usage.Input {
		t.Errorf("it does not say what it cost: %+v", r.Usage)
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(x, y)
}

// said is a user's message.
func said(words string) model.Message {
	return model.Message{Role: model.User, Parts: []model.Part{{Text: words}}}
}

// Tools are the tools that questions offer: names with a dot, an optional
// argument, and a bound that a dialect cannot say.
func Tools() []model.ToolSpec {
	return []model.ToolSpec{
		{Name: "weather.read", Description: "Reads the weather of a town.", Schema: json.RawMessage(`{"type":"object",
			"properties":{"town":{"type":"string","minLength":1},"unit":{"type":"string","enum":["c","f"]}},
			"required":["town"],"additionalProperties":false}`)},
		{Name: "clock_read", Description: "Reads the clock of a town.", Schema: json.RawMessage(`{"type":"object",
			"properties":{"town":{"type":"string"}},"required":["town"],"additionalProperties":false}`)},
	}
}

// form is the answer's form: one required and two optional properties, one of
// which may be null for a reason.
func form() *model.AnswerSpec {
	return &model.AnswerSpec{Name: "finding", Schema: json.RawMessage(`{"type":"object","properties":{
		"verdict":{"type":"string","enum":["late","on_time"]},
		"minutes":{"type":"integer","minimum":0},
		"note":{"type":["string","null"]}},
		"required":["verdict","note"],"additionalProperties":false}`)}
}

// Questions are what every adapter is asked.
func Questions() []Question {
	text := model.Request{Model: "a-model", System: "You are terse.", Messages: []model.Message{said("Say hello.")},
		Params: model.Params{MaxTokens: 200}}
	calls := model.Request{Model: "a-model", System: "Use the tools, both at once.", Tools: Tools(),
		Messages: []model.Message{said("What are the weather and the time in Bath?")}, Params: model.Params{MaxTokens: 500}}
	results := calls
	results.Messages = append(append([]model.Message(nil), calls.Messages...), conversation()...)
	structured := model.Request{Model: "a-model", Answer: form(),
		Messages: []model.Message{said("The van was late; nobody knows by how much, and there is no note. Leave the minutes out.")},
		Params:   model.Params{MaxTokens: 500}}
	both := Answer{Stop: model.WantsTool, Calls: []string{"weather.read", "clock_read"}, Args: []string{`{"town":"Bath"}`,
		`{"town":"Bath"}`}}
	late := Answer{Stop: model.Done, JSON: `{"verdict":"late","note":null}`}
	return []Question{
		{Name: "text", Request: text, Answer: Answer{Stop: model.Done, Text: "ello"}},
		{Name: "text_streamed", Request: text, Streamed: true, Answer: Answer{Stop: model.Done, Text: "ello"}},
		{Name: "calls", Request: calls, Answer: both},
		{Name: "calls_streamed", Request: calls, Streamed: true, Answer: both},
		{Name: "results", Request: results, Answer: Answer{Stop: model.Done, Text: "Bath"}},
		{Name: "structured", Request: structured, Answer: late},
		{Name: "structured_streamed", Request: structured, Streamed: true, Answer: late},
		{Name: "cut_at_max_tokens", Request: calls, MadeUp: true, Answer: Answer{Stop: model.TooLong}},
		{Name: "refused", Request: text, MadeUp: true, Answer: Answer{Stop: model.Refused}},
		{Name: "nothing", Request: text, MadeUp: true, Answer: Answer{Stop: model.Done}},
		{Name: "error_in_stream", Request: text, MadeUp: true, Streamed: true, Fault: fault.Unavailable},
		{Name: "cut_stream", Request: text, MadeUp: true, Streamed: true, Fault: fault.Unavailable},
	}
}

// conversation goes on from the calls: a call whose arguments were no JSON, a
// result with an image, a failed one, and more words.
func conversation() []model.Message {
	image := &model.Image{SHA256: blob.Sum(Loaded), ContentType: "image/png"}
	return []model.Message{
		{Role: model.Assistant, Parts: []model.Part{{Text: "I will look."}}, Calls: []model.Call{
			{ID: "call_1", Name: "weather.read", Args: `{"town":"Bath"}`}, {ID: "call:2", Name: "clock_read", Args: `{"town":`}}},
		{Role: model.Tool, CallID: "call_1", Parts: []model.Part{{Text: `{"sky":"clear"}`}, {Image: image}}},
		{Role: model.Tool, CallID: "call:2", Failed: true, Parts: []model.Part{{Text: "args: not JSON"}}},
		{Role: model.User, Parts: []model.Part{{Text: "Never mind the time. What do you see here?"}, {Image: image}}},
	}
}
