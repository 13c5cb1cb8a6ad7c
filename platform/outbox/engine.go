package outbox

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
)

// subjectMemo is where a workflow says whose it is, so that a repeated start
// can be told from a new one.
const subjectMemo = "subject"

// anewMemo is where one that was begun anew says why.
const anewMemo = "anew"

// An Engine delivers to Temporal.
type Engine struct {
	client client.Client
	memo   memo
	sys    *postgres.System

	// Lost reports whether a subject is one that should be on record and is not,
	// because the database was restored: its run is ended when its workflow's id is
	// wanted for another. Nil says so of none.
	Lost func(ctx context.Context, subject string) (bool, error)
}

// A memo reads what a workflow's memo holds, as durable.Config.Memo does.
type memo func(workflow string, p *commonpb.Payload, into any) error

// NewEngine delivers through a client. It asks the outbox itself whether a
// workflow that cannot be found has yet to be started.
func NewEngine(c client.Client, m memo, sys *postgres.System) *Engine {
	return &Engine{client: c, memo: m, sys: sys}
}

func (e *Engine) deliver(ctx context.Context, m message) error {
	switch m.Kind {
	case "start":
		var s Start
		if err := json.Unmarshal(m.Payload, &s); err != nil {
			return fault.From(fault.Invalid, err, "message %d is not a start", m.ID)
		}
		if m.Attempts > 1 {
			// An earlier try may have got through and the workflow be over since. Its
			// id is free again then, and a start would do all of its work twice.
			if begun, err := e.begun(ctx, m.Target, s); err != nil || begun {
				return err
			}
		}
		return e.start(ctx, m.Target, s)
	case "signal":
		var s Signal
		if err := json.Unmarshal(m.Payload, &s); err != nil {
			return fault.From(fault.Invalid, err, "message %d is not a signal", m.ID)
		}
		return e.signal(ctx, m, s)
	}
	return fault.New(fault.Invalid, "message %d is of unknown kind %.20q", m.ID, m.Kind)
}

func (e *Engine) start(ctx context.Context, id string, s Start) error {
	there := enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL
	if s.Anew != "" {
		there = enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING
	}
	err := e.execute(ctx, id, s, there)
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return e.alreadyStarted(ctx, id, s)
	}
	return away(err)
}

// execute asks the engine to begin a workflow; there says what becomes of a run
// that is under way.
func (e *Engine) execute(ctx context.Context, id string, s Start, there enums.WorkflowIdConflictPolicy) error {
	memo := map[string]any{subjectMemo: s.Subject}
	if s.Anew != "" {
		memo[anewMemo] = s.Anew
	}
	_, err := e.client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID:                       id,
		TaskQueue:                s.Queue,
		Memo:                     memo,
		Priority:                 temporal.Priority{FairnessKey: orgOf(id)},
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowIDConflictPolicy: there,

		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, s.Workflow, s.Input)
	return err
}

// orgOf is whose a workflow is, <app>/<org>/<key>. The engine hands out the tasks of
// organisations in turn, those of the workflow's activities too, which inherit its key.
func orgOf(workflow string) string {
	_, rest, _ := strings.Cut(workflow, "/")
	org, _, _ := strings.Cut(rest, "/")
	return org
}

// alreadyStarted tells a repeat, which is a success, from a run of an earlier
// subject that is still ending, which has to be waited for. That of a lost subject
// is ended.
func (e *Engine) alreadyStarted(ctx context.Context, id string, s Start) error {
	running, err := e.origin(ctx, id)
	if err != nil || running.subject == s.Subject {
		return err
	}
	lost := false
	if e.Lost != nil {
		if lost, err = e.Lost(ctx, running.subject); err != nil {
			return err
		}
	}
	if lost {
		return away(e.execute(ctx, id, s, enums.WORKFLOW_ID_CONFLICT_POLICY_TERMINATE_EXISTING))
	}
	return fault.New(fault.Unavailable, "workflow %s still runs for %s", id, running.subject)
}

// begun reports whether the last run of a workflow, over or not, is the one that a
// start asks for.
func (e *Engine) begun(ctx context.Context, id string, s Start) (bool, error) {
	last, err := e.origin(ctx, id)
	if isNotFound(err) {
		return false, nil
	}
	return last.subject == s.Subject && (s.Anew == "" || last.anew == s.Anew), err
}

// An origin is what a run says of where it comes from.
type origin struct{ subject, anew string }

// origin is that of the last run of a workflow.
func (e *Engine) origin(ctx context.Context, id string) (of origin, err error) {
	d, err := e.client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return of, away(err)
	}
	fields := d.GetWorkflowExecutionInfo().GetMemo().GetFields()
	if err := e.memo(id, fields[subjectMemo], &of.subject); err != nil {
		return of, fault.From(fault.Internal, err, "workflow %s does not say whose it is", id)
	}
	if why, there := fields[anewMemo]; there {
		err = e.memo(id, why, &of.anew)
	}
	return of, err
}

// signal delivers. A workflow that is not there may be about to be started;
// then the signal waits. It may have finished, and needs no telling. Or its run
// came to a bad end, and it is started again: what is to be told is on record,
// and the new run reads it there.
func (e *Engine) signal(ctx context.Context, m message, s Signal) error {
	err := e.client.SignalWorkflow(ctx, m.Target, "", s.Name, s.Input)
	if !isNotFound(err) {
		return away(err)
	}
	const startWaits = `select 1 from gavel.outbox where target = $1 and kind = 'start' and not dead limit 1`
	tag, err := e.sys.Exec(ctx, startWaits, m.Target)
	if err != nil {
		return err
	}
	if tag.RowsAffected() > 0 {
		return fault.New(fault.Unavailable, "workflow %s has not been started yet", m.Target)
	}
	// The start may have been delivered, and its row deleted, between the two
	// looks. Only a second miss means that nothing runs.
	if err := e.client.SignalWorkflow(ctx, m.Target, "", s.Name, s.Input); !isNotFound(err) {
		return away(err)
	}
	finished, err := e.finished(ctx, m.Target)
	if err != nil || finished {
		return away(err)
	}
	return e.start(ctx, m.Target, s.Start)
}

// finished reports whether a workflow's last run did what it had to. One that
// the engine no longer knows did not: histories are kept long after a good end.
func (e *Engine) finished(ctx context.Context, id string) (bool, error) {
	d, err := e.client.DescribeWorkflowExecution(ctx, id, "")
	if isNotFound(err) {
		return false, nil
	}
	return d.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED, err
}

func isNotFound(err error) bool {
	_, ok := errors.AsType[*serviceerror.NotFound](err)
	return ok
}

// away makes every error of the engine one that is tried again, except those
// that say the request itself is wrong.
func away(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*serviceerror.InvalidArgument](err); ok {
		return fault.From(fault.Invalid, err, "the engine refuses the message")
	}
	return fault.From(fault.Unavailable, err, "the engine does not answer")
}
