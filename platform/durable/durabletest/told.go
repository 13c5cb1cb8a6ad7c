package durabletest

import (
	"testing"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack/wait"
)

// A Client speaks to an engine.
type Client = client.Client

// Told waits until a workflow was told something after a moment and has gone on from there,
// and gives when it had.
func Told(t testing.TB, c client.Client, workflowID string, since time.Time) (at time.Time) {
	t.Helper()
	wait.Until(t, workflowID+" is told", func() bool {
		told := false
		it := c.GetWorkflowHistory(t.Context(), workflowID, "", false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
		for it.HasNext() {
			e, err := it.Next()
			if err != nil {
				t.Fatal(err)
			}
			switch at = e.GetEventTime().AsTime(); {
			case at.Before(since):
			case e.EventType == enums.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
				told = true
			case told && e.EventType == enums.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
				return true
			}
		}
		return false
	})
	return at
}
