package program

import (
	"context"
	"fmt"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/program/config"
)

// The doctor looks through so many open workflows, no more, for the oldest.
const (
	openPages   = 10
	openPerPage = 1000
)

// bound tells whether the oldest open run still has payloads from before they were
// bound to their workflow, and whether the settings go with that. Runs that began
// later are bound, if no older build took part in them; that it cannot see.
func (e engineDoctor) bound(ctx context.Context) doctor.Result {
	if !e.cfg.IsSet(config.NamePayloadKeys) {
		return doctor.Result{Status: doctor.Warn, Detail: "not checked: GAVEL_PAYLOAD_KEYS is not set here",
			Fix: "run it where the settings of a server are"}
	}
	c, err := e.dial()
	if err != nil {
		return engineNotChecked()
	}
	defer c.Close()
	oldest, err := e.oldest(ctx, c)
	if err != nil {
		return engineNotChecked()
	}
	input, err := inputOf(ctx, c, oldest)
	if err != nil {
		return engineNotChecked()
	}
	if input == nil {
		return e.judgeBound("", true)
	}
	id := oldest.GetExecution().GetWorkflowId()
	name := fmt.Sprintf("workflow %.200s, begun %s,", id, oldest.GetStartTime().AsTime().Format(time.DateOnly))
	bound, err := e.engine().Bound(id, input)
	if err != nil {
		return doctor.Result{Status: doctor.Fail, Detail: name + " has an input that cannot be read: " + err.Error(),
			Fix: "docs/runbook/payload-refused.md"}
	}
	return e.judgeBound(name, bound)
}

// judgeBound says whether the settings go with the oldest open run.
func (e engineDoctor) judgeBound(name string, bound bool) doctor.Result {
	switch {
	case !bound && !e.cfg.OldPayloads:
		return doctor.Result{Status: doctor.Fail, Detail: name + " has payloads that are refused: it stands still",
			Fix: "set GAVEL_OLD_PAYLOADS=read until it has ended"}
	case !bound:
		return doctor.Result{Status: doctor.Warn, Detail: name + " is older than that, so such payloads are read",
			Fix: "when it has ended: GAVEL_OLD_PAYLOADS=refuse"}
	case e.cfg.OldPayloads:
		return doctor.Result{Status: doctor.Warn, Detail: "payloads from before they were bound are read, and no open workflow has one",
			Fix: "once no older build runs: GAVEL_OLD_PAYLOADS=refuse"}
	}
	return doctor.Result{Status: doctor.OK, Detail: "what was sealed for one workflow is refused in another"}
}

// oldest is the open run that began first; nil where none is open.
func (e engineDoctor) oldest(ctx context.Context, c client.Client) (*workflowpb.WorkflowExecutionInfo, error) {
	var first *workflowpb.WorkflowExecutionInfo
	in := &workflowservice.ListWorkflowExecutionsRequest{Namespace: e.cfg.TemporalNamespace,
		Query: `ExecutionStatus = "Running"`, PageSize: openPerPage}
	for range openPages {
		page, err := c.ListWorkflow(ctx, in)
		if err != nil {
			return nil, err
		}
		for _, one := range page.GetExecutions() {
			if first == nil || one.GetStartTime().AsTime().Before(first.GetStartTime().AsTime()) {
				first = one
			}
		}
		if in.NextPageToken = page.GetNextPageToken(); len(in.NextPageToken) == 0 {
			break
		}
	}
	return first, nil
}

// inputOf is what a run was begun with; nil where that is nothing.
func inputOf(ctx context.Context, c client.Client, run *workflowpb.WorkflowExecutionInfo) (*commonpb.Payload, error) {
	if run == nil {
		return nil, nil
	}
	of := run.GetExecution()
	it := c.GetWorkflowHistory(ctx, of.GetWorkflowId(), of.GetRunId(), false, enums.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	if !it.HasNext() {
		return nil, nil
	}
	event, err := it.Next()
	if err != nil {
		return nil, err
	}
	for _, p := range event.GetWorkflowExecutionStartedEventAttributes().GetInput().GetPayloads() {
		return p, nil
	}
	return nil, nil
}
