package agent_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/sdk/client"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// A talk is a conversation with the yard's host on the real engine.
type talk struct {
	*rig
	client client.Client
	id     string // of the workflow
	run    string // of the agent
}

// converse begins a conversation about a case, whose history is begun anew after
// every so many turns.
func (r *rig) converse(renewEvery int) *talk {
	r.t.Helper()
	c := r.open("clerk", "look a")
	r.closed(c.ID)
	k := &talk{rig: r, client: durabletest.Dial(r.t), id: r.app + "/talk/" + c.Key}
	_, err := k.client.ExecuteWorkflow(r.t.Context(), client.StartWorkflowOptions{ID: k.id, TaskQueue: r.app}, agent.ConverseName,
		agent.Conversation{
			Input:      casefile.Input{Org: north, Case: c.ID, Procedure: casefile.Procedure},
			Task:       agent.Task{App: r.app, Agent: "host", Name: "talk", For: asha},
			RenewEvery: renewEvery})
	if err != nil {
		r.t.Fatal(err)
	}
	k.waits(1)
	k.run = query[string](r.t, r.db, `select id from gavel.run where agent = 'host'`)
	return k
}

// waits waits until the host has given so many answers and waits for words.
func (k *talk) waits(answers int) {
	k.t.Helper()
	wait.Try(k.t, func() error {
		n := query[int](k.t, k.db, `select count(*) from gavel.step s join gavel.run r on r.id = s.run_id
			where r.agent = 'host' and s.outcome->>'s' = 'waiting_reply'`)
		if n < answers {
			return fmt.Errorf("%d answers, want %d", n, answers)
		}
		return nil
	})
}

// say writes to the host and tells the workflow, as often as times says.
func (k *talk) say(id, words string, times int) {
	k.t.Helper()
	err := k.db.App.InOrg(k.t.Context(), north, func(tx pgx.Tx) error {
		_, err := tx.Exec(k.t.Context(), `insert into gavel.run_message (org, run_id, id, actor_id, body, at)
			values ($1, $2, $3, $4, $5, now())`,
			north, k.run, id, asha.ID, words)
		return err
	})
	for range times {
		if err == nil {
			err = k.client.SignalWorkflow(k.t.Context(), k.id, "", agent.OrderSignal, map[string]string{"run": k.run, "do": "say",
				"message": id})
		}
	}
	if err != nil {
		k.t.Fatal(err)
	}
}

// end gives the conversation up and waits until the workflow has ended.
func (k *talk) end() {
	k.t.Helper()
	err := k.client.SignalWorkflow(k.t.Context(), k.id, "", agent.OrderSignal, map[string]string{"run": k.run, "do": "cancel"})
	if err != nil {
		k.t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(k.t.Context(), wait.Patience())
	defer stop()
	if err := k.client.GetWorkflow(ctx, k.id, "").Get(ctx, nil); err != nil {
		k.t.Fatal(err)
	}
}

func TestALongTalkIsCarriedOverIntoNewHistories(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	k := r.converse(2)
	for i, id := range []string{"m1", "m2", "m3", "m4", "m5"} {
		k.say(id, "And this?", 2) // a signal may come twice
		k.waits(i + 2)
	}
	runs := query[int](t, r.db, `select count(*) from gavel.run where agent = 'host'`)
	if runs != 1 {
		t.Errorf("%d runs, want the one it began with", runs)
	}
	time.Sleep(200 * time.Millisecond) // for a turn too many; a busy machine can only be too slow to show it
	if n := query[int](t, r.db, `select count(*) from gavel.step s join gavel.run r on r.id = s.run_id where r.agent = 'host'`); n != 7 {
		t.Errorf("%d turns for one brief (two turns) and five messages, want 7", n)
	}
	first := query[string](t, r.db, `select workflow_run from gavel.run where agent = 'host'`)
	d, err := k.client.DescribeWorkflowExecution(t.Context(), k.id, "")
	if err != nil {
		t.Fatal(err)
	}
	if now := d.WorkflowExecutionInfo.Execution.RunId; now == first {
		t.Error("the history was never begun anew")
	}
	k.end()
}
