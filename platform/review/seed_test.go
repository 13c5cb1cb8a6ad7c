package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

const wrong = "The rider was not on that van."

// test is a draft that may be seeded.
func (r *rig) test(edit ...func(*review.Proposal)) review.Proposal {
	p := r.draft()
	p.Wake, p.ExpiresAt = review.Wake{}, p.CreatedAt.Add(time.Hour)
	for _, e := range edit {
		e(&p)
	}
	return p
}

func (r *rig) seed(t testing.TB, edit ...func(*review.Proposal)) review.Proposal {
	t.Helper()
	p := r.test(edit...)
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		var b pgx.Batch
		if err := review.SeedLater(&b, &p, wrong); err != nil {
			return err
		}
		return tx.SendBatch(t.Context(), &b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// woken is a store whose cases all have a workflow that could be told.
func (r *rig) woken(t testing.TB) *review.Store {
	return r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs}}, Recheck: recheck,
		WakeOf: func(casefile.Case) (review.Wake, error) { return review.Wake{WorkflowID: "general/north/x"}, nil }})
}

func TestATestLooksLikeAnyOtherUntilItHasEnded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	real := r.propose(t, in(time.Hour), func(p *review.Proposal) { p.Wake = review.Wake{} })
	test := r.seed(t)
	same := func(p review.Proposal) string {
		p.ID, p.Key, p.Call, p.Args, p.Shown, p.ArgsSHA256, p.ShownSHA256 = "", "", "", nil, nil, "", ""
		p.CreatedAt, p.ExpiresAt = time.Time{}, time.Time{}
		return fmt.Sprintf("%+v", p)
	}
	a, b := r.get(t, real.ID), r.get(t, test.ID)
	if test.ID != "P-2" || b.Seed != nil || same(a) != same(b) {
		t.Errorf("a real one and a test differ:\n%s\n%s", same(a), same(b))
	}
	lists, err := r.Inbox(t.Context(), manager, review.InboxQuery{})
	if err != nil || len(lists.Items) != 2 {
		t.Fatalf("got %v, %v", lists, err)
	}
	for _, it := range lists.Items {
		if it.Proposal.Seed != nil || it.Line != "Send a letter" {
			t.Errorf("got %+v", it)
		}
	}
	if n := all[int](t, r.db, `select count(*) from gavel.record where kind <> 'case'`)[0]; n != 0 {
		t.Errorf("the log has %d records, and so gives it away", n)
	}
	got, err := r.Decide(t.Context(), manager, r.answer(test, review.Reject))
	if err != nil || got.Seed == nil || got.Seed.Truth != wrong {
		t.Fatalf("after its end: %+v, %v", got, err)
	}
	after := r.get(t, test.ID)
	if after.Seed == nil || *after.Seed != *got.Seed {
		t.Fatalf("after its end: %+v", after)
	}
	said := review.SeedDigest(after.Seed.Nonce, after.Key, after.ArgsSHA256, after.Seed.Truth)
	if recs := r.records(t, audit.Decision); !strings.Contains(recs[0], `"seed":"`+said+`"`) || strings.Contains(recs[0], "rider") {
		t.Errorf("the log says of the decision %v, want %s", recs, said)
	}
	r.decide(t, manager, r.answer(real, review.Reject))
	if recs := r.records(t, audit.Decision); strings.Contains(recs[1], "seed") {
		t.Errorf("the log says of a real one %v", recs)
	}
}

func TestNothingEverComesOfATest(t *testing.T) {
	r := newRig(t, durable.Clock{})
	s := r.woken(t)
	for _, v := range []review.Verdict{review.Approve, review.Edit, review.SendBack, review.Reject} {
		p := r.seed(t, func(p *review.Proposal) { p.Undo = time.Hour })
		got, err := s.Decide(t.Context(), manager, r.answer(p, v))
		if err != nil || got.Seed == nil || !got.HeldUntil().IsZero() {
			t.Fatalf("%s: got %+v, %v", v, got, err)
		}
		if _, ok := r.act(t, p); ok {
			t.Errorf("%s: a test became an act", v)
		}
		_, err = s.Undo(t.Context(), manager, r.answer(p, review.Undo))
		wantKind(t, string(v)+", undone", err, fault.Conflict)
	}
	gone := r.seed(t)
	if _, err := s.Withdraw(t.Context(), identity.Gavel(north), gone.ID, review.Withdrawn); err != nil {
		t.Fatal(err)
	}
	late := r.seed(t)
	if n, err := s.ExpireSeeds(t.Context(), north, late.ExpiresAt); err != nil || n != 1 {
		t.Errorf("%d expire, %v", n, err)
	}
	if n, err := s.ExpireSeeds(t.Context(), north, late.ExpiresAt); err != nil || n != 0 {
		t.Errorf("%d expire again, %v", n, err)
	}
	if got := r.get(t, late.ID); got.State != review.Expired || got.Seed == nil {
		t.Errorf("got %+v", got)
	}
	if told := r.signals(t); len(told) != 0 {
		t.Errorf("a workflow is told %v", told)
	}
	planned := `insert into gavel.act (org, key, case_id, run, call, app, tool, effect, args, args_sha256, proposal, by_kind, by_id,
		planned_at)
		select org, key, case_id, run, call, app, tool, effect, args, args_sha256, id, 'person', 'p:x', now() from gavel.proposal
		where id = 'P-1'`
	for _, url := range []string{r.db.AppURL, r.db.OwnerURL} {
		if err := tryAs(t, url, planned); !postgres.Violates(err, "act_authorised") {
			t.Errorf("an approved test becomes an act: got %v", err)
		}
	}
	if err := tryAs(t, r.db.OwnerURL, `update gavel.proposal set truth = null where id = 'P-1'`); !postgres.Violates(err,
		"proposal_moves") {
		t.Errorf("a test is made real: got %v", err)
	}
	entries, err := r.files.Entries(t.Context(), north, r.file.ID, casefile.EntryQuery{Limit: 200})
	if err != nil || !strings.Contains(entries[len(entries)-2].Text, "it was a test") {
		t.Errorf("the case's history says %+v, %v", entries, err)
	}
}

func TestTestsThatWouldGiveThemselvesAwayAreRefused(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, tt := range map[string]struct {
		edit  func(*review.Proposal)
		truth string
	}{
		"nothing is wrong with it": {func(*review.Proposal) {}, " "},
		"very much is":             {func(*review.Proposal) {}, strings.Repeat("x", 2001)},
		"a workflow waits":         {func(p *review.Proposal) { p.Wake = r.draft().Wake }, wrong},
		"it never ends":            {func(p *review.Proposal) { p.ExpiresAt = time.Time{} }, wrong},
	} {
		p := r.test(tt.edit)
		wantKind(t, name, review.SeedLater(&pgx.Batch{}, &p, tt.truth), fault.Invalid)
	}
	for _, share := range []float64{-1, 0.2} {
		if _, err := review.New(review.Config{Kinds: []review.Kind{{Name: "call", Seeds: review.Seeding{Share: share}}}}); err == nil {
			t.Errorf("a share of %g is taken", share)
		}
	}
}

func TestOversightIsReportedForRolesAndNeverForAPerson(t *testing.T) {
	r := newRig(t, durable.Clock{})
	since := r.clock.Now().Add(-time.Hour)
	look := func(who identity.Actor, p review.Proposal, seconds int) {
		t.Helper()
		if err := r.Opened(t.Context(), who, p.ID, "page", seconds); err != nil {
			t.Fatal(err)
		}
	}
	decide := func(who identity.Actor, p review.Proposal, v review.Verdict, seconds int) {
		t.Helper()
		look(who, p, seconds)
		r.decide(t, who, r.answer(p, v))
	}
	decide(manager, r.propose(t), review.Approve, 10)
	decide(second, r.propose(t), review.Reject, 20)
	decide(second, r.seed(t), review.Reject, 30)
	decide(manager, r.seed(t), review.Approve, 100)
	r.delegate(t, manager, deputy.ID)
	decide(deputy, r.propose(t), review.Approve, 31)
	byOfficer := r.propose(t, func(p *review.Proposal) { p.Deciders = officer.Roles })
	decide(officer, byOfficer, review.Approve, 5)
	r.decide(t, person(rider, identity.Analyst), r.answer(r.propose(t, confirm), review.Approve))
	got, err := r.OversightReport(t.Context(), person("p:auditor", identity.Auditor), since)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	const want = `[{"Role":"","Decided":1,"Seeded":0,"Caught":0,"MedianSeconds":null},` +
		`{"Role":"officer","Decided":1,"Seeded":0,"Caught":0,"MedianSeconds":null},` +
		`{"Role":"programme_manager","Decided":3,"Seeded":2,"Caught":1,"MedianSeconds":30}]`
	if err != nil || string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	_, err = r.OversightReport(t.Context(), person("p:guard", identity.Gate), since)
	wantKind(t, "a guard reads it", err, fault.Refused)
	if got, err := r.OversightReport(t.Context(), person("p:auditor", identity.Auditor), r.clock.Now().Add(time.Hour)); err != nil ||
		len(got) != 0 {
		t.Errorf("since later: %v, %v", got, err)
	}
}

func TestErasureTakesWhatATestWasAbout(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.seed(t)
	r.decide(t, manager, r.answer(p, review.Reject))
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, _, err := review.Blank(t.Context(), tx, north, string(r.file.ID), time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.get(t, p.ID); got.Seed == nil || got.Seed.Truth != "" {
		t.Errorf("got %+v", got.Seed)
	}
	if lines := all[string](t, r.db, `select line from gavel.proposal`); lines[0] != "" {
		t.Errorf("a list still shows %q", lines[0])
	}
}

func TestABundleDoesNotFindOutATestThatNobodyHasAnswered(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.propose(t)                             // P-1
	r.seed(t)                                // P-2, not answered
	half, whole := r.seed(t, two), r.seed(t) // P-3, P-4
	r.decide(t, manager, r.answer(half, review.Approve))
	r.decide(t, manager, r.answer(whole, review.Reject))
	var got []string
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		all, made, err := review.AllOfCase(t.Context(), tx, north, string(r.file.ID))
		for _, p := range all {
			got = append(got, fmt.Sprintf("%s %s %v", p.ID, p.State, p.Seed != nil))
		}
		if len(made) != 2 {
			t.Errorf("%d decisions", len(made))
		}
		return err
	})
	if want := "P-1 open false, P-3 open true, P-4 rejected true"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("got %v, %v, want %s", got, err, want)
	}
}
