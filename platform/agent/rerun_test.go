package agent_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// admin changes rows behind everybody's back.
func (r *rig) admin(sql string, args ...any) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db.AdminURL)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(r.t.Context()))
	if _, err := conn.Exec(r.t.Context(), sql, args...); err != nil {
		r.t.Fatal(err)
	}
}

// allRuns are the ids of every run, oldest first.
func (r *rig) allRuns() []string {
	return query[[]string](r.t, r.db, `select array_agg(id order by started_at) from gavel.run`)
}

func TestARunReplaysByteForByte(t *testing.T) {
	price := &model.Price{Currency: "INR", Input: 3_000_000, Output: 15_000_000}
	for _, tt := range []struct {
		name, agent, script string
		asks                int
		verdict             review.Verdict
		edit                string
		change              func(*agenttest.Config)
	}{
		{name: "look-ups, refusals and writes", agent: "clerk", script: "look a; look forbidden; fly b | enrol c | post d"},
		{name: "approved", agent: "clerk", script: "letter a | look b", asks: 1, verdict: review.Approve},
		{name: "edited", agent: "clerk", script: "letter a", asks: 1, verdict: review.Edit, edit: `{"word":"b"}`},
		{name: "rejected and asked for again", agent: "clerk", script: "letter a | letter a", asks: 1, verdict: review.Reject},
		{name: "other agents", agent: "foreman", script: "clerk(look a); judge(x) | clerk(letter b)", asks: 1, verdict: review.Approve},
		{name: "outside text", agent: "clerk", script: "mail x | post known | enrol a | look b"},
		{name: "outside text from below", agent: "foreman", script: "clerk(mail x) | post a", asks: 1, verdict: review.Approve},
		{name: "outside text brought by an agent with fixed words", agent: "foreman", script: "mail x | judge(x) | post known"},
		{name: "with prices", agent: "clerk", script: "look a", change: func(c *agenttest.Config) { c.Price = price }},
		{name: "sealed", agent: "foreman", script: "clerk(look a) | letter b", asks: 1, verdict: review.Approve,
			change: func(c *agenttest.Config) { c.Subjects = []seal.Subject{{Type: "rider", ID: "R-7"}} }},
		{name: "summed up", agent: "clerk", script: "look long1 | look long2 | look long3 | look b",
			change: func(c *agenttest.Config) { c.Window = 4000 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.change)
			r.run()
			c := r.open(tt.agent, tt.script)
			if tt.asks > 0 {
				r.asked(c.ID, tt.asks)
				r.decide(c.ID, olga, tt.verdict, tt.edit)
			}
			r.closed(c.ID)
			for _, id := range r.allRuns() {
				got, err := r.Store.Replay(t.Context(), aruna, r.Registry, id)
				if err != nil {
					t.Fatal(err)
				}
				if !got.Pass() {
					t.Errorf("%s: %+v", id, got.Steps)
				}
			}
		})
	}
}

func TestAReplayFindsWhatWasChanged(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "look a; look forbidden | post b | letter c")
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	run := r.top(c.ID).ID
	r.admin(`create table kept as select * from gavel.step; create table kept_node as select * from gavel.node`)
	for _, tt := range []struct{ name, sql, want string }{
		{"a verdict", `update gavel.step set calls = jsonb_set(calls, '{1,verdict}', '"read"') where seq = 0`, "verdict"},
		{"a gate", `update gavel.step set calls = jsonb_set(calls, '{0,gate}', '"confirm"') where seq = 2`, "gate"},
		{"a digest of arguments", `update gavel.step set calls = jsonb_set(calls, '{0,args_sha256}', '"00"') where seq = 1`, "digest"},
		{"what policy said", `update gavel.step set calls = jsonb_set(calls, '{0,policy,unattended}', 'false') where seq = 1`, "verdict"},
		{"a member nobody reads", `update gavel.step set calls = jsonb_set(calls, '{0,policy,Unattended}', 'false')
			where seq = 1`, "spelt"},
		{"a member of the model's", `update gavel.step set model = jsonb_set(model, '{more}', '1') where seq = 1`, "spelt"},
		{"the outcome", `update gavel.step set outcome = jsonb_set(outcome, '{u,t}', '1') where seq = 1`, "outcome"},
		{"the end", `update gavel.step set outcome = jsonb_set(outcome, '{s}', '"failed"') where seq = 3`, "outcome"},
		{"who answered", `update gavel.step set model = jsonb_set(model, '{model}', '"another"') where seq = 1`, "record in the log"},
		{"a word of the transcript", `update gavel.node set body = convert_to(replace(convert_from(body, 'UTF8'), 'seen a', 'seen b'),
			'UTF8')`, "not what it was"},
		{"a step that is gone", `delete from gavel.step where seq = 1`, "follows"},
		{"a node that is gone", `delete from gavel.node n using gavel.step s where s.head = n.sha256 and s.seq = 1`, "missing"},
		{"another step's transcript", `update gavel.step set head = (select head from gavel.step where seq = 2) where seq = 1`, ""},
		{"another record", `update gavel.step set record = (select record from gavel.step where seq = 2) where seq = 1`,
			"record in the log"},
		{"no record", `update gavel.step set record = 'rec_00000000000000000000000000' where seq = 1`, "not in the log"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := r.in(t)
			r.admin(tt.sql)
			defer r.admin(`truncate gavel.step; insert into gavel.step select * from kept; truncate gavel.node; insert into gavel.node
				select * from kept_node`)
			got, err := r.Store.Replay(t.Context(), aruna, r.Registry, run)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, s := range got.Steps {
				all = append(all, s.Wrong...)
			}
			if got.Pass() || !strings.Contains(strings.Join(all, "\n"), tt.want) {
				t.Errorf("passes: %v, and says %q, want %q", got.Pass(), all, tt.want)
			}
		})
	}
	if got, err := r.Store.Replay(t.Context(), aruna, r.Registry, run); err != nil || !got.Pass() {
		t.Errorf("put back as it was: %+v, %v", got, err)
	}
	gate := aruna
	gate.Roles = nil
	if _, err := r.Store.Replay(t.Context(), gate, r.Registry, run); !fault.Is(err, fault.Refused) {
		t.Errorf("somebody without a role replays: %v", err)
	}
}

func TestAReplayWithChangedToolsSaysSo(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("clerk", "post b")
	r.closed(c.ID)
	later, err := agenttest.New(agenttest.Config{App: r.app, DB: r.db.App, ModelURL: "http://127.0.0.1:1", Vault: r.vault})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Store.Replay(t.Context(), aruna, later.Registry, r.top(c.ID).ID); err != nil || !got.Pass() {
		t.Errorf("with the same tools: %+v, %v", got, err)
	}
	empty, err := agenttest.New(agenttest.Config{App: "other", DB: r.db.App, ModelURL: "http://127.0.0.1:1", Vault: r.vault})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Store.Replay(t.Context(), aruna, empty.Registry, r.top(c.ID).ID); err != nil || got.Pass() {
		t.Errorf("without the tool: %+v, %v", got, err)
	}
}
