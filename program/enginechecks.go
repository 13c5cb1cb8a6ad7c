package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	taskqueuepb "go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/program/config"
)

// pollLife is how long ago a living worker may last have asked for work: one
// long poll lasts a minute.
const pollLife = 75 * time.Second

// engineChecks looks at Temporal: is it healthy, does it know our namespace,
// does anyone work each application's queue, and did workflows end as they
// should.
func (c *cli) engineChecks(cfg *config.Config) []doctor.Check {
	const group = "Engine"
	if cfg.TemporalAddress == "" {
		return []doctor.Check{missingCheck(group, config.NameTemporalAddress, cfg, "temporal")}
	}
	e := engineDoctor{cfg: cfg, cure: fix(cfg, "temporal", "start Temporal, or correct GAVEL_TEMPORAL_ADDRESS: gavel config list")}
	all := []doctor.Check{
		{Group: group, Name: "Temporal answers", Run: e.answers},
		{Group: group, Name: "namespace exists", Run: e.namespace},
	}
	for _, queue := range c.apps.queues() {
		all = append(all, doctor.Check{Group: group, Name: "a worker polls queue " + queue,
			Run: func(ctx context.Context) doctor.Result { return e.polled(ctx, queue) }})
	}
	return append(all, doctor.Check{Group: group, Name: "workflows end well", Run: e.ended},
		doctor.Check{Group: group, Name: "payloads are bound to their workflow", Run: e.bound})
}

type engineDoctor struct {
	cfg  *config.Config
	cure string
}

func (e engineDoctor) engine() durable.Config {
	return durable.Config{Address: e.cfg.TemporalAddress, Namespace: e.cfg.TemporalNamespace,
		Keys: e.cfg.PayloadKeys, Logger: slog.New(slog.DiscardHandler)}
}

func (e engineDoctor) dial() (client.Client, error) {
	secure, err := e.cfg.EngineTLS()
	if err != nil {
		return nil, err
	}
	engine := e.engine()
	engine.TLS = secure
	return durable.Lazy(engine)
}

func (e engineDoctor) answers(ctx context.Context) doctor.Result {
	c, err := e.dial()
	if err == nil {
		defer c.Close()
		err = durable.Ping(ctx, c)
	}
	if err != nil {
		return doctor.Result{Status: doctor.Fail, Detail: "Temporal at " + e.cfg.TemporalAddress + " does not answer", Fix: e.cure}
	}
	return doctor.Result{Status: doctor.OK, Detail: "healthy at " + e.cfg.TemporalAddress}
}

func (e engineDoctor) namespace(ctx context.Context) doctor.Result {
	c, err := e.dial()
	if err != nil {
		return engineNotChecked()
	}
	defer c.Close()
	name := e.cfg.TemporalNamespace
	answer, err := c.WorkflowService().DescribeNamespace(ctx, &workflowservice.DescribeNamespaceRequest{Namespace: name})
	if _, unknown := errors.AsType[*serviceerror.NamespaceNotFound](err); unknown {
		return doctor.Result{Status: doctor.Fail, Detail: "Temporal has no namespace " + name,
			Fix: fix(e.cfg, "temporal", "temporal operator namespace create --namespace "+name)}
	}
	if err != nil {
		return engineNotChecked()
	}
	kept := answer.GetConfig().GetWorkflowExecutionRetentionTtl().AsDuration()
	return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("%s, closed workflows kept %s", name, kept)}
}

func (e engineDoctor) polled(ctx context.Context, queue string) doctor.Result {
	c, err := e.dial()
	if err != nil {
		return engineNotChecked()
	}
	defer c.Close()
	answer, err := c.DescribeTaskQueue(ctx, queue, enums.TASK_QUEUE_TYPE_WORKFLOW)
	if err != nil {
		return engineNotChecked()
	}
	alive := 0
	for _, p := range answer.GetPollers() {
		if polls(p) {
			alive++
		}
	}
	if alive == 0 {
		return doctor.Result{Status: doctor.Fail, Detail: "nobody asks for work: cases are opened and not worked",
			Fix: fix(e.cfg, "worker", "gavel worker")}
	}
	return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("%d polling", alive)}
}

// polls reports whether a poller is still there. Temporal remembers one for
// minutes after it is gone, so one that ran on this machine is looked for among
// the processes.
func polls(p *taskqueuepb.PollerInfo) bool {
	if time.Since(p.GetLastAccessTime().AsTime()) > pollLife {
		return false
	}
	pid, host, ok := strings.Cut(p.GetIdentity(), "@")
	host, _, _ = strings.Cut(host, "@")
	if here, err := os.Hostname(); !ok || err != nil || host != here {
		return true
	}
	n, err := strconv.Atoi(pid)
	if err != nil || n <= 0 {
		return true
	}
	return !errors.Is(syscall.Kill(n, 0), syscall.ESRCH)
}

// endedBadly finds the workflows that ended since a moment and not by their own
// will. A case whose workflow is gone stays as it is, with nobody to work it.
func endedBadly(since time.Time) string {
	return fmt.Sprintf(`ExecutionStatus IN ("Failed", "Terminated", "TimedOut") AND CloseTime > %q`, since.UTC().Format(time.RFC3339))
}

func (e engineDoctor) ended(ctx context.Context) doctor.Result {
	c, err := e.dial()
	if err != nil {
		return engineNotChecked()
	}
	defer c.Close()
	query := endedBadly(time.Now().Add(-24 * time.Hour))
	answer, err := c.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Namespace: e.cfg.TemporalNamespace, Query: query})
	if err != nil {
		return engineNotChecked()
	}
	n := answer.GetCount()
	if n == 0 {
		return doctor.Result{Status: doctor.OK, Detail: "none ended by failure, termination or time-out in the last day"}
	}
	return doctor.Result{Status: doctor.Warn,
		Detail: fmt.Sprintf("%d ended by failure, termination or time-out in the last day: their cases stand still", n),
		Fix: fmt.Sprintf("temporal workflow list --namespace %s --query '%s'; then docs/runbook/worker-stuck.md",
			e.cfg.TemporalNamespace, query)}
}

func engineNotChecked() doctor.Result {
	return doctor.Result{Status: doctor.Warn, Detail: "not checked: Temporal does not answer", Fix: "first cure: Temporal answers"}
}
