package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// timed is a proposal that reminds after one hour, goes on to officers after two
// and expires after three.
func timed(p *review.Proposal) {
	p.RemindAt, p.EscalateAt, p.ExpiresAt = p.CreatedAt.Add(time.Hour), p.CreatedAt.Add(2*time.Hour), p.CreatedAt.Add(3*time.Hour)
	p.EscalateTo = []identity.Role{identity.Officer}
}

// heeded are the steps that the log says were taken around proposals.
func (r *rig) heeded(t testing.TB) (steps []string) {
	t.Helper()
	for _, rec := range r.records(t, review.KindAttention) {
		_, rest, _ := strings.Cut(rec, `"step":"`)
		step, _, _ := strings.Cut(rest, `"`)
		steps = append(steps, step)
	}
	return steps
}

func (r *rig) notices(t testing.TB) []string {
	t.Helper()
	return all[string](t, r.db, `select kind || ' ' || recipient from gavel.notice order by at, key`)
}

func TestRemindersEscalationAndExpiryHappenOnceInTheirTime(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, timed)
	at := func(h float64) time.Time { return p.CreatedAt.Add(time.Duration(h * float64(time.Hour))) }
	for _, tt := range []struct {
		name   string
		at     time.Time
		state  review.State
		next   time.Time
		who    []identity.Role
		steps  []string
		notice []string
	}{
		{"too early", at(0.5), review.Open, at(1), manager.Roles, nil, nil},
		{"reminded", at(1), review.Open, at(2), manager.Roles, []string{"reminded"}, []string{"reminder role:programme_manager"}},
		{"reminded before", at(1.5), review.Open, at(2), manager.Roles, []string{"reminded"}, []string{"reminder role:programme_manager"}},
		{"gone on", at(2), review.Open, at(3), []identity.Role{"programme_manager", "officer"}, []string{"reminded", "escalated"},
			[]string{"reminder role:programme_manager", "escalation role:officer"}},
		{"expired", at(3), review.Expired, time.Time{}, []identity.Role{"programme_manager", "officer"}, []string{"reminded", "escalated"},
			[]string{"reminder role:programme_manager", "escalation role:officer", "expired person:p:rider"}},
		{"expired before", at(4), review.Expired, time.Time{}, []identity.Role{"programme_manager", "officer"},
			[]string{"reminded", "escalated"},
			[]string{"reminder role:programme_manager", "escalation role:officer", "expired person:p:rider"}},
	} {
		for range 2 {
			got, err := r.Attend(t.Context(), north, p.Key, tt.at)
			if err != nil || got.Decided.State != tt.state || !got.Next.Equal(tt.next) {
				t.Errorf("%s: got %+v, %v, want %s and %v", tt.name, got, err, tt.state, tt.next)
			}
		}
		if now := r.get(t, p.ID); !slices.Equal(now.Deciders, tt.who) {
			t.Errorf("%s: %v decide, want %v", tt.name, now.Deciders, tt.who)
		}
		if got := r.heeded(t); !slices.Equal(got, tt.steps) {
			t.Errorf("%s: the log says %v, want %v", tt.name, got, tt.steps)
		}
		if got := r.notices(t); !slices.Equal(got, tt.notice) {
			t.Errorf("%s: noticed %v, want %v", tt.name, got, tt.notice)
		}
	}
	_, err := r.Attend(t.Context(), north, "run_1/none", at(1))
	wantKind(t, "nothing proposed", err, fault.NotFound)
}

func TestAllThatIsOverdueIsCaughtUpWithAtOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, timed)
	if got, err := r.Attend(t.Context(), north, p.Key, p.CreatedAt.Add(2*time.Hour)); err != nil ||
		!got.Next.Equal(p.ExpiresAt.Truncate(time.Microsecond)) {
		t.Errorf("got %+v, %v", got, err)
	}
	if got, want := strings.Join(r.heeded(t), " "), "reminded escalated"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestWhoItEscalatesToDecidesOnlyAfterwards(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, timed)
	_, err := r.Decide(t.Context(), officer, r.answer(p, review.Approve))
	wantKind(t, "an officer, before", err, fault.Refused)
	if err := r.Assign(t.Context(), manager, p.ID, second.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Attend(t.Context(), north, p.Key, p.EscalateAt); err != nil {
		t.Fatal(err)
	}
	if now := r.get(t, p.ID); now.AssignedTo != "" || !now.EscalatedAt.Equal(p.EscalateAt.Truncate(time.Microsecond)) {
		t.Errorf("got %+v: it is still one person's", now)
	}
	if got := r.decide(t, officer, r.answer(p, review.Approve)); got.State != review.Approved {
		t.Errorf("an officer, afterwards: %s", got.State)
	}
	if got, err := r.Attend(t.Context(), north, p.Key, p.ExpiresAt); err != nil || got.Decided.State != review.Approved {
		t.Errorf("got %+v, %v: a decision came first", got, err)
	}
}

func TestANoticeGoesToTheOneItIsFor(t *testing.T) {
	r := newRig(t, durable.Clock{})
	hour := func(p *review.Proposal) { p.RemindAt = p.CreatedAt.Add(time.Hour) }
	mine, own := r.propose(t, hour), r.propose(t, hour, confirm)
	if err := r.Assign(t.Context(), second, mine.ID, manager.ID); err != nil {
		t.Fatal(err)
	}
	var told []review.Notice
	s := r.with(t, review.Config{Notify: func(_ context.Context, _ pgx.Tx, n review.Notice) error { told = append(told, n); return nil }})
	for range 2 {
		for _, p := range []review.Proposal{mine, own} {
			if _, err := s.Attend(t.Context(), north, p.Key, p.RemindAt); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(told) != 2 || told[0].To != "person:"+manager.ID || told[1].To != "person:"+rider {
		t.Errorf("told %+v", told)
	}
	got, err := r.Notices(t.Context(), manager, time.Time{})
	if err != nil || len(got) != 2 || got[0].Kind != review.NoticeReminder || got[1].Kind != review.NoticeAssigned {
		t.Errorf("the manager reads %+v, %v", got, err)
	}
	if got, err := r.Notices(t.Context(), second, time.Time{}); err != nil || len(got) != 0 {
		t.Errorf("another manager reads %+v, %v", got, err)
	}
}

func TestAttentionThatCouldNotHappenIsRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, edit := range map[string]func(*review.Proposal){
		"reminded before it is made":    func(p *review.Proposal) { p.RemindAt = p.CreatedAt },
		"reminded after it has expired": func(p *review.Proposal) { p.ExpiresAt = p.CreatedAt.Add(time.Hour); p.RemindAt = p.ExpiresAt },
		"escalated to nobody":           func(p *review.Proposal) { p.EscalateAt = p.CreatedAt.Add(time.Hour) },
		"escalated never":               func(p *review.Proposal) { p.EscalateTo = officer.Roles },
		"a confirmation that goes on":   func(p *review.Proposal) { confirm(p); timed(p) },
		"a confirmation of another":     func(p *review.Proposal) { confirm(p); p.AssignedTo = manager.ID },
		"assigned to who made it":       func(p *review.Proposal) { p.AssignedTo = author },
		"escalated to far too many":     func(p *review.Proposal) { timed(p); p.EscalateTo = slices.Repeat(officer.Roles, 20) },
	} {
		p := r.draft()
		edit(&p)
		wantKind(t, name, review.ProposeLater(&pgx.Batch{}, &p), fault.Invalid)
	}
}

func TestAProposalIsAssignedOnlyToWhoMayDecideItAndCanOpenAllOfIt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	own := r.propose(t, confirm)
	r.people["p:blind"] = person("p:blind", identity.ProgrammeManager)
	s := r.with(t, review.Config{CanOpen: func(_ context.Context, who identity.Actor, _ review.Proposal) error {
		if who.ID == "p:blind" {
			return fault.New(fault.Refused, "may not see photographs")
		}
		return nil
	}})
	for _, tt := range []struct {
		name  string
		actor identity.Actor
		p, to string
		want  fault.Kind // Internal: it is assigned
	}{
		{"to another manager", manager, p.ID, second.ID, 0},
		{"by an administrator", person("p:admin", identity.OrgAdmin), p.ID, manager.ID, 0},
		{"by an analyst", deputy, p.ID, second.ID, fault.Refused},
		{"to another role", manager, p.ID, officer.ID, fault.Invalid},
		{"to who made it", manager, p.ID, author, fault.Invalid},
		{"to who cannot open all of it", manager, p.ID, "p:blind", fault.Invalid},
		{"to a stranger", manager, p.ID, "p:stranger", fault.NotFound},
		{"what one confirms oneself", manager, own.ID, second.ID, fault.Conflict},
		{"what is not there", manager, "P-99", second.ID, fault.NotFound},
		{"to nobody in particular", manager, p.ID, "", 0},
	} {
		err := s.Assign(t.Context(), tt.actor, tt.p, tt.to)
		if tt.want == 0 && err != nil || tt.want != 0 && !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
		if tt.want == 0 {
			if got := r.get(t, tt.p).AssignedTo; got != tt.to {
				t.Errorf("%s: it is for %q", tt.name, got)
			}
		}
	}
	r.delegate(t, manager, deputy.ID)
	if err := r.Assign(t.Context(), manager, p.ID, deputy.ID); err != nil {
		t.Errorf("to who decides in another's stead: %v", err)
	}
	r.decide(t, second, r.answer(p, review.Reject)) // an assignment keeps nobody from deciding
	wantKind(t, "after its end", r.Assign(t.Context(), manager, p.ID, ""), fault.Conflict)
	unlisted, err := review.New(review.Config{DB: r.db.App})
	if err != nil {
		t.Fatal(err)
	}
	wantKind(t, "without any rules", unlisted.Assign(t.Context(), manager, p.ID, ""), fault.Refused)
}

func TestAGateThatNobodyCouldComeThroughDoesNotOpen(t *testing.T) {
	r := newRig(t, durable.Clock{})
	s := r.with(t, review.Config{CanOpen: func(_ context.Context, who identity.Actor, _ review.Proposal) error {
		if who.Has(identity.Officer) {
			return nil
		}
		return fault.New(fault.Refused, "may not see photographs")
	}})
	_, err := s.Propose(t.Context(), r.draft())
	wantKind(t, "no deciding role can open it", err, fault.Invalid)
	p := r.draft()
	p.Deciders = append(p.Deciders, identity.Officer)
	if got, err := s.Propose(t.Context(), p); err != nil || got.State != review.Open {
		t.Errorf("one of two roles can: %s, %v", got.State, err)
	}
	p = r.draft()
	p.AssignedTo = officer.ID
	_, err = s.Propose(t.Context(), p)
	wantKind(t, "assigned to who may not decide it", err, fault.Invalid)
	p.AssignedTo, p.Deciders = officer.ID, officer.Roles
	if got, err := s.Propose(t.Context(), p); err != nil || r.get(t, got.ID).AssignedTo != officer.ID {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAClaimShowsWhoIsLookingAndStopsNobody(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	_, err := r.Claim(t.Context(), officer, p.ID)
	wantKind(t, "who may not decide it", err, fault.Refused)
	first, err := r.Claim(t.Context(), manager, p.ID)
	if err != nil || first.By != manager.ID || first.Name != manager.Name || !first.Until.After(r.clock.Now().Add(9*time.Minute)) {
		t.Fatalf("got %+v, %v", first, err)
	}
	if c, err := r.Claim(t.Context(), second, p.ID); err != nil || c.By != manager.ID || !c.Until.Equal(first.Until) {
		t.Errorf("got %+v, %v, want the first one's", c, err)
	}
	if got, err := r.Get(t.Context(), second, p.ID); err != nil || got.Claim.By != manager.ID {
		t.Errorf("got %+v, %v", got.Claim, err)
	}
	late := r.later(t, 11*time.Minute)
	if got, err := late.Get(t.Context(), second, p.ID); err != nil || got.Claim.By != "" {
		t.Errorf("after ten minutes: %+v, %v", got.Claim, err)
	}
	if c, err := late.Claim(t.Context(), second, p.ID); err != nil || c.By != second.ID {
		t.Errorf("after ten minutes: %+v, %v", c, err)
	}
	if err := late.Unclaim(t.Context(), second, p.ID); err != nil {
		t.Fatal(err)
	}
	if c, err := r.Claim(t.Context(), manager, p.ID); err != nil || c.By != manager.ID {
		t.Errorf("got %+v, %v", c, err)
	}
	r.decide(t, second, r.answer(p, review.Approve))
	_, err = r.Claim(t.Context(), manager, p.ID)
	wantKind(t, "after its end", err, fault.Conflict)
}

func TestASnoozeIsOnesOwnAndEndsBeforeTheProposalDoes(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p, never := r.propose(t, in(24*time.Hour)), r.propose(t)
	now := r.clock.Now()
	wantKind(t, "until after it expires", r.Snooze(t.Context(), manager, p.ID, p.ExpiresAt), fault.Invalid)
	wantKind(t, "for a very long time", r.Snooze(t.Context(), manager, never.ID, now.AddDate(1, 0, 0)), fault.Invalid)
	wantKind(t, "nobody", r.Snooze(t.Context(), identity.Actor{}, p.ID, now), fault.SignIn)
	viewing := manager
	viewing.Viewing = identity.ProgrammeManager
	wantKind(t, "while looking as another does", r.Snooze(t.Context(), viewing, p.ID, now.Add(time.Hour)), fault.Refused)
	until := now.Add(time.Hour).Truncate(time.Microsecond)
	if err := r.Snooze(t.Context(), manager, p.ID, until); err != nil {
		t.Fatal(err)
	}
	for who, want := range map[string]time.Time{manager.ID: until, second.ID: {}} {
		if got, err := r.Get(t.Context(), person(who, identity.ProgrammeManager), p.ID); err != nil || !got.SnoozedUntil.Equal(want) {
			t.Errorf("%s: got %v, %v, want %v", who, got.SnoozedUntil, err, want)
		}
	}
	if err := r.Snooze(t.Context(), manager, p.ID, now); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Get(t.Context(), manager, p.ID); err != nil || !got.SnoozedUntil.IsZero() {
		t.Errorf("brought back: %v, %v", got.SnoozedUntil, err)
	}
	if got, want := strings.Join(r.heeded(t), " "), "snoozed snoozed"; got != want {
		t.Errorf("the log says %s, want %s", got, want)
	}
}

func TestWhatWasOpenedIsAddedUpAndGoesIntoTheDecisionAlone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, two)
	open := func(who identity.Actor, what string, seconds int) {
		t.Helper()
		if err := r.Opened(t.Context(), who, p.ID, what, seconds); err != nil {
			t.Fatal(err)
		}
	}
	open(manager, "page", 30)
	open(manager, "page", 12)
	open(manager, "E4#row-17", 5)
	open(manager, "for-ever", 86_400)
	open(manager, "for-ever", 86_400)
	open(second, "page", 3)
	open(person("p:third", identity.ProgrammeManager), "page", 99)
	r.decide(t, manager, r.answer(p, review.Approve))
	made, err := r.Decisions(t.Context(), north, p.ID)
	const want = `[{"what":"E4#row-17","seconds":5},{"what":"for-ever","seconds":86400},{"what":"page","seconds":42}]`
	if err != nil || made[0].Opened != want || made[0].OpenSeconds == nil || *made[0].OpenSeconds != 86_400 {
		t.Errorf("got %+v, %v, want %s", made, err, want)
	}
	if n := all[int](t, r.db, `select count(*) from gavel.proposal_opened`)[0]; n != 2 {
		t.Errorf("%d are kept, want those of the two who have not decided", n)
	}
	r.decide(t, second, r.answer(p, review.Approve))
	if n := all[int](t, r.db, `select count(*) from gavel.proposal_opened`)[0]; n != 0 {
		t.Errorf("%d are kept after the end", n)
	}
	open(second, "page", 3) // too late, and no harm
	q := r.propose(t)
	d := r.answer(q, review.Approve)
	r.decide(t, manager, d)
	if made, err := r.Decisions(t.Context(), north, q.ID); err != nil || made[0].Opened != string(d.Opened) || made[0].OpenSeconds != nil {
		t.Errorf("got %+v, %v: nothing is counted of the sender's own word", made, err)
	}
}

func TestWhatWasOpenedHasBounds(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	for name, tt := range map[string]struct {
		what    string
		seconds int
	}{"no name": {"", 1}, "a long name": {strings.Repeat("x", 41), 1}, "a name with a quote": {`a"b`, 1}, "no time": {"page", 0},
		"over a day": {"page", 86_401}} {
		wantKind(t, name, r.Opened(t.Context(), manager, p.ID, tt.what, tt.seconds), fault.Invalid)
	}
	for i := range 210 {
		if err := r.Opened(t.Context(), manager, p.ID, fmt.Sprintf("part-%035d", i), 86_400); err != nil {
			t.Fatal(err)
		}
	}
	r.decide(t, manager, r.answer(p, review.Approve))
	made, err := r.Decisions(t.Context(), north, p.ID)
	if err != nil || strings.Count(made[0].Opened, "what") != 200 {
		t.Errorf("%d parts are kept, %v, want 200", strings.Count(made[0].Opened, "what"), err)
	}
}

func TestTheDatabaseLetsNobodyChangeWhoDecidesWhatAndWhen(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.propose(t, timed)       // P-1
	p2 := r.propose(t, timed) // P-2, rejected
	r.propose(t, confirm)     // P-3
	r.decide(t, manager, r.answer(p2, review.Reject))
	for name, sql := range map[string]string{
		"it escalates before its time": `update gavel.proposal set escalated_at = now(), deciders = deciders || escalate_to
			where id = 'P-1'`,
		"it escalates to others":        `update gavel.proposal set escalated_at = escalate_at, deciders = '{analyst}' where id = 'P-1'`,
		"it escalates and says nothing": `update gavel.proposal set deciders = deciders || escalate_to where id = 'P-1'`,
		"it escalates to nobody":        `update gavel.proposal set escalated_at = escalate_at where id = 'P-1'`,
		"it escalates after its end": `update gavel.proposal set escalated_at = escalate_at, deciders = deciders || escalate_to
			where id = 'P-2'`,
		"it reminds before its time":    `update gavel.proposal set reminded_at = now() where id = 'P-1'`,
		"it is assigned to who made it": `update gavel.proposal set assigned_to = '` + author + `' where id = 'P-1'`,
		"it is assigned after its end":  `update gavel.proposal set assigned_to = 'p:x' where id = 'P-2'`,
		"a confirmation is assigned":    `update gavel.proposal set assigned_to = 'p:x' where id = 'P-3'`,
		"a real one is made a test":     `update gavel.proposal set truth = 'wrong' where id = 'P-1'`,
		"a list shows something else":   `update gavel.proposal set line = 'Approve me' where id = 'P-1'`,
	} {
		for role, url := range map[string]string{"app": r.db.AppURL, "owner": r.db.OwnerURL} {
			err := tryAs(t, url, sql)
			ours := postgres.Violates(err, "proposal_moves") || postgres.Violates(err, "proposal_attention")
			if err == nil || role == "owner" && !ours {
				t.Errorf("%s, as %s: got %v, want it refused", name, role, err)
			}
		}
	}
	if err := tryAs(t, r.db.AppURL, `update gavel.proposal set escalated_at = escalate_at, deciders = deciders || escalate_to
		where id = 'P-1'`); err != nil {
		t.Errorf("an honest one: %v", err)
	}
	for name, sql := range map[string]string{
		"a reminder is moved":     `update gavel.proposal set remind_at = now()`,
		"an escalation is moved":  `update gavel.proposal set escalate_at = now()`,
		"a due date is moved":     `update gavel.proposal set due_at = now()`,
		"a test's nonce changes":  `update gavel.proposal set seed_nonce = 'x'`,
		"a notice is taken back":  `delete from gavel.notice`,
		"a delegation is removed": `delete from gavel.delegation`,
	} {
		if err := tryAs(t, r.db.AppURL, sql); err == nil || !strings.Contains(err.Error(), "permission denied") {
			t.Errorf("%s: got %v, want permission denied", name, err)
		}
	}
}

func TestOpenPagesAreToldOfWhatMovedAndInboxesThatSomethingDid(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, timed)
	conn, err := pgx.Connect(t.Context(), r.db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), `listen gavel_live`); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Attend(t.Context(), north, p.Key, p.RemindAt); err != nil {
		t.Fatal(err)
	}
	r.decide(t, manager, r.answer(p, review.Reject))
	ids := all[string](t, r.db, `select id from gavel.record where org = 'north' and kind in ('attention', 'decision', 'case')`)
	var b pgx.Batch
	review.Announce(&b, slices.Repeat([]string{"north"}, len(ids)), ids)
	if err := r.db.System.InTx(t.Context(), func(tx pgx.Tx) error { return tx.SendBatch(t.Context(), &b).Close() }); err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
		n, err := conn.WaitForNotification(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		var notice struct{ Org, Object string }
		if err := json.Unmarshal([]byte(n.Payload), &notice); err != nil || notice.Org != "north" {
			t.Errorf("got %s, %v", n.Payload, err)
		}
		told[notice.Object] = true
	}
	if !told[p.ID] || !told[review.InboxObject] {
		t.Errorf("told %v", told)
	}
}
