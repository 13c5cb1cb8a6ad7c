package agent_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// A mumbler is a model that says some words and then goes on for ever. It tells when it has begun, and when its request was cancelled.
type mumbler struct{ begun, cancelled chan struct{} }

func newMumbler() mumbler { return mumbler{make(chan struct{}, 9), make(chan struct{}, 9)} }

func (m mumbler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range []string{`{"role":"assistant","content":""}`, `{"content":"Let me "}`, `{"content":"see"}`} {
		fmt.Fprintf(w, "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":%s}]}\n\n", piece)
	}
	w.(http.Flusher).Flush()
	m.begun <- struct{}{}
	<-r.Context().Done()
	m.cancelled <- struct{}{}
}

// soon fails a test that waits for something that does not come.
func soon(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(wait.Patience()):
		t.Fatalf("%s did not come", what)
	}
}

// TestAnAnswerThatItsPersonStopsEndsWhole promises that the request to the model is cancelled, that the turn is on record with what was
// said by then and what it cost, that it can be computed again, and that the conversation goes on.
func TestAnAnswerThatItsPersonStopsEndsWhole(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	run, o, m := r.top(r.open("host", "look a").ID), r.orders(), newMumbler()
	before := r.stands(run.ID, agent.WaitingReply)
	model := r.mind
	r.mind = m
	if _, err := o.Say(t.Context(), asha, run.ID, "m1", "And now?"); err != nil {
		t.Fatal(err)
	}
	soon(t, "the beginning of an answer", m.begun)
	for range 2 { // a button is pressed twice
		if err := o.Interrupt(t.Context(), asha, run.ID, before.Seq+1); err != nil {
			t.Fatal(err)
		}
	}
	soon(t, "the end of the request", m.cancelled)
	var after agent.Run
	wait.Try(t, func() (err error) {
		after, err = r.Store.Get(t.Context(), north, run.ID)
		if err == nil && (after.Seq != before.Seq+1 || after.State != agent.WaitingReply) {
			err = fmt.Errorf("run at %d, %s", after.Seq, after.State)
		}
		return err
	})
	said, err := r.Store.Payload(t.Context(), asha, run.ID, after.Seq)
	if err != nil || said.Answer != "Let me see" || !said.Stopped || len(said.Wanted) > 0 {
		t.Errorf("on record is %+v, %v", said, err)
	}
	if c, b := after.Spent, before.Spent; c.Calls != b.Calls+1 || c.In <= b.In || c.Out != b.Out+3 {
		t.Errorf("it cost %+v after %+v, want a call, what was sent, and three tokens of ten bytes", c, b)
	}
	if n := query[int](t, r.db, `select count(*) from gavel.record where kind = 'run_order' and json::jsonb #>> '{body,do}' = 'interrupt'`); n != 1 {
		t.Errorf("%d records say that it was stopped, want 1", n)
	}
	again, err := r.Store.Replay(t.Context(), asha, r.Registry, run.ID)
	if err != nil || !again.Pass() {
		t.Errorf("computed once more: %+v, %v", again, err)
	}
	if err := o.Interrupt(t.Context(), asha, run.ID, after.Seq); err != nil { // what has ended is not stopped, nor what follows
		t.Fatal(err)
	}
	r.mind = model
	if _, err := o.Say(t.Context(), asha, run.ID, "m2", "Go on."); err != nil {
		t.Fatal(err)
	}
	wait.Try(t, func() error {
		now, err := r.Store.Payload(t.Context(), asha, run.ID, after.Seq+1)
		if err == nil && (now.Stopped || now.Answer == "") {
			err = fmt.Errorf("the conversation goes on with %+v", now)
		}
		return err
	})
}

// TestAnAnswerThatHasNotBegunIsNotAskedFor promises that what is stopped between two turns asks no model any more, keeps what the tools
// brought, and tells the model later that it was stopped.
func TestAnAnswerThatHasNotBegunIsNotAskedFor(t *testing.T) {
	r := newRig(t, nil)
	asked := make(chan scripted.Seen, 99)
	mind, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		asked <- s
		return scripted.Answer{Text: "Yes."}, true
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.mind = mind
	r.run()
	run, o := r.top(r.open("host", "look a").ID), r.orders()
	before := r.stands(run.ID, agent.WaitingReply)
	if err := o.Interrupt(t.Context(), asha, run.ID, before.Seq+1); err != nil {
		t.Fatal(err)
	}
	for len(asked) > 0 {
		<-asked
	}
	if _, err := o.Say(t.Context(), asha, run.ID, "m1", "And now?"); err != nil {
		t.Fatal(err)
	}
	wait.Try(t, func() error {
		got, err := r.Store.Payload(t.Context(), asha, run.ID, before.Seq+1)
		if err == nil && (!got.Stopped || got.Answer != "" || len(got.Before) != 1) {
			err = fmt.Errorf("on record is %+v", got)
		}
		return err
	})
	if len(asked) > 0 {
		t.Errorf("the model was asked: %+v", (<-asked).Messages)
	}
	if _, err := o.Say(t.Context(), asha, run.ID, "m2", "Go on."); err != nil {
		t.Fatal(err)
	}
	told := (<-asked).Messages
	if last := told[len(told)-2]; last.Role != "assistant" || last.Text != "[The person stopped this answer here.]" {
		t.Errorf("the model is told %+v", told)
	}
	again, err := r.Store.Replay(t.Context(), asha, r.Registry, run.ID)
	if err != nil || !again.Pass() {
		t.Errorf("computed once more: %+v, %v", again, err)
	}
}
