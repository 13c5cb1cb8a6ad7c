package filing

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestADraftIsMadeAgainOfWhatItWasMadeOf promises that the report of an earlier answer
// comes out the same to the byte after newer data were answered: it names the data that
// it rests on, and no others. An agent may word a draft while that happens.
func TestADraftIsMadeAgainOfWhatItWasMadeOf(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	at := o.store.Now()
	if _, err := (&Steps{o.Clerk}).Advance(t.Context(), in, at); err != nil {
		t.Fatal(err)
	}
	later := laketest.Surge(t)
	later.Time = later.Time.Add(time.Hour)
	for i := range later.Air {
		later.Air[i].Time = later.Air[i].Time.Add(time.Hour)
	}
	o.look(t, later)
	m, err := o.gather(t.Context(), in, at)
	if err != nil {
		t.Fatal(err)
	}
	on, err := o.store.BasisAt(t.Context(), in.Org, m.episode.Key, m.draft.Answer)
	if err != nil || m.episode.Answers != 2 || on.Data == m.episode.Data || m.draft.Answer != 1 {
		t.Fatalf("%v: draft %+v of %d answers rests on %+v", err, m.draft, m.episode.Answers, on)
	}
	r, _, err := m.build(t.Context(), on, m.draft.MadeAt.Unix())
	if err != nil {
		t.Fatal(err)
	}
	body, err := r.JSON()
	if err != nil || blob.Sum(body).String() != m.draft.JSON {
		t.Errorf("%v: the report of the first answer is another one now", err)
	}
}

// TestACaseOfAnEpisodeIsDraftedAndPutBeforePeopleOnce promises a case by the report's
// number, its evidence and facts, a draft whose every byte is kept, and one question to
// people, however often the case is looked at.
func TestACaseOfAnEpisodeIsDraftedAndPutBeforePeopleOnce(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	steps := &Steps{o.Clerk}
	for range 3 {
		now, err := steps.Advance(t.Context(), in, time.Now())
		if err != nil || now.Ended || now.Ask != "" {
			t.Fatalf("got %+v, %v", now, err)
		}
	}
	if got := o.Texts(t, `select concat_ws(' ', n, report_id = (select ref from gavel.case where id = case_id), verdict, first_state,
		worded_by) from airshed.report`); !slices.Equal(got, []string{"1 t conclusive Punjab "}) {
		t.Errorf("drafts: %v", got)
	}
	if stuck := o.Texts(t, `select body from gavel.case_entry where kind = 'stuck'`); len(stuck) > 0 {
		t.Errorf("the case cannot go on: %v", stuck)
	}
	if got := o.Texts(t, `select concat_ws(' ', tool, state, required, undo) from gavel.proposal`); !slices.Equal(got,
		[]string{"send_caqm_report_tool open 2 00:05:00"}) {
		t.Errorf("proposals: %v", got)
	}
	if got := o.Texts(t, `select title from gavel.evidence order by number`); len(got) != 3 || !strings.HasPrefix(got[0], "Data of") ||
		!strings.HasPrefix(got[1], "Analysis") || !strings.HasPrefix(got[2], "Report CAQM-") {
		t.Errorf("evidence: %v", got)
	}
	ref := o.Texts(t, `select ref from gavel.case where app = 'airshed'`)[0]
	r, body, err := o.store.ReportFile(t.Context(), airshedtest.Person(identity.Officer), ref, 0, "")
	var filed report.Report
	if err != nil || json.Unmarshal(body, &filed) != nil || filed.ID != ref || filed.Status != report.Final ||
		filed.Channel != report.Mock || r.Status != "draft" {
		t.Fatalf("the report: %+v, %v", r, err)
	}
	kept, err := o.store.Kept().Book(t.Context(), postgrestest.North, in.Case)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filed.Facts {
		if there, ok := kept.Latest(f.ID); !ok || there.Value != f.Value || there.Key != f.Key {
			t.Errorf("fact %s (%s) of the report is not the case's", f.ID, f.Name)
		}
	}
	for _, lang := range report.Langs() {
		if _, page, err := o.store.ReportFile(t.Context(), airshedtest.Person(identity.Officer), ref, 0, lang); err != nil ||
			!strings.Contains(string(page), ref) {
			t.Errorf("the page in %s: %v", lang, err)
		}
	}
}

// TestNobodyHasAReportMadeAgainWithoutBeingAnAnalyst promises that making and deciding
// stay apart, that what is asked for again gets a new attempt, and that the old question
// is taken back.
func TestNobodyHasAReportMadeAgainWithoutBeingAnAnalyst(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	steps := &Steps{o.Clerk}
	if _, err := steps.Advance(t.Context(), in, time.Now()); err != nil {
		t.Fatal(err)
	}
	ref := o.Texts(t, `select ref from gavel.case where app = 'airshed'`)[0]
	for _, role := range []identity.Role{identity.Officer, identity.Auditor, identity.Operator, identity.OrgAdmin} {
		if _, err := o.AskAgain(t.Context(), airshedtest.Person(role), ref, true); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v", role, err)
		}
	}
	if _, err := o.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), ref, true); err != nil {
		t.Fatal(err)
	}
	if _, err := steps.Advance(t.Context(), in, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := o.Texts(t, `select state || ' ' || (args::jsonb->>'attempt') from gavel.proposal order by n`); !slices.Equal(got,
		[]string{"superseded 1", "open 2"}) {
		t.Errorf("proposals: %v", got)
	}
	digests := o.Texts(t, `select json from airshed.report order by n`)
	if len(digests) != 2 {
		t.Fatalf("drafts: %v", digests)
	}
	for draft, want := range map[int]string{0: digests[1], 1: digests[0], 2: digests[1]} { // each can be read, not the newest alone
		if _, body, err := o.store.ReportFile(t.Context(), airshedtest.Person(identity.Officer), ref, draft, ""); err != nil ||
			blob.Sum(body).String() != want {
			t.Errorf("draft %d: %v", draft, err)
		}
	}
	if _, _, err := o.store.ReportFile(t.Context(), airshedtest.Person(identity.Officer), ref, 3, ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("draft 3: got %v", err)
	}
}

// TestTheDataOfACaseAreShownToItsAgentAlone promises the first design's tool on the bytes
// the case rests on, and a refusal of any other bucket.
func TestTheDataOfACaseAreShownToItsAgentAlone(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	env := tool.Env{Org: in.Org, Case: string(in.Case)}
	got, err := o.readCorrelated(t.Context(), env, readArgs{Bucket: keptBucket})
	if err != nil || len(got.Air) == 0 || len(got.Fires) == 0 || len(got.Fires) > mostFires || got.Stubble == nil ||
		got.All < len(got.Fires) {
		t.Errorf("got %d rows of air, %d fires, %v, %v", len(got.Air), len(got.Fires), got.Stubble, err)
	}
	if _, err := o.readCorrelated(t.Context(), env, readArgs{Bucket: "somebody-elses"}); !fault.Is(err, fault.Refused) {
		t.Errorf("another bucket: %v", err)
	}
}
