package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/telemetry"
)

// TestACollectorReceivesEachStepOnce runs a case with a sub-agent and a gate, and
// counts the spans that OpenTelemetry's own collector received: one for each
// turn, model call and tool, none twice, and nothing of what was said.
func TestACollectorReceivesEachStepOnce(t *testing.T) {
	stack, err := devstack.Up(t.Context(), devstack.Options{Dir: t.TempDir(), Parts: []devstack.Part{devstack.Collector}, Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := stack.Remove(context.Background()); err != nil {
			t.Error(err)
		}
	})
	tel, err := telemetry.Setup(t.Context(), telemetry.Config{Service: "gavel-worker", Log: t.Output(),
		OTLPEndpoint: stack.Endpoints(devstack.Collector)[0]})
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(c *agenttest.Config) { c.Spans = tel.GenAI() })
	r.run()
	c := r.open("foreman", "clerk(look unspoken); look b | letter c")
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	if err := tel.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"invoke_agent foreman": 3, "invoke_agent clerk": 2, "chat scripted": 5, "execute_tool look": 2,
		"execute_tool letter": 1}
	got, text := received(t, stack.Received(), 13)
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%d spans called %q, want %d; all: %v", got[name], name, n, got)
		}
	}
	if strings.Contains(text, "unspoken") {
		t.Error("what was said reached the collector")
	}
}

// received counts spans by name, once there are so many.
func received(t *testing.T, file string, n int) (map[string]int, string) {
	t.Helper()
	var names map[string]int
	var text []byte
	wait.Try(t, func() (err error) {
		if text, err = os.ReadFile(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		total := 0
		names = map[string]int{}
		for line := range bytes.Lines(text[:bytes.LastIndexByte(text, '\n')+1]) {
			var request struct {
				ResourceSpans []struct {
					ScopeSpans []struct{ Spans []struct{ Name string } }
				}
			}
			if err := json.Unmarshal(line, &request); err != nil {
				t.Fatal(err)
			}
			for _, rs := range request.ResourceSpans {
				for _, s := range rs.ScopeSpans {
					for _, span := range s.Spans {
						names[span.Name]++
						total++
					}
				}
			}
		}
		if total < n {
			return fmt.Errorf("%d spans were collected, want %d: %v", total, n, names)
		}
		return nil
	})
	return names, string(text)
}
