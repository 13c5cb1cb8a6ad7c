package content

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// A plea is a decision in another's stead with all that it rests on. As made by
// newPlea everything is in order.
type plea struct {
	one decided
	p   proposed
	g   proven
	seq int64
}

func newPlea() *plea {
	return &plea{seq: 20,
		one: decided{ID: "d1", Proposal: "P-1", Verdict: review.Approve, Actor: actor{Kind: identity.Person, ID: "b"},
			Roles: []identity.Role{identity.Analyst},
			At:    noon, ArgsSHA256: "x", OnBehalf: "a", Delegation: "del_1"},
		p: proposed{ID: "P-1", Kind: "call", App: "general", Gate: review.ByAnother, ArgsSHA256: "x", FinalSHA256: "x",
			RequestedBy: "agent:w", OnBehalfOf: "rider",
			Makers: []string{"author"}, Deciders: []identity.Role{identity.Officer}, Allowed: []review.Verdict{review.Approve,
				review.Reject}, State: review.Approved, Required: 1},
		g: proven{madeSeq: 10, endSeq: -1, leave: leave{ID: "del_1", From: "a", To: "b", Roles: []identity.Role{identity.Officer,
			identity.OrgAdmin},
			MadeAt: noon.Add(-2 * time.Hour), StartsAt: noon.Add(-time.Hour), EndsAt: noon.Add(time.Hour)}},
	}
}

func (q *plea) judge() string {
	if wrong := may(q.one, q.p); wrong != "" {
		return wrong
	}
	d := &docket{leaves: map[string]proven{q.g.ID: q.g}}
	return d.right(q.one, q.p, q.seq)
}

// TestADecisionInAnothersSteadNeedsTheirLeave promises that a decision which the
// log really holds is still no decision where no delegation covered it: the
// database would have refused it, and a bundle is for who does not trust that.
func TestADecisionInAnothersSteadNeedsTheirLeave(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(q *plea)
		want string // of the sentence; empty where nothing is wrong
	}{
		{"as it should be", func(*plea) {}, ""},
		{"of this application and kind", func(q *plea) { q.g.App, q.g.Kind = "general", "call" }, ""},
		{"at its first moment", func(q *plea) { q.one.At = q.g.StartsAt }, ""},
		{"ended afterwards", func(q *plea) { q.g.endSeq = 21 }, ""},
		{"an undo", func(q *plea) { q.one.Verdict = review.Undo }, ""},
		{"none of that name", func(q *plea) { q.one.Delegation = "del_2" }, "is not proven"},
		{"a giver without a delegation", func(q *plea) { q.one.Delegation = "" }, "is not proven"},
		{"a delegation without a giver", func(q *plea) { q.one.OnBehalf = "" }, "in the stead of"},
		{"of somebody else", func(q *plea) { q.g.From = "c" }, "is from c to b"},
		{"to somebody else", func(q *plea) { q.g.To = "c" }, "is from a to c"},
		{"of another application", func(q *plea) { q.g.App = "gatepass" }, "not for such proposals"},
		{"of another kind", func(q *plea) { q.g.Kind = "order" }, "not for such proposals"},
		{"of another role", func(q *plea) { q.g.Roles = []identity.Role{identity.Auditor} }, "no role that may decide"},
		{"by one's own role, which does not decide", func(q *plea) { q.one.OnBehalf, q.one.Delegation = "", "" },
			"in a role that may not decide it"},
		{"before it begins", func(q *plea) { q.one.At = q.g.StartsAt.Add(-time.Microsecond) }, "not in force"},
		{"at its last moment", func(q *plea) { q.one.At = q.g.EndsAt }, "not in force"},
		{"before it was made, by the log", func(q *plea) { q.seq = 9 }, "not in force"},
		{"after it was ended", func(q *plea) { q.g.endSeq = 19 }, "ended before"},
		{"of a confirmation", func(q *plea) { q.p.Gate, q.p.OnBehalfOf = review.ByOneself, "b" }, "is another's"},
		{"through a gate that there is not", func(q *plea) { q.p.Gate = "both" }, "one person alone"},
		{"the giver made it", func(q *plea) { q.p.Makers = []string{"a"} }, "in the stead of who asked"},
		{"the giver asked for it", func(q *plea) { q.p.RequestedBy = "a" }, "in the stead of who asked"},
		{"it is done for the giver", func(q *plea) { q.p.OnBehalfOf = "a" }, "in the stead of who asked"},
		{"the taker made it", func(q *plea) { q.p.Makers = []string{"b"} }, "by who asked"},
		{"the taker asked for it", func(q *plea) { q.p.RequestedBy = "b" }, "by who asked"},
	} {
		q := newPlea()
		tt.edit(q)
		if got := q.judge(); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestADelegationThatCouldNotBeMadeIsNone(t *testing.T) {
	for name, edit := range map[string]func(*leave){
		"to oneself":              func(l *leave) { l.To = l.From },
		"from nobody":             func(l *leave) { l.From = "" },
		"to nobody":               func(l *leave) { l.To = "" },
		"ends before it begins":   func(l *leave) { l.EndsAt = l.StartsAt },
		"begins before it's made": func(l *leave) { l.MadeAt = l.StartsAt.Add(time.Microsecond) },
		"lasts over a year":       func(l *leave) { l.EndsAt = l.StartsAt.Add(review.LongestDelegation + time.Microsecond) },
	} {
		one := newPlea().g.leave
		if got := one.sane(); got != "" {
			t.Fatalf("as it should be: %s", got)
		}
		edit(&one)
		if one.sane() == "" {
			t.Errorf("%s: nothing is wrong with it", name)
		}
	}
}

// TestNobodyHasTwoVoices promises that a person, and who decides for them, are
// one voice in a proposal.
func TestNobodyHasTwoVoices(t *testing.T) {
	by := func(actorID, stead string, v review.Verdict) decided {
		return decided{Proposal: "P-1", Actor: actor{ID: actorID}, OnBehalf: stead, Verdict: v}
	}
	other := by("a", "", review.Approve)
	other.Proposal = "P-2"
	for _, tt := range []struct {
		name string
		all  []decided
		want string
	}{
		{"two people", []decided{by("a", "", review.Approve), by("b", "", review.Approve)}, ""},
		{"two people, one for a third", []decided{by("b", "a", review.Approve), by("c", "", review.Approve)}, ""},
		{"the same of another proposal", []decided{by("a", "", review.Approve), other}, ""},
		{"the same who then undoes it", []decided{by("a", "", review.Approve), by("a", "", review.Undo), by("b", "a", review.Undo)}, ""},
		{"the same twice", []decided{by("a", "", review.Approve), by("a", "", review.Reject)}, "a"},
		{"somebody, then another for them", []decided{by("a", "", review.Approve), by("b", "a", review.Approve)}, "a"},
		{"another for them, then they", []decided{by("b", "a", review.Approve), by("a", "", review.Approve)}, "a"},
		{"two for the same", []decided{by("b", "a", review.Approve), by("c", "a", review.Approve)}, "a"},
		{"one for two", []decided{by("c", "a", review.Approve), by("c", "b", review.Approve)}, "c"},
		{"one for another, and for themselves", []decided{by("b", "a", review.Approve), by("b", "", review.Approve)}, "b"},
		{"one for themselves, and for another", []decided{by("b", "", review.Approve), by("b", "a", review.Approve)}, "b"},
	} {
		heard, got := voices{}, ""
		for _, one := range tt.all {
			if who := heard.add(one); who != "" {
				got = who
			}
		}
		if got != tt.want {
			t.Errorf("%s: got %q twice, want %q", tt.name, got, tt.want)
		}
	}
}

// TestATestIsWhatTheRecordOfItsEndSays promises that nothing becomes a test, or
// stops being one, after its end.
func TestATestIsWhatTheRecordOfItsEndSays(t *testing.T) {
	const nonce, truth = "NONCENONCENONCENONCE", "The rider was on leave."
	real := proposed{ID: "P-1", Act: "run_1/1", ArgsSHA256: "x", State: review.Rejected}
	test := real
	test.Test = &tested{Truth: truth, Nonce: nonce}
	seed := review.SeedDigest(nonce, real.Act, real.ArgsSHA256, truth)
	with := func(edit func(p *proposed)) proposed {
		p := test
		p.Test = &tested{Truth: truth, Nonce: nonce}
		edit(&p)
		return p
	}
	for _, tt := range []struct {
		name string
		p    proposed
		seed string
		want string
	}{
		{"a real one", real, "", ""},
		{"a test", test, seed, ""},
		{"an erased test", with(func(p *proposed) { p.ErasedAt, p.Test.Truth = &noon, "" }), seed, ""},
		{"a test that hides", real, seed, "does not say so"},
		{"a test that was none", test, "", "no record of its end"},
		{"an erased test that was none", with(func(p *proposed) { p.ErasedAt, p.Test.Truth = &noon, "" }), "", "no record of its end"},
		{"a test before its end", with(func(p *proposed) { p.State = review.Open }), seed, "before it has ended"},
		{"another truth", with(func(p *proposed) { p.Test.Truth = "Nothing." }), seed, "another test"},
		{"another nonce", with(func(p *proposed) { p.Test.Nonce = "other" }), seed, "another test"},
		{"other arguments", with(func(p *proposed) { p.ArgsSHA256 = "y" }), seed, "another test"},
		{"another key", with(func(p *proposed) { p.Act = "run_1/2" }), seed, "another test"},
		{"no truth", with(func(p *proposed) { p.Test.Truth = "" }), seed, "does not say what"},
	} {
		if got := tt.p.tests(tt.seed); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
