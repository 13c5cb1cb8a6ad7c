package brief_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/brief"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/occupancy"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/roster"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/finding"
)

const ekta = fleet.EmployeeID("EMP-2030")

// distance is an audit's word on how far somebody lives.
func distance(who fleet.EmployeeID, miles, method, precision string) check.Evidence {
	return check.NewEvidence("distance_check", "employee_id", who, "vanpool_id", "VP-206", "distance_miles", miles, "threshold_miles", "50",
		"method", method, "geo_precision", precision)
}

// far is Ekta, who lives too far off, in a van with others who do not.
func far() brief.Rider {
	return brief.Rider{ID: ekta, Name: "Ekta Demo", Van: "VP-206", Link: "/poolpatrol/riders/EMP-2030", Mail: lifecycle.Accepted,
		Asked:    true,
		Findings: []check.Finding{{Employee: ekta, Check: location.Name, Kind: location.Mismatch, Confidence: 4}},
		Verdicts: []check.Verdict{
			{Check: location.Name, Label: check.Fail, For: []check.Evidence{distance(ekta, "52.5", "osrm", "address")},
				Against: []check.Evidence{distance("EMP-1", "3", "osrm", "address"), distance("EMP-2", "4", "osrm", "address")}},
			{Check: shift.Name, Label: check.Pass, For: []check.Evidence{check.NewEvidence("employee_shift", "employee_id", ekta),
				check.NewEvidence("employee_shift", "employee_id", "EMP-1")}},
		}}
}

// TestTheCardOfARiderIsAboutThatRider promises the words of the walk: who, how far, the
// limit, how sure; and that how others of the van do speaks neither for nor against.
func TestTheCardOfARiderIsAboutThatRider(t *testing.T) {
	f := brief.Cancel(far())
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	for what, tt := range map[string]struct{ got, want string }{
		"first line": {f.First("en"), "Ekta Demo, VP-206: 52.5 mi from the pickup; limit 50"},
		"sentence":   {f.Says.En, "Ekta Demo (EMP-2030) lives 52.5 mi from the pickup of VP-206; the limit is 50."},
		"value":      {f.Value.Words.En, "52.5 mi"},
		"limit":      {f.Limit.Words.En, "50 mi"},
		"sure":       {f.Sure.Words.En, "4 of 5: sure"},
		"plain":      {f.Plain.En, "A rider of VP-206 is over the distance limit."},
		"change":     {f.Change.En, "A home within 50 mi of the pickup."},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", what, tt.got, tt.want)
		}
	}
	if len(f.Against) != 1 || f.Against[0].Text.En != "Their working hours fit the van's." {
		t.Errorf("against: %v", f.Against)
	}
	r := far()
	r.Replies = []time.Time{time.Date(2026, 11, 14, 9, 0, 0, 0, time.UTC)}
	r.Verdicts[0].For[0] = distance(ekta, "52.5", "estimate", "zip")
	f = brief.Cancel(r)
	if len(f.Unknown) != 2 || !strings.Contains(f.Against[0].Text.En, "replied on 14-11-2026") {
		t.Errorf("against %v, unknown %v", f.Against, f.Unknown)
	}
}

// kinds are a rider or a van with each kind of finding, and the evidence of it.
func kinds() map[string]struct {
	about string
	e     check.Evidence
} {
	who := any(ekta)
	return map[string]struct {
		about string
		e     check.Evidence
	}{
		location.Mismatch: {"rider", distance(ekta, "52.5", "haversine_bound", "address")},
		shift.Mismatch: {"rider", check.NewEvidence(shift.Mismatch, "employee_id", who, "employee_hours", "Mon-Fri 22:00-06:00",
			"expected_hours", "Mon-Fri 08:00-16:00", "overlap_minutes", 0, "working_days", 10)},
		roster.SeparatedEmployee: {"rider", check.NewEvidence(roster.SeparatedEmployee, "employee_id", who)},
		roster.DuplicateMembership: {"rider", check.NewEvidence(roster.DuplicateMembership, "employee_id", who, "also_in", "VP-101",
			"memberships", 2)},
		badge.SeldomSeen: {"rider", check.NewEvidence("badge_presence", "employee_id", who, "present_days", 2, "expected_days", 20,
			"from", "2026-10-01", "until", "2026-10-31")},
		parking.Concurrent: {"rider", check.NewEvidence(parking.Concurrent, "employee_id", who, "permit_id", "PERM-1",
			"until", "2026-12-31")},
		check.DataMissing:    {"rider", check.NewEvidence(check.DataMissing, "employee_id", who, "field", "home")},
		occupancy.TooEmpty:   {"van", check.NewEvidence("occupancy", "riders", 2, "seats", 6, "fill_percent", 33, "min_fill_percent", 50)},
		occupancy.TooSmall:   {"van", check.NewEvidence(occupancy.TooSmall, "capacity", 4, "min_capacity", 6)},
		shift.NoMajority:     {"van", check.NewEvidence(shift.NoMajority, "largest_group", 2, "riders", 6)},
		check.EmptyRoster:    {"van", check.NewEvidence(check.EmptyRoster)},
		"from_a_later_build": {"rider", check.NewEvidence("x", "employee_id", who)},
		"":                   {"rider", check.NewEvidence("x", "employee_id", who)},
	}
}

// card is what a programme manager reads of a kind of finding, for each thing they decide.
func cards(kind string, name string, sure check.Confidence, why lifecycle.Why) []finding.Finding {
	k := kinds()[kind]
	verdicts := []check.Verdict{{Label: check.Fail, For: []check.Evidence{k.e}}}
	f := check.Finding{Employee: ekta, Kind: kind, Confidence: sure, Mark: "home"}
	if k.about == "van" {
		f.Employee = ""
		return []finding.Finding{brief.Settle(brief.Van{ID: "VP-206", Findings: []check.Finding{f}, Verdicts: verdicts, Why: why})}
	}
	r := brief.Rider{ID: ekta, Name: name, Van: "VP-206", Link: "/poolpatrol/riders/EMP-2030", Verdicts: verdicts, Asked: true,
		Mail: lifecycle.Bounced}
	if kind != "" {
		r.Findings = []check.Finding{f}
	}
	other := r
	other.Name = "Another " + name
	return []finding.Finding{brief.Cancel(r), brief.Answer(r), brief.Settle(brief.Van{ID: "VP-206", Riders: []brief.Rider{r}, Why: why}),
		brief.Settle(brief.Van{ID: "VP-206", Riders: []brief.Rider{r, other}, Why: why})}
}

// TestEveryKindOfFindingIsWhole promises that whatever an audit finds, and whatever the
// rider is called, the card says all of it in both languages, in sentences of at most
// twenty words, and a mail to staff names nobody.
func TestEveryKindOfFindingIsWhole(t *testing.T) {
	whys := []lifecycle.Why{lifecycle.Triage, lifecycle.Undeliverable, lifecycle.MailHeld, lifecycle.Escalated, lifecycle.ManyQuestions,
		lifecycle.UnreadReply,
		lifecycle.DataChanged, lifecycle.OnLeave, lifecycle.Unheard, lifecycle.TooOld, lifecycle.Expired, lifecycle.Declined,
		lifecycle.NoMoreAudits, ""}
	for kind := range kinds() {
		for _, why := range whys {
			for _, name := range []string{"Ekta Demo", "", strings.Repeat("Long ", 60)} {
				for _, f := range cards(kind, name, 4, why) {
					if err := f.Check(); err != nil {
						t.Fatalf("%s, %s: %v", kind, why, err)
					}
					if strings.Contains(f.Plain.En+f.Plain.Hi, "Ekta") || strings.Contains(f.Plain.En, "EMP-") {
						t.Errorf("%s: plain is %q", kind, f.Plain.En)
					}
					short(t, kind, f)
				}
			}
		}
		if f := cards(kind, "Ekta Demo", 4, "")[0]; testing.Verbose() {
			t.Logf("%s\n  %s\n  %s", f.First("en"), f.Says.En, f.Says.Hi)
		}
	}
}

// short refuses sentences of over twenty words, but for those that name somebody.
func short(t *testing.T, kind string, f finding.Finding) {
	t.Helper()
	all := []string{f.Says.En, f.Change.En, f.Plain.En, f.Value.Words.En, f.Limit.Words.En, f.Sure.Words.En}
	for _, side := range [][]finding.Point{f.For, f.Against, f.Unknown} {
		for _, p := range side {
			all = append(all, p.Text.En)
		}
	}
	for _, text := range all {
		for _, s := range strings.Split(strings.ReplaceAll(text, "Long ", ""), ". ") {
			if n := len(strings.Fields(s)); n > 20 {
				t.Errorf("%s: a sentence of %d words: %s", kind, n, s)
			}
		}
	}
}

// TestCardsThatDifferInVerdictDifferInTheirFirstLine tries random findings: two cards
// that rest on different findings, or on different numbers, never read alike in a list.
func TestCardsThatDifferInVerdictDifferInTheirFirstLine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		drawn := func(name string) (brief.Rider, string) {
			miles := rapid.SampledFrom([]string{"50.01", "52.5", "61", "118.25"}).Draw(t, name+" miles")
			kind := rapid.SampledFrom([]string{location.Mismatch, shift.Mismatch, roster.SeparatedEmployee, roster.DuplicateMembership,
				parking.Concurrent}).Draw(t, name+" kind")
			r := far()
			e := kinds()[kind].e
			if kind == location.Mismatch {
				e = distance(ekta, miles, "osrm", "address")
			} else {
				miles = ""
			}
			r.Findings = []check.Finding{{Employee: ekta, Kind: kind, Confidence: 4}}
			r.Verdicts = []check.Verdict{{Label: check.Fail, For: []check.Evidence{e}}}
			return r, kind + miles
		}
		a, what := drawn("one")
		b, other := drawn("other")
		for _, lang := range []string{"en", "hi"} {
			for name, say := range map[string]func(brief.Rider) finding.Finding{"cancel": brief.Cancel, "answer": brief.Answer} {
				if one, two := say(a).First(lang), say(b).First(lang); (one == two) != (what == other) {
					t.Fatalf("%s of %s and %s: %q and %q", name, what, other, one, two)
				}
			}
		}
	})
}

// TestTheSameCardTwiceSaysWhatHappenedInBetween promises that a card that comes back, after
// a look or a no, does not read like the one before.
func TestTheSameCardTwiceSaysWhatHappenedInBetween(t *testing.T) {
	seen := map[string]string{}
	for _, again := range []string{"", "rejected", "sent_back", "expired", "failed", "undone", "looked", "not_looked"} {
		f := brief.Settle(brief.Van{ID: "VP-206", Riders: []brief.Rider{far()}, Again: again})
		if err := f.Check(); err != nil {
			t.Error(err)
		}
		for _, lang := range []string{"en", "hi"} {
			if before, there := seen[f.First(lang)]; there {
				t.Errorf("%q and %q read alike: %s", before, again, f.First(lang))
			}
			seen[f.First(lang)] = again
		}
	}
}
