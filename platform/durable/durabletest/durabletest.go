// Package durabletest helps to test workflows: replays of recorded histories,
// and a client on the dev stack's engine.
package durabletest

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/api/temporalproto"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
)

// Keys are for tests only: recorded histories in the repository are sealed
// under them.
func Keys(t testing.TB) durable.Keys {
	t.Helper()
	k, err := durable.ParseKeys("test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Config speaks to the dev stack's engine under the test keys.
func Config(t testing.TB) durable.Config {
	t.Helper()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	s := stack.Settings()
	if s["GAVEL_TEMPORAL_ADDRESS"] == "" {
		t.Fatal("the dev stack has no engine: go run ./devstack/cmd/devstack up postgres temporal")
	}
	return durable.Config{
		Address:   s["GAVEL_TEMPORAL_ADDRESS"],
		Namespace: s["GAVEL_TEMPORAL_NAMESPACE"],
		Keys:      Keys(t),
		Logger:    slog.New(slog.DiscardHandler),
	}
}

// Own is Config in a namespace that no other test knows. Who starts workers or
// workflows under names of an installation (queues, ids of cases) needs one; who makes
// up names for each test does not.
func Own(t testing.TB) durable.Config {
	t.Helper()
	cfg := Config(t)
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
	defer cancel()
	cfg.Namespace = "t-" + strings.ToLower(rand.Text()[:16])
	if err := stack.NewNamespace(ctx, cfg.Namespace); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Dial is a client on the dev stack's engine, closed when the test ends.
func Dial(t testing.TB) client.Client {
	t.Helper()
	return DialTo(t, Config(t))
}

// DialTo is Dial in a namespace that the test has made.
func DialTo(t testing.TB, cfg durable.Config) client.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
	defer cancel()
	c, err := durable.Dial(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Stranger is a client of somebody who can write to the engine and has none of our
// keys.
func Stranger(t testing.TB, cfg durable.Config) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{HostPort: cfg.Address, Namespace: cfg.Namespace, Logger: log.NewStructuredLogger(cfg.Logger)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// Replay runs every history in dir against the workflows as they are now and
// fails where a recorded case would no longer get through. The histories are
// of completed runs: the engine's replayer does not check the last task of an
// unfinished one.
func Replay(t *testing.T, dir string, workflows ...durable.Workflow) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded history in %s (%v)", dir, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			if err := ReplayFile(t, file, workflows...); err != nil {
				t.Error(err)
			}
		})
	}
}

// ReplayFile replays one recorded history and returns what the replayer says.
func ReplayFile(t testing.TB, file string, workflows ...durable.Workflow) error {
	t.Helper()
	r, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{DataConverter: Keys(t).ReplayConverter()})
	if err != nil {
		t.Fatal(err)
	}
	for _, wf := range workflows {
		r.RegisterWorkflowWithOptions(wf.Func, workflow.RegisterOptions{Name: wf.Name})
	}
	h := load(t, file)
	last := h.Events[len(h.Events)-1].EventType
	if last != enums.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED && last != enums.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW {
		t.Fatalf("%s ends with %s: record a completed run", file, last)
	}
	return r.ReplayWorkflowHistory(nil, h)
}

// Record writes the history of a workflow's newest run, which is complete, to a
// file, for Replay.
func Record(t testing.TB, c client.Client, workflowID, file string) {
	t.Helper()
	RecordRun(t, c, workflowID, "", file)
}

// RecordRun is Record for one of several runs under an id.
func RecordRun(t testing.TB, c client.Client, workflowID, runID, file string) {
	t.Helper()
	h := &historypb.History{}
	// What its last step wrote is seen before the engine has written that it ended, so this waits for that.
	it := c.GetWorkflowHistory(t.Context(), workflowID, runID, true, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for it.HasNext() {
		e, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		h.Events = append(h.Events, e)
	}
	text, err := temporalproto.CustomJSONMarshalOptions{Indent: " "}.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	// Who recorded it is nobody's business.
	text = regexp.MustCompile(`"identity": "[^"]*"`).ReplaceAll(text, []byte(`"identity": "recorded"`))
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		t.Fatal(err)
	}
}

func load(t testing.TB, file string) *historypb.History {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := &historypb.History{}
	if err := (temporalproto.CustomJSONUnmarshalOptions{}).Unmarshal(text, h); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return h
}
