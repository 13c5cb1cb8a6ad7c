package scripted_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// start runs a server and returns it with a door to it.
func start(t *testing.T, c scripted.Config) (*scripted.Server, *openai.Generator) {
	t.Helper()
	s, err := scripted.New(c)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	g, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", TellAgent: true, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return s, g
}

func ask(agent, words string, more ...model.Message) model.Request {
	return model.Request{Model: "any", Agent: agent,
		Messages: append([]model.Message{{Role: model.User, Parts: []model.Part{{Text: words}}}}, more...)}
}

func textOf(r model.Response) string {
	var b strings.Builder
	for _, p := range r.Message.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

const story = `
latency: 1ms
agents:
  clerk:
    - turn: 1
      task: 'case (?P<case>case_\w+)'
      calls:
        - {name: poolpatrol.get_shift, args: {case: "${case}", days: 7}}
        - {name: poolpatrol.get_van, args: {case: "${case}"}}
    - tool: poolpatrol.get_van
      json: {finding: late, minutes: 12}
    - last: '(?i)hello (?P<who>\w+)'
      text: Good day, ${who}.
  "*":
    - text: I have no lines.
`

// TestScriptAnswersByAgentTurnAndWords promises that each agent is answered by
// its own first rule that fits the conversation, in whole and in a stream.
func TestScriptAnswersByAgentTurnAndWords(t *testing.T) {
	script, err := scripted.Read(strings.NewReader(story))
	if err != nil {
		t.Fatal(err)
	}
	s, g := start(t, scripted.Config{Script: script})
	for _, streamed := range []bool{false, true} {
		var pieces []string
		do := func(req model.Request) model.Response {
			t.Helper()
			if streamed {
				pieces = nil
				req.Stream = func(text string) { pieces = append(pieces, text) }
			}
			r, err := g.Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if streamed && strings.Join(pieces, "") != textOf(r) {
				t.Errorf("streamed %q, answered %q", pieces, textOf(r))
			}
			return r
		}
		req := ask("clerk", "Look into case case_01ABC, please.")
		first := do(req)
		if got, want := len(first.Message.Calls), 2; got != want || first.Stop != model.WantsTool {
			t.Fatalf("got %d calls and stop %s, want %d: %+v", got, first.Stop, want, first)
		}
		if got, want := first.Message.Calls[0].Args, `{"case":"case_01ABC","days":7}`; got != want ||
			first.Message.Calls[0].Name != "poolpatrol.get_shift" {
			t.Errorf("got %s %s, want %s", first.Message.Calls[0].Name, got, want)
		}
		if again := do(req); !slices.Equal(again.Message.Calls, first.Message.Calls) {
			t.Errorf("the same request was answered with other calls: %v, want %v", again.Message.Calls, first.Message.Calls)
		}
		req.Messages = append(req.Messages, first.Message)
		for _, c := range first.Message.Calls {
			req.Messages = append(req.Messages, model.Message{Role: model.Tool, CallID: c.ID, Parts: []model.Part{{Text: "{}"}}})
		}
		if got, want := textOf(do(req)), `{"finding":"late","minutes":12}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := textOf(do(ask("clerk", "Well, hello Asha"))), "Good day, Asha."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		other := do(ask("somebody", "Who are you?"))
		if got, want := textOf(other), "I have no lines."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if other.Identity.Model != "scripted" || !strings.HasPrefix(other.Identity.RequestID, "req_scripted_") || other.Usage.Estimated ||
			other.Usage.Total() == 0 {
			t.Errorf("it does not say that it is scripted, or what it cost: %+v", other)
		}
	}
	if got, want := s.Counts(), map[string]int{"clerk": 8, "somebody": 2}; got["clerk"] != want["clerk"] ||
		got["somebody"] != want["somebody"] || len(got) != 2 {
		t.Errorf("counted %v, want %v", got, want)
	}
	log := s.Log()
	if len(log) != 10 || s.Requests() != 10 || log[2].Turn != 2 || log[2].Tool != "poolpatrol_get_van" || !log[5].Stream ||
		log[9].NAgent != 2 {
		t.Errorf("the log is not what happened: %+v", log)
	}
}

// TestAgentIsKnownBySystemsFirstLine promises that a client that sends no
// header is told apart all the same.
func TestAgentIsKnownBySystemsFirstLine(t *testing.T) {
	rules := map[string][]scripted.Rule{"Clerk": {{Answer: scripted.Answer{Text: "yes"}}}}
	s, g := start(t, scripted.Config{Script: scripted.Script{Agents: rules}})
	req := ask("", "Hello")
	req.System = "Clerk\nYou are careful."
	if r, err := g.Generate(t.Context(), req); err != nil || textOf(r) != "yes" {
		t.Errorf("got %+v, %v", r, err)
	}
	if got := s.Count("Clerk"); got != 1 {
		t.Errorf("counted %d, want 1", got)
	}
	if _, err := g.Generate(t.Context(), ask("nobody", "Hello")); !fault.Is(err, fault.Invalid) {
		t.Errorf("an agent without lines got %v, want a refusal", err)
	}
}

// TestHookAnswersFirst promises that a test's function sees the conversation
// and comes before the script.
func TestHookAnswersFirst(t *testing.T) {
	_, g := start(t, scripted.Config{
		Script: scripted.Script{Agents: map[string][]scripted.Rule{"*": {{Answer: scripted.Answer{Text: "the script"}}}}},
		Reply: func(s scripted.Seen) (scripted.Answer, bool) {
			return scripted.Answer{Text: "the hook: " + s.Messages[0].Text}, s.Agent == "hooked"
		},
	})
	for agent, want := range map[string]string{"hooked": "the hook: Hello", "other": "the script"} {
		if r, err := g.Generate(t.Context(), ask(agent, "Hello")); err != nil || textOf(r) != want {
			t.Errorf("%s got %q, %v, want %q", agent, textOf(r), err, want)
		}
	}
}

// TestRuleAnswersOnlySoOften promises a server that fails twice and then is
// well.
func TestRuleAnswersOnlySoOften(t *testing.T) {
	_, g := start(t, scripted.Config{Script: scripted.Script{Agents: map[string][]scripted.Rule{"*": {
		{Times: 2, Answer: scripted.Answer{Fails: scripted.Error500}}, {Answer: scripted.Answer{Text: "well"}},
	}}}})
	for i, kind := range []fault.Kind{fault.Unavailable, fault.Unavailable, fault.Internal} {
		_, err := g.Generate(t.Context(), ask("a", "Hello"))
		if i < 2 && !fault.Is(err, kind) || i == 2 && err != nil {
			t.Errorf("request %d got %v", i+1, err)
		}
	}
}

// TestDelayIsKept promises that latency can be set.
func TestDelayIsKept(t *testing.T) {
	const delay = 60 * time.Millisecond
	_, g := start(t, scripted.Config{Script: scripted.Script{Latency: scripted.Duration(delay / 2), Agents: map[string][]scripted.Rule{
		"*": {{Answer: scripted.Answer{Text: "slow", Delay: scripted.Duration(delay / 2)}}}}}})
	from := time.Now()
	if _, err := g.Generate(t.Context(), ask("a", "Hello")); err != nil {
		t.Fatal(err)
	}
	if got := time.Since(from); got < delay {
		t.Errorf("answered after %s, want %s", got, delay)
	}
}

// TestBadModelsEndInAFaultOrABoundedAnswer promises that no way to be a bad
// model does more than fail one request, in whole and in a stream.
func TestBadModelsEndInAFaultOrABoundedAnswer(t *testing.T) {
	type end struct {
		fault fault.Kind // Internal: none
		stop  model.Stop
	}
	for fails, want := range map[scripted.Behaviour][2]end{
		scripted.BrokenJSON: {{fault: fault.Invalid}, {fault: fault.Invalid}},
		scripted.BrokenArgs: {{stop: model.WantsTool}, {stop: model.WantsTool}},
		scripted.NoSuchTool: {{stop: model.WantsTool}, {stop: model.WantsTool}},
		scripted.TenMB:      {{fault: fault.TooLarge}, {stop: model.TooLong}},
		scripted.ManyCalls:  {{stop: model.TooLong}, {stop: model.TooLong}},
		scripted.Nothing:    {{stop: model.Done}, {stop: model.Done}},
		scripted.NoChoice:   {{fault: fault.Invalid}, {fault: fault.Unavailable}},
		scripted.Hangs:      {{fault: fault.Unavailable}, {fault: fault.Unavailable}},
		scripted.Error500:   {{fault: fault.Unavailable}, {fault: fault.Unavailable}},
		scripted.RateLimit:  {{fault: fault.TooMany}, {fault: fault.TooMany}},
		scripted.CutOff:     {{fault: fault.Unavailable}, {fault: fault.Unavailable}},
	} {
		_, g := start(t, scripted.Config{Script: scripted.Script{Agents: map[string][]scripted.Rule{
			"*": {{Answer: scripted.Answer{Text: "Some words before it goes wrong.", Fails: fails}}}}}})
		for i, want := range want {
			ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
			if fails == scripted.Hangs {
				ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
			}
			req := ask("a", "Hello")
			if i == 1 {
				req.Stream = func(string) {}
			}
			r, err := g.Generate(ctx, req)
			cancel()
			switch {
			case want.fault != fault.Internal && !fault.Is(err, want.fault):
				t.Errorf("%s (%d): got %v, want %s", fails, i, err, want.fault)
			case want.fault == fault.Internal && (err != nil || r.Stop != want.stop):
				t.Errorf("%s (%d): got stop %q and %v, want %q", fails, i, r.Stop, err, want.stop)
			case len(textOf(r)) > model.MaxText || r.Stop != model.WantsTool && len(r.Message.Calls) > 0:
				t.Errorf("%s (%d): an answer over its bounds: %d bytes, %d calls", fails, i, len(textOf(r)), len(r.Message.Calls))
			}
		}
	}
	if got, want := len(scripted.Behaviours()), 11; got != want {
		t.Errorf("there are %d behaviours and %d are tried", got, want)
	}
}

// TestScriptsThatCouldNotBeMeantAreRefused promises that a slip in a script is
// found when it is read, not in the middle of a demonstration.
func TestScriptsThatCouldNotBeMeantAreRefused(t *testing.T) {
	for _, bad := range []string{
		"agents: {a: [{txt: hello}]}",
		"agents: {a: [{last: '('}]}",
		"agents: {a: [{role: assistant}]}",
		"agents: {a: [{fails: sometimes}]}",
		"agents: {a: [{status: 99}]}",
		"agents: {a: [{delay: soon}]}",
		"agents: {a: [{json: {1: one}}]}",
		"agents: [a]",
		"agents: {a: [{text: " + strings.Repeat("x", 1<<20) + "}]}",
	} {
		if _, err := scripted.Read(strings.NewReader(bad)); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%.60s: got %v, want a refusal", bad, err)
		}
	}
	asJSON := `{"agents": {"a": [{"turn": 1, "text": "hello", "delay": "2ms"}]}}`
	if s, err := scripted.Read(strings.NewReader(asJSON)); err != nil || s.Agents["a"][0].Delay != scripted.Duration(2*time.Millisecond) {
		t.Errorf("JSON was read as %+v, %v", s, err)
	}
	file, err := os.Open("testdata/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if s, err := scripted.Read(file); err != nil || len(s.Agents) == 0 {
		t.Errorf("the example was read as %+v, %v", s, err)
	}
}

// FuzzServerTakesAnyRequest promises that no request makes the server fail in
// any other way than by saying so.
func FuzzServerTakesAnyRequest(f *testing.F) {
	f.Add([]byte(`{"model":"m","messages":[{"role":"user","content":"hello"}]}`), "clerk")
	f.Add([]byte(`{"messages":[{"role":"tool","content":[{"type":"image_url"}],"tool_call_id":"x"}],"stream":true}`), "")
	f.Add([]byte(`{"messages":[{"role":"system","content":7},{"role":"assistant","content":null,"tool_calls":[{}]}]}`), "\x00")
	s, err := scripted.New(scripted.Config{Script: scripted.Script{Agents: map[string][]scripted.Rule{
		"*": {{Turn: 1, Last: "(?P<all>.*)",
			Answer: scripted.Answer{Calls: []scripted.Call{{Name: "t", Args: map[string]any{"a": "${all}"}}}}},
			{Answer: scripted.Answer{Text: "b"}}}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte, agent string) {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", "/v1/chat/completions", strings.NewReader(string(body)))
		r.Header.Set("X-Gavel-Agent", agent)
		s.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 {
			t.Errorf("status %d", w.Code)
		}
		if w.Header().Get("Content-Type") == "application/json" && !json.Valid(w.Body.Bytes()) {
			t.Errorf("answered with %q", w.Body)
		}
	})
}

// BenchmarkRoundTrip is what one answer costs through the adapter and over
// loopback, so that benchmarks of agents know what is not theirs.
func BenchmarkRoundTrip(b *testing.B) {
	s, err := scripted.New(scripted.Config{Script: scripted.Script{Agents: map[string][]scripted.Rule{"*": {{Answer: scripted.Answer{
		Calls: []scripted.Call{{Name: "get_shift", Args: map[string]any{"case": "case_1"}}}}}}}}})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(s)
	defer server.Close()
	g, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", TellAgent: true})
	if err != nil {
		b.Fatal(err)
	}
	req := ask("a", "Look into case_1.")
	req.Tools = []model.ToolSpec{{Name: "get_shift",
		Schema: json.RawMessage(`{"type":"object","properties":{"case":{"type":"string"},"days":{"type":"integer"}},"required":["case"],"additionalProperties":false}`)}}
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := g.Generate(context.Background(), req); err != nil {
				b.Error(err)
			}
		}
	})
}
