package telemetry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/telemetry"
)

// A receivedSpan is a span as the collector wrote it down.
type receivedSpan struct {
	SpanID, ParentSpanID, Name string
	Kind                       int
	Attributes                 []struct {
		Key   string
		Value struct{ StringValue, IntValue *string } // OTLP writes whole numbers as text
	}
	Status struct {
		Code    int
		Message string
	}
}

// String is the span in one line, its attributes in order of their keys.
func (s receivedSpan) String() string {
	attributes := map[string]string{}
	for _, a := range s.Attributes {
		switch v := a.Value; {
		case v.StringValue != nil:
			attributes[a.Key] = *v.StringValue
		case v.IntValue != nil:
			attributes[a.Key] = "#" + *v.IntValue
		}
	}
	line := fmt.Sprintf("%s (kind %d, status %d)", s.Name, s.Kind, s.Status.Code)
	for _, key := range slices.Sorted(maps.Keys(attributes)) {
		line += " " + strings.TrimPrefix(key, "gen_ai.") + "=" + attributes[key]
	}
	return line
}

// realCollector starts OpenTelemetry's own collector for the length of a test.
func realCollector(t *testing.T) *devstack.Stack {
	t.Helper()
	stack, err := devstack.Up(t.Context(), devstack.Options{
		Dir: t.TempDir(), Parts: []devstack.Part{devstack.Collector}, Log: t.Output(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return stack
}

// awaitSpans returns what the collector wrote, once that is so many spans, and
// the whole of the file.
func awaitSpans(t *testing.T, stack *devstack.Stack, count int) (map[string]receivedSpan, string) {
	t.Helper()
	var text []byte
	var spans map[string]receivedSpan
	wait.Try(t, func() (err error) {
		if text, err = os.ReadFile(stack.Received()); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		// The last line may still be on its way.
		if spans = decodeSpans(t, text[:bytes.LastIndexByte(text, '\n')+1]); len(spans) < count {
			return fmt.Errorf("the collector has %d spans, want %d", len(spans), count)
		}
		return nil
	})
	return spans, string(text)
}

func decodeSpans(t *testing.T, lines []byte) map[string]receivedSpan {
	t.Helper()
	spans := map[string]receivedSpan{}
	for line := range bytes.Lines(lines) {
		var request struct {
			ResourceSpans []struct {
				ScopeSpans []struct{ Spans []receivedSpan }
			}
		}
		if err := json.Unmarshal(line, &request); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		for _, r := range request.ResourceSpans {
			for _, s := range r.ScopeSpans {
				for _, span := range s.Spans {
					spans[span.Name] = span
				}
			}
		}
	}
	return spans
}

func TestARealCollectorReceivesAgentsUnderThePublishedNames(t *testing.T) {
	stack := realCollector(t)
	tel := setup(t, telemetry.Config{Service: "gavel-worker", OTLPEndpoint: stack.Endpoints(devstack.Collector)[0]})
	agents := tel.GenAI()
	clerk := telemetry.Agent{Name: "netra/clerk", Conversation: "run_01KB"}

	ctx, endAgent := agents.StartAgent(t.Context(), clerk)
	_, endModel := agents.StartModelCall(ctx, telemetry.ModelCall{Agent: clerk, Provider: "openai", Model: "large"})
	endModel(telemetry.ModelAnswer{Model: "large-2026-10-01", Input: 1200, Cached: 1000, Output: 45}, nil)
	_, endTool := agents.StartTool(ctx, telemetry.ToolCall{Agent: clerk, Tool: "netra.get_reading", Call: "call_7"})
	endTool(nil)
	endAgent(nil)
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	got, file := awaitSpans(t, stack, 3)
	for name, want := range map[string]string{
		"invoke_agent netra/clerk": "invoke_agent netra/clerk (kind 1, status 0)" +
			" agent.name=netra/clerk conversation.id=run_01KB operation.name=invoke_agent",
		"chat large": "chat large (kind 3, status 0)" +
			" agent.name=netra/clerk conversation.id=run_01KB operation.name=chat provider.name=openai request.model=large" +
			" response.model=large-2026-10-01 usage.cache_read.input_tokens=#1000 usage.input_tokens=#1200 usage.output_tokens=#45",
		"execute_tool netra.get_reading": "execute_tool netra.get_reading (kind 1, status 0)" +
			" agent.name=netra/clerk conversation.id=run_01KB operation.name=execute_tool" +
			" tool.call.id=call_7 tool.name=netra.get_reading tool.type=function",
	} {
		if got[name].String() != want {
			t.Errorf("got  %s\nwant %s", got[name], want)
		}
		if parent := got["invoke_agent netra/clerk"].SpanID; name != "invoke_agent netra/clerk" && got[name].ParentSpanID != parent {
			t.Errorf("%s: got parent %q, want the agent's span %q", name, got[name].ParentSpanID, parent)
		}
	}
	if !strings.Contains(file, "/schemas/1.41.0") {
		t.Errorf("the names' version is not in %s", file)
	}
}

func TestWhatAgentsSayNeverReachesTheCollector(t *testing.T) {
	const words = "Asha Rao of ward 7"
	stack := realCollector(t)
	tel := setup(t, telemetry.Config{OTLPEndpoint: stack.Endpoints(devstack.Collector)[0]})
	agents := tel.GenAI()

	_, endModel := agents.StartModelCall(t.Context(), telemetry.ModelCall{Provider: "openai", Model: "large"})
	endModel(telemetry.ModelAnswer{Model: words}, fault.New(fault.TooMany, "asked about %s", words))
	_, endTool := agents.StartTool(t.Context(), telemetry.ToolCall{Tool: words, Call: strings.Repeat("x", 200),
		Agent: telemetry.Agent{Name: "asha@example.org", Conversation: words}})
	endTool(fmt.Errorf("no row for %s", words))
	_, endAgent := agents.StartAgent(t.Context(), telemetry.Agent{Name: words})
	endAgent(nil)
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}

	got, file := awaitSpans(t, stack, 3)
	for _, hidden := range []string{"Asha", "asha", "ward", "xxx"} {
		if strings.Contains(file, hidden) {
			t.Errorf("%s is in %s", hidden, file)
		}
	}
	for name, want := range map[string]string{
		"chat large":   "chat large (kind 3, status 2) error.type=too_many operation.name=chat provider.name=openai request.model=large",
		"execute_tool": "execute_tool (kind 1, status 2) error.type=internal operation.name=execute_tool tool.type=function",
		"invoke_agent": "invoke_agent (kind 1, status 0) operation.name=invoke_agent",
	} {
		if got[name].String() != want {
			t.Errorf("got  %s\nwant %s", got[name], want)
		}
	}
}

func TestTheZeroGenAIRecordsNothing(t *testing.T) {
	ctx, end := telemetry.GenAI{}.StartAgent(t.Context(), telemetry.Agent{Name: "clerk"})
	_, endModel := telemetry.GenAI{}.StartModelCall(ctx, telemetry.ModelCall{Model: "large"})
	endModel(telemetry.ModelAnswer{}, nil)
	end(nil)
	if got := trace.SpanContextFromContext(ctx); got.IsValid() {
		t.Errorf("got span %v, want none", got)
	}
}
