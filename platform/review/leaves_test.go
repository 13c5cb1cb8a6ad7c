package review_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A page names the person in whose stead somebody would decide; the record must
// name the same one, also where several have delegated.
func TestLeavesAreInTheOrderInWhichADecisionTakesThem(t *testing.T) {
	r := newRig(t, durable.Clock{})
	gone := person("p:gone", identity.ProgrammeManager)
	r.people[gone.ID] = gone
	r.delegate(t, gone, deputy.ID)
	r.delegate(t, second, deputy.ID)
	r.delegate(t, manager, deputy.ID)
	r.people[gone.ID] = person(gone.ID, identity.Analyst) // has lost the role
	of := func(p review.Proposal, who identity.Actor) string {
		t.Helper()
		all, err := r.Leaves(t.Context(), who, p)
		if err != nil {
			t.Fatal(err)
		}
		var from []string
		for _, d := range all {
			from = append(from, d.From)
		}
		return strings.Join(from, ", ")
	}
	p := r.propose(t, two)
	if got, want := of(p, deputy), "p:second, p:manager"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.decide(t, second, r.answer(p, review.Approve)) // who has had their voice lends it no more
	if got, want := of(r.get(t, p.ID), deputy), "p:manager"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	r.decide(t, deputy, r.answer(p, review.Approve))
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || len(made) != 2 || made[1].OnBehalf != manager.ID {
		t.Errorf("the record says %+v, %v", made, err)
	}
	one := r.propose(t)
	first := of(one, deputy)
	r.decide(t, deputy, r.answer(one, review.Approve))
	if made, err := r.Decisions(t.Context(), north, one.ID); err != nil || !strings.HasPrefix(first, made[0].OnBehalf) {
		t.Errorf("the record says %+v, %v; the page said %s", made, err, first)
	}
	made2 := r.propose(t, func(p *review.Proposal) { p.Makers = []string{deputy.ID} })
	if got := of(made2, deputy) + of(r.propose(t), officer); got != "" {
		t.Errorf("somebody may decide by the leave of %s", got)
	}
}

// Sent twice, given once: a form, or a program that lost its answer.
func TestADelegationSentTwiceIsOne(t *testing.T) {
	r := newRig(t, durable.Clock{})
	ends := r.clock.Now().Add(24 * time.Hour)
	in := review.Delegating{To: deputy.ID, EndsAt: ends, Reason: "On leave.", Once: "form-1"}
	var all sync.WaitGroup
	ids := make([]string, 6)
	for i := range ids {
		all.Go(func() {
			d, err := r.Delegate(t.Context(), manager, in)
			if err != nil {
				t.Error(err)
			}
			ids[i] = d.ID
		})
	}
	all.Wait()
	list, _, err := r.Delegations(t.Context(), manager, review.DelegationQuery{Person: manager.ID})
	if err != nil || len(list) != 1 || len(r.records(t, review.KindDelegation)) != 1 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, id := range ids {
		if id != list[0].ID {
			t.Errorf("got %s, want %s", id, list[0].ID)
		}
	}
	other := in
	other.To = officer.ID
	_, err = r.Delegate(t.Context(), manager, other)
	wantKind(t, "the same name for another", err, fault.Conflict)
	if _, err := r.Delegate(t.Context(), second, in); err != nil {
		t.Errorf("another giver's: %v", err)
	}
	in.Once = strings.Repeat("x", 121)
	_, err = r.Delegate(t.Context(), manager, in)
	wantKind(t, "a long name", err, fault.Invalid)
	in.Once = ""
	for range 2 {
		r.delegate(t, manager, deputy.ID)
	}
	if list, _, err := r.Delegations(t.Context(), manager, review.DelegationQuery{Person: manager.ID}); err != nil || len(list) != 3 {
		t.Errorf("without a name each is its own: %d, %v", len(list), err)
	}
}

// However many there are, a list goes on to its end, and none that counts is left
// out of a decision: so there are never more to one person than are read.
func TestNoDelegationIsCutOff(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for i := range 200 {
		giver := person(fmt.Sprintf("p:giver%d", i), identity.Officer)
		r.people[giver.ID] = giver
		r.delegate(t, giver, deputy.ID)
	}
	last := person("p:last", identity.ProgrammeManager)
	r.people[last.ID] = last
	_, err := r.Delegate(t.Context(), last, review.Delegating{To: deputy.ID, EndsAt: r.clock.Now().Add(time.Hour)})
	wantKind(t, "one too many", err, fault.Conflict)
	seen, q := 0, review.DelegationQuery{Person: deputy.ID, Limit: 70}
	for {
		list, next, err := r.Delegations(t.Context(), deputy, q)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(list)
		if q.After = next; next == "" {
			break
		}
	}
	if seen != 200 {
		t.Errorf("%d are listed, want 200", seen)
	}
	_, _, err = r.Delegations(t.Context(), deputy, review.DelegationQuery{Person: deputy.ID, Limit: 201})
	wantKind(t, "a long page", err, fault.Invalid)
	p := r.propose(t, deciders(identity.Officer))
	if all, err := r.Leaves(t.Context(), deputy, p); err != nil || len(all) != 200 {
		t.Errorf("%d leaves count, %v", len(all), err)
	}
}

// An administrator of people ends a delegation, though they decide nothing.
func TestAnAdministratorEndsADelegation(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.delegate(t, manager, deputy.ID)
	admin := person("p:admin", identity.OrgAdmin)
	got, err := r.EndDelegation(t.Context(), admin, d.ID)
	if err != nil || got.EndedBy != admin.ID {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = r.EndDelegation(t.Context(), person("p:guard", identity.Gate), r.delegate(t, manager, deputy.ID).ID)
	wantKind(t, "a guard", err, fault.Refused)
}

// What was open before somebody's eyes is fixed with their decision: a page that
// reports later, or at that very moment, adds nothing.
func TestWhatWasOpenedIsFixedWhenItIsDecided(t *testing.T) {
	r := newRig(t, durable.Clock{})
	rows := func() int { return all[int](t, r.db, `select count(*) from gavel.proposal_opened`)[0] }
	report := func(who identity.Actor, id string) {
		if err := r.Opened(t.Context(), who, id, "page", 10); err != nil {
			t.Error(err)
		}
	}
	half := r.propose(t, two)
	report(manager, half.ID)
	r.decide(t, manager, r.answer(half, review.Approve))
	report(manager, half.ID) // their page is still open, and others have yet to decide
	if n := rows(); n != 0 {
		t.Errorf("%d rows after their own decision", n)
	}
	for range 20 {
		p := r.propose(t)
		report(manager, p.ID)
		var both sync.WaitGroup
		reported := make(chan struct{})
		both.Go(func() {
			err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error { // a decision under way
				if _, err := tx.Exec(t.Context(), `select from gavel.proposal where id = $1 for update`, p.ID); err != nil {
					return err
				}
				close(reported)
				time.Sleep(20 * time.Millisecond) // for the report to come and wait
				_, err := tx.Exec(t.Context(), `update gavel.proposal set state = 'withdrawn', ended_at = now() where id = $1`, p.ID)
				if err == nil {
					_, err = tx.Exec(t.Context(), `delete from gavel.proposal_opened where proposal = $1`, p.ID)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
		both.Go(func() { <-reported; report(second, p.ID) })
		both.Wait()
	}
	if n := rows(); n != 0 {
		t.Errorf("%d rows outlive the decision", n)
	}
}

// Decisions are looked for by their proposal on every page of one, and by their
// time in a report.
func TestDecisionsAreFoundByAnIndex(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	exec(t, r.db.AdminURL, `set session_replication_role = replica`, fmt.Sprintf(`insert into gavel.decision (org, id, proposal, verdict,
		actor_kind, actor_id, actor_name, roles, at,
			shown_sha256, args_sha256, reason, opened, record_id)
		select 'north', 'decision-' || i, 'P-' || i %% 5000, 'approve', 'person', 'p:' || i, '', '{}', now() - i * interval '1 minute',
		'%[1]s', '%[1]s', '', '', 'rec_1'
		from generate_series(1, 20000) i`, p.ArgsSHA256), `analyze gavel.decision`)
	for name, tt := range map[string]struct{ sql, index string }{
		"of a proposal": {`select id from gavel.decision where org = 'north' and proposal = 'P-1' order by at, id
			limit 200`, "decision_of"},
		"since a time": {`select id from gavel.decision where org = 'north' and at >= now() - interval '1 hour'`, "decision_at"},
	} {
		var plan string
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `explain (format json) `+tt.sql).Scan(&plan)
		})
		if err != nil || !strings.Contains(plan, tt.index) {
			t.Errorf("%s: want %s in %s, %v", name, tt.index, plan, err)
		}
	}
}
