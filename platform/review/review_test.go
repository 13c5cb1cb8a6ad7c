package review_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

func TestTheSameKeyIsOneProposal(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	again := p
	again.ID, again.State = "", ""
	if err := r.put(t.Context(), &again); err != nil || again.ID != p.ID || again.State != review.Open {
		t.Errorf("got %s %s, %v; want %s again", again.ID, again.State, err, p.ID)
	}
	other := p
	other.Args = []byte(`{"to":"y"}`)
	other.ArgsSHA256 = act.Digest(other.Args)
	wantKind(t, "the same key for something else", r.put(t.Context(), &other), fault.Conflict)
	next := r.propose(t)
	if next.ID != "P-2" {
		t.Errorf("the next is %s, want P-2", next.ID)
	}
	r.decide(t, manager, r.answer(p, review.Reject))
	if err := r.put(t.Context(), &again); err != nil || again.State != review.Rejected {
		t.Errorf("got %s, %v: proposing again must not open what was rejected", again.State, err)
	}
}

func TestProposalsOfOneMomentHaveNumbersOfTheirOwn(t *testing.T) {
	r := newRig(t, durable.Clock{})
	same := r.draft()
	drafts := make([]review.Proposal, 12)
	for i := range drafts {
		drafts[i] = r.draft()
		if i%3 == 0 {
			drafts[i] = same // four are the same
		}
	}
	var wg sync.WaitGroup
	for i := range drafts {
		wg.Go(func() {
			if err := r.put(t.Context(), &drafts[i]); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ids := map[string]string{}
	for _, p := range drafts {
		if was, ok := ids[p.Key]; ok && was != p.ID {
			t.Errorf("%s is %s and %s", p.Key, was, p.ID)
		}
		ids[p.Key] = p.ID
	}
	if n := len(all[string](t, r.db, `select distinct id from gavel.proposal`)); n != 9 || len(ids) != 9 {
		t.Errorf("%d rows for %d keys, want 9", n, len(ids))
	}
	south := r.draft()
	south.Org = "south"
	wantKind(t, "a workflow of another organisation", review.ProposeLater(&pgx.Batch{}, &south), fault.Invalid)
}

func TestProposalsThatNobodyOrAnybodyCouldDecideAreRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, tt := range map[string]struct {
		edit func(*review.Proposal)
		want fault.Kind
	}{
		"no gate":                {func(p *review.Proposal) { p.Gate = "" }, fault.Invalid},
		"no deciders":            {func(p *review.Proposal) { p.Deciders = nil }, fault.Invalid},
		"confirmed by nobody":    {func(p *review.Proposal) { p.Gate, p.OnBehalfOf = review.ByOneself, "" }, fault.Invalid},
		"confirmed by two":       {func(p *review.Proposal) { p.Gate, p.Required = review.ByOneself, 2 }, fault.Invalid},
		"asked for by nobody":    {func(p *review.Proposal) { p.RequestedBy = "" }, fault.Invalid},
		"a negative number":      {func(p *review.Proposal) { p.Required = -1 }, fault.Invalid},
		"an unknown verdict":     {func(p *review.Proposal) { p.Allowed = []review.Verdict{"maybe"} }, fault.Invalid},
		"an undo":                {func(p *review.Proposal) { p.Allowed = []review.Verdict{review.Undo} }, fault.Invalid},
		"other arguments":        {func(p *review.Proposal) { p.ArgsSHA256 = p.ShownSHA256 }, fault.Invalid},
		"shown something else":   {func(p *review.Proposal) { p.ShownSHA256 = p.ArgsSHA256 }, fault.Invalid},
		"a tool without effect":  {func(p *review.Proposal) { p.Effect = "" }, fault.Invalid},
		"an effect without tool": {func(p *review.Proposal) { p.Tool = "" }, fault.Invalid},
		"expired from the start": {func(p *review.Proposal) { p.ExpiresAt = p.CreatedAt }, fault.Invalid},
		"too much to show": {func(p *review.Proposal) {
			p.Shown = []byte(`"` + strings.Repeat("x", 1<<20) + `"`)
			p.ShownSHA256 = act.Digest(p.Shown)
		}, fault.TooLarge},
		"a workflow of its own": {func(p *review.Proposal) { p.Wake.WorkflowID = "poolpatrol/south/van-14" }, fault.Invalid},
		"too much to say": {func(p *review.Proposal) { p.Wake.Start.Input = []byte(`"` + strings.Repeat("x", 13<<10) + `"`) },
			fault.TooLarge},
		"a text with a zero": {func(p *review.Proposal) {
			p.Args = []byte(`{"to":"\u0000"}`)
			p.ArgsSHA256 = act.Digest(p.Args)
		}, fault.Invalid},
	} {
		p := r.draft()
		tt.edit(&p)
		wantKind(t, name, review.ProposeLater(&pgx.Batch{}, &p), tt.want)
	}
}

func TestAProposalExpiresOnItsDateUnlessItWasDecided(t *testing.T) {
	clock := durable.Clock{Epoch: time.Now(), Speed: 100_000}
	r := newRig(t, clock)
	p, never := r.propose(t, in(24*time.Hour)), r.propose(t) // under a second
	if got, err := r.Expire(t.Context(), north, p.ID, p.CreatedAt); err != nil || got.State != review.Open {
		t.Errorf("too early: %s, %v", got.State, err)
	}
	if got, err := r.Expire(t.Context(), north, never.ID, p.ExpiresAt.AddDate(100, 0, 0)); err != nil || got.State != review.Open {
		t.Errorf("without a date: %s, %v", got.State, err)
	}
	for range 2 {
		got, err := r.Expire(t.Context(), north, p.ID, p.ExpiresAt)
		if err != nil || got.State != review.Expired || !got.EndedAt.Equal(p.ExpiresAt.Truncate(time.Microsecond)) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	_, err := r.Decide(t.Context(), manager, r.answer(p, review.Approve))
	wantKind(t, "decided after it expired", err, fault.Conflict)
	q := r.propose(t, in(24*time.Hour))
	d := r.answer(q, review.Approve)
	r.decide(t, manager, d)
	got, err := r.ExpireKey(t.Context(), north, q.Key, q.ExpiresAt)
	if err != nil || got.State != review.Approved || got.Decision != d.ID || got.ArgsSHA256 != q.ArgsSHA256 || got.Key != q.Key {
		t.Errorf("got %+v, %v: a decision came first", got, err)
	}
	_, err = r.ExpireKey(t.Context(), north, "run_1/none", q.ExpiresAt)
	wantKind(t, "nothing proposed", err, fault.NotFound)
	_, err = r.Expire(t.Context(), south, p.ID, p.ExpiresAt)
	wantKind(t, "another organisation", err, fault.NotFound)
}

func TestOnlyWhoAskedWithdraws(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	_, err := r.Withdraw(t.Context(), manager, p.ID, review.Withdrawn)
	wantKind(t, "a decider", err, fault.Refused)
	_, err = r.Withdraw(t.Context(), identity.Actor{}, p.ID, review.Withdrawn)
	wantKind(t, "nobody", err, fault.SignIn)
	_, err = r.Withdraw(t.Context(), identity.Gavel(north), p.ID, review.Approved)
	wantKind(t, "as approved", err, fault.Invalid)
	for range 2 {
		if got, err := r.Withdraw(t.Context(), person(rider), p.ID, review.Withdrawn); err != nil || got.State != review.Withdrawn {
			t.Errorf("got %s, %v", got.State, err)
		}
	}
	if s := r.signals(t); len(s) != 1 || s[0].State != review.Withdrawn {
		t.Errorf("the workflow is told %+v", s)
	}
	_, err = r.Decide(t.Context(), manager, r.answer(p, review.Approve))
	wantKind(t, "decided after that", err, fault.Conflict)
	q := r.propose(t)
	r.decide(t, manager, r.answer(q, review.Approve))
	if got, err := r.Withdraw(t.Context(), identity.Gavel(north), q.ID, review.Superseded); err != nil || got.State != review.Approved {
		t.Errorf("got %s, %v: a decision came first", got.State, err)
	}
}

func TestListsShowTheMostUrgentFirstAndWhatOneMayDecide(t *testing.T) {
	r := newRig(t, durable.Clock{})
	late, soon, never := r.propose(t, in(3*time.Hour)), r.propose(t, in(time.Hour)), r.propose(t)
	own := r.propose(t, confirm, in(2*time.Hour))
	made := r.propose(t, in(4*time.Hour), func(p *review.Proposal) { p.Makers = []string{manager.ID} })
	list := func(a identity.Actor, q review.Query) (ids []string) {
		t.Helper()
		for {
			page, next, err := r.List(t.Context(), a, q)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range page {
				ids = append(ids, p.ID)
				if p.Args != nil || p.Shown != nil || p.ShownSHA256 == "" {
					t.Errorf("a list carries the words of %s", p.ID)
				}
			}
			if q.After = next; next == "" {
				return ids
			}
		}
	}
	for name, tt := range map[string]struct {
		actor identity.Actor
		q     review.Query
		want  []string
	}{
		"all, by page": {manager, review.Query{Limit: 2}, []string{soon.ID, own.ID, late.ID, made.ID, never.ID}},
		"one at a time": {manager, review.Query{Limit: 1, App: "poolpatrol", Case: string(r.file.ID)}, []string{soon.ID, own.ID, late.ID,
			made.ID, never.ID}},
		"the manager's":   {manager, review.Query{Mine: true, Limit: 1}, []string{soon.ID, late.ID, never.ID}},
		"the rider's":     {person(rider, identity.Analyst), review.Query{Mine: true}, []string{own.ID}},
		"an officer's":    {officer, review.Query{Mine: true}, nil},
		"another app's":   {manager, review.Query{App: "airshed"}, nil},
		"what was undone": {manager, review.Query{State: review.Withdrawn}, nil},
	} {
		if got := list(tt.actor, tt.q); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	r.decide(t, manager, r.answer(soon, review.Reject))
	r.decide(t, manager, r.answer(late, review.Reject))
	if got := list(manager, review.Query{State: review.Rejected, Limit: 1}); !slices.Equal(got, []string{soon.ID, late.ID}) {
		t.Errorf("the newest first: got %v", got)
	}
	agentActor := identity.Actor{Kind: identity.Agent, ID: agent, Org: north, Roles: manager.Roles}
	if got := list(agentActor, review.Query{Mine: true}); got != nil {
		t.Errorf("an agent may decide %v", got)
	}
	_, _, err := r.List(t.Context(), person("p:x"), review.Query{})
	wantKind(t, "no role", err, fault.Refused)
	_, _, err = r.List(t.Context(), manager, review.Query{Limit: 201})
	wantKind(t, "a long page", err, fault.Invalid)
	_, _, err = r.List(t.Context(), manager, review.Query{State: "gone"})
	wantKind(t, "no such state", err, fault.Invalid)
	if got, _, err := r.List(t.Context(), identity.Actor{Kind: identity.Person, ID: "p:s", Org: south, Roles: manager.Roles},
		review.Query{}); err != nil || len(got) != 0 {
		t.Errorf("south sees %v, %v", got, err)
	}
}

func TestOutcomesAreReadByKey(t *testing.T) {
	r := newRig(t, durable.Clock{})
	rejected, open := r.propose(t), r.propose(t)
	no := r.answer(rejected, review.Reject)
	r.decide(t, manager, no)
	found, err := r.ByKeys(t.Context(), north, rejected.Key, open.Key, "run_1/none")
	if err != nil || len(found) != 2 || found[rejected.Key].Reason != no.Reason || found[rejected.Key].ByName != manager.Name ||
		found[open.Key].ByID != "" {
		t.Errorf("got %+v, %v", found, err)
	}
}

func TestErasureTakesTheWordsAndLeavesTheDigests(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p, open := r.propose(t), r.propose(t)
	r.decide(t, manager, r.answer(p, review.Edit))
	for i, want := range []int{1, 0} {
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			n, left, err := review.Blank(t.Context(), tx, north, string(r.file.ID), time.Now())
			if n != want || left != 1 {
				t.Errorf("time %d: blanked %d and left %d, want %d and 1", i+1, n, left, want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	got, err := r.Get(t.Context(), identity.Gavel(north), p.ID)
	if err != nil || got.Args != nil || got.Shown != nil || got.FinalArgs != nil || got.ErasedAt.IsZero() ||
		got.ShownSHA256 != p.ShownSHA256 {
		t.Errorf("got %+v, %v", got, err)
	}
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || made[0].ActorName != "" || made[0].Reason != "" || made[0].Opened != "" || made[0].ActorID != manager.ID {
		t.Errorf("got %+v, %v", made, err)
	}
	if got, err := r.Get(t.Context(), identity.Gavel(north), open.ID); err != nil || got.Args == nil {
		t.Errorf("got %+v, %v: an open proposal lost its words", got, err)
	}
}

// Each statement is tried as the role of requests, and as the owner of the
// tables, where grants would hide what the triggers do.
func TestTheDatabaseRefusesWhatTheCodeNeverDoes(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.propose(t)                          // P-1, open
	p2 := r.propose(t)                    // P-2, rejected
	p3 := r.propose(t)                    // P-3, approved
	r.propose(t, two)                     // P-4, needs two
	r.propose(t, confirm)                 // P-5, confirmed by the rider
	r.propose(t, in(20*time.Millisecond)) // P-6, expired
	r.decide(t, manager, r.answer(p2, review.Reject))
	d3 := r.answer(p3, review.Approve)
	r.decide(t, manager, d3)
	time.Sleep(30 * time.Millisecond)
	ins := func(proposal, verdict, kind, actor, role, shown, args string) string {
		return `insert into gavel.decision (org, id, proposal, verdict, actor_kind, actor_id, actor_name, roles, at, shown_sha256,
			args_sha256, reason, opened, record_id)
			select org, 'decision-x', id, '` + verdict + `', '` + kind + `', '` + actor + `', 'n', array['` + role + `'], clock_timestamp(),
			` + shown + `, ` + args + `, 'why', '', 'rec_1'
			from gavel.proposal where id = '` + proposal + `'`
	}
	const pm, own, argsOwn = "programme_manager", "shown_sha256", "args_sha256"
	planned := `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256, proposal, by_kind, by_id,
		planned_at)
		select org, key, case_id, run, call, app, tool, effect, args, args_sha256, id, 'person', 'p:x', now() from gavel.proposal
		where id = `
	for name, sql := range map[string]string{
		"approved without a decision": `update gavel.proposal
			set state = 'approved', final_args_sha256 = args_sha256, ended_at = now(), ended_by = 'x' where id = 'P-1'`,
		"approved by another's decision": `update gavel.proposal
			set state = 'approved', final_args_sha256 = args_sha256, ended_at = now(), ended_by = '` + d3.ID + `' where id = 'P-1'`,
		"a rejected one is opened again": `update gavel.proposal set state = 'open', ended_at = null, ended_by = null where id = 'P-2'`,
		"a rejected one is approved": `update gavel.proposal set state = 'approved', final_args_sha256 = args_sha256
			where id = 'P-2'`,
		"an approved one is rejected":      `update gavel.proposal set state = 'rejected', final_args_sha256 = null where id = 'P-3'`,
		"other arguments are approved":     `update gavel.proposal set final_args_sha256 = shown_sha256 where id = 'P-3'`,
		"arguments change while it waits":  `update gavel.proposal set args = '{}' where id = 'P-1'`,
		"what is shown changes":            `update gavel.proposal set shown = '{}' where id = 'P-1'`,
		"words change after the end":       `update gavel.proposal set args = '{}', erased_at = now() where id = 'P-2'`,
		"words vanish without an erasure":  `update gavel.proposal set shown = null where id = 'P-2'`,
		"it expires before its date":       `update gavel.proposal set state = 'expired', ended_at = created_at where id = 'P-6'`,
		"one that never expires does":      `update gavel.proposal set state = 'expired', ended_at = now() where id = 'P-1'`,
		"the deciders change":              `update gavel.proposal set deciders = '{officer}' where id = 'P-1'`,
		"an act of an open proposal":       planned + `'P-1'`,
		"an act of a rejected proposal":    planned + `'P-2'`,
		"a second act of an approved one":  strings.Replace(planned, "select org, key,", "select org, 'k2',", 1) + `'P-3'`,
		"a decision by an agent":           ins("P-1", "approve", "agent", "a:x", pm, own, argsOwn),
		"a decision by a maker":            ins("P-1", "approve", "person", author, pm, own, argsOwn),
		"a decision by who asked":          ins("P-1", "approve", "person", agent, pm, own, argsOwn),
		"a decision in one's own name":     ins("P-1", "approve", "person", rider, pm, own, argsOwn),
		"a decision by another role":       ins("P-1", "approve", "person", "p:x", "officer", own, argsOwn),
		"a decision on something else":     ins("P-1", "approve", "person", "p:x", pm, argsOwn, argsOwn),
		"a decision on other arguments":    ins("P-1", "approve", "person", "p:x", pm, own, own),
		"a decision on a rejected one":     ins("P-2", "approve", "person", "p:x", pm, own, argsOwn),
		"a decision on an expired one":     ins("P-6", "approve", "person", "p:x", pm, own, argsOwn),
		"an edit of what two approve":      ins("P-4", "edit", "person", "p:x", pm, own, own),
		"a confirmation by another":        ins("P-5", "approve", "person", "p:x", pm, own, argsOwn),
		"an undo of nothing":               ins("P-1", "undo", "person", "p:x", pm, own, argsOwn),
		"a decision gets another reason":   `update gavel.decision set reason = 'other' where proposal = 'P-2'`,
		"a reason vanishes quietly":        `update gavel.decision set reason = '' where proposal = 'P-2'`,
		"a decision's words are half gone": `update gavel.decision set reason = '', erased_at = now() where proposal = 'P-2'`,
	} {
		for role, url := range map[string]string{"app": r.db.AppURL, "owner": r.db.OwnerURL} {
			err := tryAs(t, url, sql)
			ours := slices.ContainsFunc([]string{"proposal_moves", "proposal_state", "decision_may", "decision_form", "decision_stays",
				"act_authorised", "act_proposal"},
				func(c string) bool { return postgres.Violates(err, c) })
			if err == nil || role == "owner" && !ours {
				t.Errorf("%s, as %s: got %v, want it refused", name, role, err)
			}
		}
	}
	for name, sql := range map[string]string{
		"a proposal is born approved": `insert into gavel.proposal (org, id, state) values ('north', 'P-9', 'approved')`,
		"one approval is made enough": `update gavel.proposal set required = 1`,
		"the digest of what is shown": `update gavel.proposal set shown_sha256 = args_sha256`,
		"a verdict changes":           `update gavel.decision set verdict = 'approve'`,
		"a decision is removed":       `delete from gavel.decision`,
		"a proposal is removed":       `delete from gavel.proposal`,
		"an expiry is moved":          `update gavel.proposal set expires_at = 'infinity'`,
	} {
		if err := tryAs(t, r.db.AppURL, sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: got %v, want permission denied", name, err)
		}
	}
}

func TestTheDatabaseCountsVoicesNotRows(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, two)
	d := r.answer(p, review.Approve)
	r.decide(t, manager, d)
	err := tryAs(t, r.db.OwnerURL, `update gavel.proposal set state = 'approved', final_args_sha256 = args_sha256, ended_at = now(),
		ended_by = '`+d.ID+`' where id = 'P-1'`)
	if !postgres.Violates(err, "proposal_moves") {
		t.Errorf("one of two approvals: got %v", err)
	}
	err = tryAs(t, r.db.OwnerURL, `insert into gavel.decision
		select org, 'decision-y', proposal, verdict, actor_kind, actor_id, actor_name, roles, at, shown_sha256, args_sha256, reason, opened,
		record_id from gavel.decision`)
	if !postgres.Violates(err, "decision_once") {
		t.Errorf("the same person twice: got %v", err)
	}
}

func tryAs(t *testing.T, url, sql string) error {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(t.Context())
	if _, err := tx.Exec(t.Context(), `set local gavel.org = 'north'`); err != nil {
		t.Fatal(err)
	}
	tag, err := tx.Exec(t.Context(), sql)
	if err == nil && tag.RowsAffected() == 0 {
		t.Errorf("%s: met no row", sql)
	}
	return err
}

func TestKindsHaveNamesOfTheirOwn(t *testing.T) {
	for _, kinds := range [][]review.Kind{{{Name: ""}}, {{Name: "Call"}}, {{Name: "call"}, {Name: "call"}}} {
		if _, err := review.New(review.Config{Kinds: kinds}); err == nil {
			t.Errorf("%v: taken", kinds)
		}
	}
}

func TestWallsAroundProposals(t *testing.T) { postgrestest.Walls(t, sets()...) }
