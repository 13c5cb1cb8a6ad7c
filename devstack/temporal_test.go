package devstack_test

import (
	"context"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	sdklog "go.temporal.io/sdk/log"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

func dial(t *testing.T, s *devstack.Stack) client.Client {
	t.Helper()
	c, err := client.Dial(client.Options{
		HostPort:  s.Settings()["GAVEL_TEMPORAL_ADDRESS"],
		Namespace: s.Settings()["GAVEL_TEMPORAL_NAMESPACE"],
		Logger:    sdklog.NewStructuredLogger(slog.New(slog.DiscardHandler)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestTemporalKeepsItsWorkThroughACrash runs the engine through its whole life
// on one stack, because starting one is dear.
func TestTemporalKeepsItsWorkThroughACrash(t *testing.T) {
	dir := t.TempDir()
	s := up(t, dir, devstack.Temporal)
	before := s.Status()

	for _, address := range listeners(t, statusOf(t, s, devstack.Temporal).PID) {
		if !strings.HasPrefix(address, "127.0.0.1:") {
			t.Errorf("Temporal listens on %s", address)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	defer cancel()
	c := dial(t, s)
	ns, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: devstack.Namespace})
	if err != nil {
		t.Fatal(err)
	}
	if got := ns.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration(); got != 72*time.Hour {
		t.Errorf("retention: got %s, want 72h", got)
	}
	run, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{ID: "kept", TaskQueue: "nobody"}, "waits")
	if err != nil {
		t.Fatal(err)
	}
	if again := up(t, dir, devstack.Temporal); !reflect.DeepEqual(again.Status(), before) {
		t.Errorf("the second up changed something: got %+v, want %+v", again.Status(), before)
	}

	if err := s.Kill(devstack.Temporal); err != nil {
		t.Fatal(err)
	}
	if err := s.Start(ctx, devstack.Temporal); err != nil {
		t.Fatal(err)
	}
	desc, err := dial(t, s).DescribeWorkflowExecution(ctx, "kept", run.GetRunID())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := desc.GetWorkflowExecutionInfo().GetStatus(), enums.WORKFLOW_EXECUTION_STATUS_RUNNING; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	downLeavesNone(t, s, before)
}

// downLeavesNone stops the stack and looks for the processes of its whole life.
func downLeavesNone(t *testing.T, s *devstack.Stack, before []devstack.Status) {
	t.Helper()
	all := slices.Concat(before, s.Status())
	if err := s.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, st := range all {
		if alive(st.PID) {
			t.Errorf("process %d of %s is left", st.PID, st.Part)
		}
	}
}
