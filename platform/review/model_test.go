package review_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A world is what should be true of proposals and acts after some steps, kept
// the simple way. It decides by itself what each step must answer.
type world struct {
	t     *testing.T
	today *rig
	late  *rig // the same database a day later: dates have come, undo windows have passed

	matters []*matter
	made    map[string]review.Decision // that were put on record, by id
	by      map[string]string          // who made them
	claims  []claim
	paused  bool
	givers  []lent // who lets the deputy decide in their stead, the oldest first
}

// lent is a delegation to the deputy. It lasts for half a day: it has ended in the
// later rig.
type lent struct{ from, id string }

// A matter is a proposal and what became of it.
type matter struct {
	p        review.Proposal
	required int
	expires  bool
	undo     bool
	lateYes  bool // decided a day later: its undo window is still open then
	state    review.State
	test     bool // known to be wrong
	goesOn   bool // to officers, in half a day
	gone     bool // it went
	voices   []string
	behalf   []string // in whose stead some of them spoke
	final    string   // the digest that was approved
	act      act.State
	fence    int64
	alive    bool // a holder's lease is running
	effects  int  // as counted by the other side
}

type claim struct {
	m     *matter
	fence int64
}

// people are all who try to decide. The last three never may; officers may where
// it went on to them, and the deputy in somebody's stead.
func people() []identity.Actor {
	robot := manager
	robot.Kind = identity.Agent
	return []identity.Actor{officer, manager, second, person("p:third", identity.ProgrammeManager), deputy,
		person(rider, identity.ProgrammeManager),
		person(author, identity.ProgrammeManager), robot}
}

// may is the rule in one sentence, for who has the right themselves.
func (m *matter) may(a identity.Actor) bool {
	if m.p.Gate == review.ByOneself {
		return a.Kind == identity.Person && a.ID == rider
	}
	return a.Kind == identity.Person && (a.Has(identity.ProgrammeManager) || m.gone && a.Has(identity.Officer)) && a.ID != rider &&
		a.ID != author
}

// stead is the rule for the deputy: in whose stead they decide, if in anybody's,
// and whether all who let them have been heard.
func (w *world) stead(m *matter, r *rig, a identity.Actor, v review.Verdict) (from string, heard bool) {
	if a.ID != deputy.ID || m.p.Gate == review.ByOneself || r == w.late {
		return "", false
	}
	for _, g := range w.givers {
		if v == review.Undo || !slices.Contains(m.voices, g.from) && !slices.Contains(m.behalf, g.from) {
			return g.from, false
		}
		heard = true
	}
	return "", heard
}

// lend has a manager let the deputy decide in their stead, or no more.
func (w *world) lend(t *rapid.T) {
	from := rapid.SampledFrom([]identity.Actor{manager, second}).Draw(t, "from")
	at := slices.IndexFunc(w.givers, func(g lent) bool { return g.from == from.ID })
	if at < 0 {
		d := w.today.delegate(w.t, from, deputy.ID, func(in *review.Delegating) { in.EndsAt = w.today.clock.Now().Add(12 * time.Hour) })
		w.givers = append(w.givers, lent{from.ID, d.ID})
		return
	}
	if _, err := w.today.EndDelegation(w.t.Context(), from, w.givers[at].id); err != nil {
		t.Fatal(err)
	}
	w.givers = slices.Delete(w.givers, at, at+1)
}

// attend has a workflow look after a proposal.
func (w *world) attend(t *rapid.T) {
	m, r := w.open(t), w.when(t)
	if m.state == review.Open && r == w.late {
		m.gone = m.goesOn
		if m.expires {
			m.state = review.Expired
			for _, other := range w.matters { // tests go with what is waited for
				if other.test && other.state == review.Open {
					other.state = review.Expired
				}
			}
		}
	}
	got, err := r.Attend(w.t.Context(), north, m.p.Key, r.clock.Now())
	if err != nil || got.Decided.State != m.state {
		t.Fatalf("%s is attended to: got %s, %v, want %s", m.p.ID, got.Decided.State, err, m.state)
	}
}

func (w *world) when(t *rapid.T) *rig {
	if rapid.SampledFrom([]string{"today", "late"}).Draw(t, "when") == "late" {
		return w.late
	}
	return w.today
}

func (w *world) matter(t *rapid.T) *matter {
	return w.matters[rapid.IntRange(0, len(w.matters)-1).Draw(t, "matter")]
}

func (w *world) propose(t *rapid.T) {
	for range rapid.IntRange(1, 3).Draw(t, "proposals") {
		w.proposeOne(t)
	}
}

func (w *world) proposeOne(t *rapid.T) {
	p := w.today.draft()
	m := &matter{required: 1, state: review.Open, expires: rapid.Bool().Draw(t, "expires"), undo: rapid.Bool().Draw(t, "undo")}
	p.Effect = rapid.SampledFrom([]string{act.Outside, act.Write}).Draw(t, "effect")
	if rapid.Bool().Draw(t, "confirm") {
		confirm(&p)
	} else {
		m.required = rapid.IntRange(1, 3).Draw(t, "required")
		p.Required = m.required
	}
	if m.expires {
		p.ExpiresAt = p.CreatedAt.Add(12 * time.Hour)
	}
	if m.undo {
		p.Undo = 12 * time.Hour
	}
	m.undo = m.undo && p.Effect == act.Outside
	if rapid.Bool().Draw(t, "narrow") {
		p.Allowed = []review.Verdict{review.Approve, review.Reject}
	}
	if m.goesOn = p.Gate == review.ByAnother && rapid.Bool().Draw(t, "goes on"); m.goesOn {
		p.RemindAt, p.EscalateAt, p.EscalateTo = p.CreatedAt.Add(6*time.Hour), p.CreatedAt.Add(6*time.Hour), officer.Roles
	}
	put := func(b *pgx.Batch) error { return review.ProposeLater(b, &p) }
	if m.test = m.expires && rapid.IntRange(0, 3).Draw(t, "test") == 0; m.test {
		p.Wake = review.Wake{}
		put = func(b *pgx.Batch) error { return review.SeedLater(b, &p, wrong) }
	}
	for range 2 { // a turn that is repeated proposes once
		err := w.today.db.App.InOrg(w.t.Context(), north, func(tx pgx.Tx) error {
			var b pgx.Batch
			if err := put(&b); err != nil {
				return err
			}
			return tx.SendBatch(w.t.Context(), &b).Close()
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	m.p = p
	w.matters = append(w.matters, m)
}

// open is a matter that waits, as a rule: most answers should find one.
func (w *world) open(t *rapid.T) *matter {
	m := w.matter(t)
	if waits := slices.DeleteFunc(slices.Clone(w.matters), func(m *matter) bool { return m.state != review.Open }); len(waits) > 0 &&
		rapid.IntRange(0, 3).Draw(t, "any") < 3 {
		m = waits[len(waits)-1]
	}
	return m
}

func (w *world) decide(t *rapid.T) {
	m, r := w.open(t), w.when(t)
	all := append(people(), manager, second, deputy, person(rider, identity.Analyst))
	if len(w.givers) > 0 { // seldom enough as it is
		all = append(all, deputy, deputy, deputy, deputy, deputy, deputy)
	}
	who := rapid.SampledFrom(all).Draw(t, "who")
	verdicts := []review.Verdict{review.Edit, review.Approve, review.Reject, review.Edit, review.SendBack}
	d := w.today.answer(m.p, rapid.SampledFrom(verdicts).Draw(t, "verdict"))
	if rapid.IntRange(0, 7).Draw(t, "stale") == 0 {
		d.ShownSHA256 = w.matter(t).p.ShownSHA256 // may be the right one all the same
	}
	if len(w.made) > 0 && rapid.IntRange(0, 4).Draw(t, "again") == 0 {
		d.ID = rapid.SampledFrom(slices.Sorted(keysOf(w.made))).Draw(t, "id")
	}
	edit := rapid.SampledFrom([]string{`{"to":"union"}`, `{"to":"union"}`, `{"to":"union"}`, `{"to":"mayor"}`, `{"whom":"x"}`}).
		Draw(t, "edit")
	if d.Verdict == review.Edit {
		d.Edit = json.RawMessage(edit)
	}
	w.say(t, m, r, who, d)
}

// say has somebody answer, and holds what comes of it against the model.
func (w *world) say(t *rapid.T, m *matter, r *rig, who identity.Actor, d review.Decision) {
	stead, _ := w.stead(m, r, who, d.Verdict)
	want, ok := w.expect(m, r, who, d)
	got, err := r.Decide(w.t.Context(), who, d)
	if ok != (err == nil) || !ok && fault.KindOf(err) != want {
		t.Fatalf("%s says %s to %s (%s): got %v, want ok %v, %s", who.ID, d.Verdict, m.p.ID, m.state, err, ok, want)
	}
	if _, again := w.made[d.ID]; ok && !again {
		w.made[d.ID], w.by[d.ID] = d, who.ID
		m.follow(who, d)
		if stead != "" && d.Verdict == review.Approve {
			m.behalf = append(m.behalf, stead)
		}
		m.lateYes = r == w.late
	}
	if ok && got.State != m.state {
		t.Fatalf("%s is %s, want %s", m.p.ID, got.State, m.state)
	}
}

// approve has as many people say yes as it takes, unless one has had their say.
func (w *world) approve(t *rapid.T) {
	m := w.matter(t)
	for _, who := range people() {
		if m.state != review.Open || !m.may(who) || slices.Contains(m.voices, who.ID) || slices.Contains(m.behalf, who.ID) {
			continue
		}
		d := w.today.answer(m.p, review.Approve)
		if _, err := w.today.Decide(w.t.Context(), who, d); err != nil {
			t.Fatalf("%s approves %s: %v", who.ID, m.p.ID, err)
		}
		w.made[d.ID], w.by[d.ID] = d, who.ID
		m.follow(who, d)
		m.lateYes = false
	}
}

// expect is what an answer to a decision must be.
func (w *world) expect(m *matter, r *rig, who identity.Actor, d review.Decision) (fault.Kind, bool) {
	if was, there := w.made[d.ID]; there {
		same := was.Proposal == d.Proposal && w.by[d.ID] == who.ID && was.Verdict == d.Verdict && was.ShownSHA256 == d.ShownSHA256
		same = same && (d.Verdict != review.Edit || string(was.Edit) == string(d.Edit))
		return fault.Conflict, same
	}
	allowed := len(m.p.Allowed) == 4 || d.Verdict == review.Approve || d.Verdict == review.Reject
	stead, heard := w.stead(m, r, who, d.Verdict)
	switch {
	case heard:
		return fault.Conflict, false
	case !m.may(who) && stead == "":
		return fault.Refused, false
	case m.state != review.Open, m.expires && r == w.late:
		return fault.Conflict, false
	case d.ShownSHA256 != m.p.ShownSHA256:
		return fault.Stale, false
	case !allowed:
		return fault.Invalid, false
	case d.Verdict == review.Edit && m.required > 1, slices.Contains(m.voices, who.ID), slices.Contains(m.behalf, who.ID):
		return fault.Conflict, false
	case string(d.Edit) == `{"to":"mayor"}`:
		return fault.Refused, false
	case string(d.Edit) == `{"whom":"x"}`:
		return fault.Invalid, false
	}
	return 0, true
}

// follow does to the matter what a decision does.
func (m *matter) follow(who identity.Actor, d review.Decision) {
	switch d.Verdict {
	case review.Reject:
		m.state = review.Rejected
	case review.SendBack:
		m.state = review.SentBack
	case review.Edit:
		m.state, m.final, m.act = review.Edited, act.Digest(d.Edit), act.Planned
	default:
		if m.voices = append(m.voices, who.ID); len(m.voices) == m.required {
			m.state, m.final, m.act = review.Approved, m.p.ArgsSHA256, act.Planned
		}
	}
	if m.test {
		m.act = ""
	}
}

func (w *world) expire(t *rapid.T) {
	m, r := w.open(t), w.when(t)
	if m.state == review.Open && m.expires && r == w.late {
		m.state = review.Expired
	}
	got, err := r.ExpireKey(w.t.Context(), north, m.p.Key, r.clock.Now())
	if err != nil || got.State != m.state {
		t.Fatalf("%s expires: got %s, %v, want %s", m.p.ID, got.State, err, m.state)
	}
}

func (w *world) withdraw(t *rapid.T) {
	m := w.matter(t)
	who := rapid.SampledFrom([]identity.Actor{manager, manager, manager, person(rider, identity.Analyst), identity.Gavel(north)}).
		Draw(t, "who")
	refused := m.state == review.Open && who.ID == manager.ID
	if m.state == review.Open && !refused {
		m.state = review.Withdrawn
	}
	got, err := w.today.Withdraw(w.t.Context(), who, m.p.ID, review.Withdrawn)
	if refused != fault.Is(err, fault.Refused) || !refused && (err != nil || got.State != m.state) {
		t.Fatalf("%s withdraws %s: got %s, %v, want %s", who.ID, m.p.ID, got.State, err, m.state)
	}
}

func (w *world) undo(t *rapid.T) {
	m := w.matter(t)
	if begun := slices.DeleteFunc(slices.Clone(w.matters), func(m *matter) bool { return m.act != act.Running }); len(begun) > 0 &&
		rapid.Bool().Draw(t, "begun") {
		m = begun[len(begun)-1] // too late for it
	}
	who := rapid.SampledFrom(append(people(), manager, person(rider, identity.Analyst))).Draw(t, "who")
	want, ok := fault.Conflict, m.act == act.Planned || m.act == act.OnHold
	if stead, _ := w.stead(m, w.today, who, review.Undo); !m.may(who) && stead == "" {
		want, ok = fault.Refused, false
	}
	_, err := w.today.Undo(w.t.Context(), who, w.today.answer(m.p, review.Undo))
	if ok != (err == nil) || !ok && fault.KindOf(err) != want {
		t.Fatalf("%s undoes %s (%s, act %s): got %v, want ok %v, %s", who.ID, m.p.ID, m.state, m.act, err, ok, want)
	}
	if ok {
		m.act = act.Undone
	}
}

// check compares all that the database holds of these matters with the world.
func (w *world) check(t *rapid.T) {
	for _, m := range w.matters {
		p, err := w.today.Get(w.t.Context(), identity.Gavel(north), m.p.ID)
		if err != nil || p.State != m.state || p.FinalArgsSHA256 != m.final {
			t.Fatalf("%s is %s for %.8s, want %s for %.8s (%v)", m.p.ID, p.State, p.FinalArgsSHA256, m.state, m.final, err)
		}
		if told := p.Seed != nil; told != (m.test && m.state != review.Open) {
			t.Fatalf("%s is %s, a test: %v, and says so: %v", m.p.ID, m.state, m.test, told)
		}
		a, there := w.today.act(w.t, m.p)
		if there != (m.act != "") || there && (a.State != m.act || a.Fence != m.fence || a.ArgsSHA256 != m.final) {
			t.Fatalf("the act of %s is %+v, want %s under fence %d", m.p.ID, a, m.act, m.fence)
		}
		if m.effects > 1 || m.effects > 0 && m.state != review.Approved && m.state != review.Edited {
			t.Fatalf("%s is %s and was done %d times", m.p.ID, m.state, m.effects)
		}
		if n := all[int](w.t, w.today.db, `select count(*) from public.effect where key = $1`, m.p.Key)[0]; m.p.Effect == act.Write &&
			n != m.effects {
			t.Fatalf("%s was written %d times, want %d", m.p.ID, n, m.effects)
		}
	}
}

func keysOf[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// TestNoActWithoutItsApprovalNoneTwiceNoneAfterANo drives random proposals,
// decisions (valid, stale, for another, twice, too late, by who may not),
// expiries, undos, delegations that come and go, escalations, tests of oversight,
// pauses, claims, crashes and ends against a model.
func TestNoActWithoutItsApprovalNoneTwiceNoneAfterANo(t *testing.T) {
	today := newRig(t, durable.Clock{})
	exec(t, today.db.AdminURL, `create table public.effect (key text primary key)`, `grant select, insert on public.effect to gavel_app,
		gavel_system`)
	// Twenty-five hours for every one since an hour ago: tomorrow, and on.
	late := *today
	late.clock = durable.Clock{Epoch: time.Now().Add(-time.Hour), Speed: 25}
	late.acts = act.NewStore(today.db.App, late.clock)
	late.Store = late.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs}}, Recheck: recheck})
	round := func(rt *rapid.T) {
		w := &world{t: t, today: today, late: &late, made: map[string]review.Decision{}, by: map[string]string{}}
		if err := resumeAll(t, today); err != nil {
			rt.Fatal(err) // a round that failed may have left its pause
		}
		left, _, err := today.Delegations(t.Context(), deputy, review.DelegationQuery{Person: deputy.ID})
		for _, d := range left {
			if err == nil {
				_, err = today.EndDelegation(t.Context(), deputy, d.ID)
			}
		}
		if err != nil {
			rt.Fatal(err)
		}
		w.propose(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"propose": w.propose, "decide": w.decide, "decide more": w.decide, "decide most": w.decide, "approve": w.approve,
			"expire": w.expire, "withdraw": w.withdraw, "undo": w.undo, "begin": w.begin, "begin more": w.begin, "begin most": w.begin,
			"do": w.claimed(w.do), "finish": w.claimed(w.finish), "finish more": w.claimed(w.finish), "leave": w.claimed(w.leave),
			"pause": w.pause, "lend": w.lend, "lend more": w.lend, "stand in": w.standIn, "hand over": w.handOver, "attend": w.attend,
			"attend more": w.attend,
		})
		w.check(rt)
	}
	rapid.Check(t, round)
	if testing.Short() { // a few rounds need not meet everything
		return
	}
	for range 30 { // what is seldom may want more rounds
		if t.Failed() || len(unmet(t, today)) == 0 {
			break
		}
		rapid.Check(t, round)
	}
	sound(t, today)
	for _, what := range unmet(t, today) {
		t.Errorf("nothing %s in any round: the test shows nothing about that", what)
	}
}

func exec(t testing.TB, url string, statements ...string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, sql := range statements {
		if _, err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
}
