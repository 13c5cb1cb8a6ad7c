package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

const (
	rider7  = "rider:r-7"
	address = "12 Elm Street"
)

// aboutRider makes the clerk's work be about a rider, and a model that says where
// they live and repeats what it was told.
func aboutRider(t *testing.T) (change func(*agent.Spec), mind *scripted.Server) {
	t.Helper()
	rider, err := seal.ParseSubject(rider7)
	if err != nil {
		t.Fatal(err)
	}
	change = func(s *agent.Spec) {
		if s.Name != "clerk" {
			return
		}
		was := s.Brief
		s.Brief = func(ctx context.Context, e tool.Env) (agent.Brief, error) {
			b, err := was(ctx, e)
			b.Subjects = []seal.Subject{rider}
			return b, err
		}
	}
	mind, err = scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		a, ok := agenttest.Reply(s)
		if strings.HasSuffix(s.Agent, "clerk") && len(a.Calls) == 0 {
			a.Text = "The rider lives at " + address + "."
		}
		if strings.HasSuffix(s.Agent, "foreman") && strings.Contains(fmt.Sprint(s.Messages), address) {
			a.Text = "As the clerk says, " + address + "."
		}
		return a, ok
	}})
	if err != nil {
		t.Fatal(err)
	}
	return change, mind
}

// twoWorkers are a rig and another worker process: the same queue and database, a
// memory of its own.
func twoWorkers(t *testing.T) (first, second *rig) {
	t.Helper()
	change, mind := aboutRider(t)
	var cfg agenttest.Config
	first = newRig(t, func(c *agenttest.Config) {
		c.Change = change
		cfg = *c
	})
	first.mind = mind
	yard, err := agenttest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	other := *first
	other.Yard = yard
	return first, &other
}

// The foreman is known to the first worker before the clerk tells him about the
// rider, which the second one sees happen. Then the first goes on with him.
func TestATranscriptIsSealedForEverybodyInIt(t *testing.T) {
	first, second := twoWorkers(t)
	c := first.open("foreman", "letter a | clerk(look a) | letter b | look c")
	halt := first.runUntil()
	first.asked(c.ID, 1)
	halt()
	halt = second.runUntil()
	second.decide(c.ID, olga, review.Approve, "")
	second.asked(c.ID, 1)
	halt()
	first.run()
	first.decide(c.ID, olga, review.Approve, "")
	first.closed(c.ID)
	if n := query[int](t, first.db, `select count(*) from gavel.node where position($1::bytea in body) > 0`, address); n != 0 {
		t.Errorf("%d pieces of transcripts hold the address in plain", n)
	}
	if n := query[int](t, first.db, `select count(*) from gavel.node where sealed`); n < 3 {
		t.Errorf("%d sealed pieces, want the clerk's two and the foreman's from then on", n)
	}
	if n := query[int](t, first.db, `select count(*) from gavel.run where not $1 = any(subjects)`, rider7); n != 0 {
		t.Errorf("%d runs were told about the rider and do not name them: an erasure would not find them", n)
	}
}

func TestWhomARunIsAboutIsOnlyAddedTo(t *testing.T) {
	r, _ := twoWorkers(t)
	r.run()
	c := r.open("foreman", "clerk(look a) | letter b")
	r.asked(c.ID, 1)
	set := func(subjects ...string) error {
		return r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `update gavel.run set subjects = $1 where agent = 'foreman'`, subjects)
			return err
		})
	}
	for _, fewer := range [][]string{{}, {"rider:r-8"}} {
		if err := set(fewer...); err == nil || !strings.Contains(err.Error(), "only added to") {
			t.Errorf("a run about %s became one about %q: %v", rider7, fewer, err)
		}
	}
	if err := set("rider:r-8", rider7); err != nil {
		t.Errorf("another one is added: %v", err)
	}
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	got := query[[]string](t, r.db, `select subjects from gavel.run where agent = 'foreman'`)
	if slices.Sort(got); !slices.Equal(got, []string{rider7, "rider:r-8"}) {
		t.Errorf("after a turn that knew only of %s the run is about %q", rider7, got)
	}
}
