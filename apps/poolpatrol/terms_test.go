package poolpatrol

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/setting"
)

// newCaseRig is a rig whose audits open cases.
func newCaseRig(t *testing.T) *rig {
	t.Helper()
	r := newRig(t)
	r.Deps.Cases = casefile.NewStore(casefile.Config{DB: r.DB.App, Rules: r.Deps.Rules, Kinds: []casefile.Kind{r.App.Cases}})
	if err := r.app.open(r.Deps); err != nil {
		t.Fatal(err)
	}
	return r
}

// amended sets terms as an approved change does, and gives what the preview had told.
func (r *rig) amended(change func(*terms.Terms)) (version int64, told map[string]string) {
	r.t.Helper()
	k, told := r.app.store.TermsKind(), map[string]string{}
	r.In(r.t, func(tx pgx.Tx) error {
		t, m, err := setting.Read[terms.Terms](r.t.Context(), tx, k, postgrestest.North, "")
		if err != nil {
			return err
		}
		change(&t)
		value, err := json.Marshal(t)
		if err != nil {
			return err
		}
		p, err := setting.PreviewIn(r.t.Context(), tx, k, postgrestest.North, "", value)
		if err != nil {
			return err
		}
		for _, e := range p.Effects {
			told[e.Name] = e.Now
		}
		by := poolpatroltest.Manager(postgrestest.North)
		h, err := setting.Write(r.t.Context(), tx, k, value, setting.Change{Actor: by, Seen: m.Version, At: time.Now(), Proposal: "prop_x"})
		version = h.Version
		return err
	})
	return version, told
}

// found are the vans and riders with a finding in an audit, as the preview counts them.
func (r *rig) found(pass string) map[string]string {
	r.t.Helper()
	const some = `select vanpool_id || ' ' || verdicts::text from poolpatrol.audit_run where pass = $1 and outcome = 'failed'`
	vans, riders := map[string]bool{}, map[string]bool{}
	for _, line := range r.Texts(r.t, some, pass) {
		van, text, _ := strings.Cut(line, " ")
		var verdicts []check.Verdict
		if err := json.Unmarshal([]byte(text), &verdicts); err != nil {
			r.t.Fatal(err)
		}
		for _, v := range verdicts {
			for _, f := range v.Findings {
				if f.Excused != nil || f.Route == check.ToData {
					continue
				}
				vans[van] = true
				if f.Employee != "" {
					riders[van+string(f.Employee)] = true
				}
			}
		}
	}
	return map[string]string{"next_vans": strconv.Itoa(len(vans)), "next_riders": strconv.Itoa(len(riders))}
}

// settles sees to what follows from a pass: a case for every van that fails.
func (r *rig) settles(pass string) {
	r.t.Helper()
	steps, in := r.app.work.Steps(), store.PassInput{Org: postgrestest.North, Pass: pass}
	for {
		done, err := steps.Settle(r.t.Context(), in)
		if err != nil {
			r.t.Fatal(err)
		}
		if done {
			return
		}
	}
}

// randomTerms are some that may be set.
var randomTerms = rapid.Custom(func(t *rapid.T) terms.Terms {
	s := terms.Standard()
	s.Farthest, s.Unit = float64(rapid.IntRange(5, 150).Draw(t, "far")), rapid.SampledFrom([]fleet.Unit{"mi", "km"}).Draw(t, "unit")
	s.Window, s.Share = rapid.IntRange(15, 120).Draw(t, "window"), rapid.IntRange(1, 100).Draw(t, "share")
	s.Fill, s.Patience = rapid.IntRange(0, 100).Draw(t, "fill"), rapid.IntRange(1, 20).Draw(t, "patience")
	return s
})

// TestAPreviewOfTermsIsWhatTheNextAuditFinds promises, of terms drawn at random, that what
// people are shown before they decide is what the next audit finds on the same records, van
// by van and rider by rider, beside cases that are open and keep the terms they began with.
func TestAPreviewOfTermsIsWhatTheNextAuditFinds(t *testing.T) {
	r := newCaseRig(t)
	r.fill("manager", madeup.Plan{Seed: 7, Vans: 30, Riders: 8, Percent: 40}.Build())
	first := r.audited("manager")
	for seed := range 6 {
		if seed == 3 { // from here on beside open cases
			r.settles(first)
		}
		s := randomTerms.Example(seed)
		version, told := r.amended(func(t *terms.Terms) { *t = s })
		pass := r.audited("manager")
		for name, got := range r.found(pass) {
			if got != told[name] {
				t.Errorf("terms %+v: the audit finds %s %s, the preview told %s", s, got, name, told[name])
			}
		}
		body := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+pass, nil).JSON
		if body["terms_version"] != float64(version) {
			t.Errorf("the pass names version %v of its terms, want %d", body["terms_version"], version)
		}
	}
	open := r.Texts(r.t, `select distinct rules from poolpatrol.case where ended_at is null`)
	if len(open) != 1 || open[0] != "case-2026-1" {
		t.Errorf("cases that began before anybody set terms go by %q", open)
	}
}

// TestVerdictsNameTheVersionTheyWereMadeBy promises that a verdict from before a change and
// one from after it each say by which version, and that an open case keeps its own: in a
// pass, and in its clock.
func TestVerdictsNameTheVersionTheyWereMadeBy(t *testing.T) {
	r := newCaseRig(t)
	r.fill("manager", madeup.Plan{Seed: 7, Vans: 12, Riders: 8, Percent: 60}.Build())
	before := r.audited("manager")
	r.settles(before)
	version, _ := r.amended(func(t *terms.Terms) { t.Farthest, t.Patience, t.Holidays = 8, 3, []string{"2026-12-25"} })
	after := r.audited("manager")
	const policies = `select distinct v->>'policy_version' from poolpatrol.audit_run r, jsonb_array_elements(r.verdicts) v
		where r.pass = $1 and v->>'check' = 'location' and (exists (select from poolpatrol.case c where c.vanpool_id = r.vanpool_id)) = $2`
	for _, tt := range []struct {
		pass string
		open bool
		want string
	}{{before, true, "location-2026-1"}, {after, true, "location-2026-1"}, {after, false, fmt.Sprint("location-2026-1/v", version)}} {
		if got := r.Texts(r.t, policies, tt.pass, tt.open); len(got) != 1 || got[0] != tt.want {
			t.Errorf("of %s, with a case %v: the verdicts go by %q, want %s", tt.pass, tt.open, got, tt.want)
		}
	}
	r.settles(after)
	for _, line := range r.Texts(r.t, `select ref || ' ' || terms_version || ' ' || rules from poolpatrol.case`) {
		var ref, n, rules string
		if _, err := fmt.Sscan(line, &ref, &n, &rules); err != nil {
			t.Fatal(err)
		}
		if want := map[string]string{"0": "case-2026-1", "1": "case-2026-1/v1"}[n]; rules != want {
			t.Errorf("%s of version %s goes by %s", ref, n, rules)
		}
		body := r.want(200, "manager", "GET", casesAddress+"/"+ref, nil).JSON
		if body["terms_version"] != float64(int(n[0]-'0')) {
			t.Errorf("%s names version %v, want %s", ref, body["terms_version"], n)
		}
	}
	if n := r.Texts(r.t, `select distinct terms_version::text from poolpatrol.case order by 1`); len(n) != 2 {
		t.Errorf("cases of the versions %q, want of both", n)
	}
}

// TestTheClockOfACaseIsThatOfItsTerms promises that days to answer, and days nobody works,
// are those of the version that a case began with.
func TestTheClockOfACaseIsThatOfItsTerms(t *testing.T) {
	s := terms.Standard()
	s.Patience, s.Return, s.Holidays = 3, 2, []string{"2026-03-16"}
	rules := s.Rules(1, time.UTC)
	at := time.Date(2026, 3, 13, 9, 0, 0, 0, time.UTC) // a Friday
	if got, want := rules.Deadline(at), at.AddDate(0, 0, 3); !got.Equal(want) {
		t.Errorf("a reply is due at %s, want %s", got, want)
	}
	away := lifecycle.Subject{Employee: "EMP-1001", Standing: lifecycle.SubjectOpen, Mail: lifecycle.Accepted, Away: true}
	c := lifecycle.Case{ID: "CASE-00000001", Vanpool: "VP-101", State: lifecycle.PendingReply, Now: at, Opened: at,
		CapAt: at.AddDate(0, 1, 0), Left: time.Hour, Subjects: []lifecycle.Subject{away}}
	c, _, err := lifecycle.Step(c, lifecycle.Event{Kind: lifecycle.CameBack, At: at, Employee: "EMP-1001"}, rules)
	// Tuesday and Wednesday: Monday is a holiday
	if want := time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC); err != nil || !c.Deadline.Equal(want) {
		t.Errorf("back on Friday, a reply is due at %s, want %s (%v)", c.Deadline, want, err)
	}
}
