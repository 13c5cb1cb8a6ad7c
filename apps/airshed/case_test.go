package airshed

import (
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// An office is a rig whose cases can ask people.
type office struct{ rig }

func newOffice(t *testing.T) office {
	t.Helper()
	return officeOn(t, newRig(t))
}

// officeOn lets the cases of a rig ask people.
func officeOn(t *testing.T, r rig) office {
	t.Helper()
	o := office{r}
	a := o.app
	tools, err := tool.NewRegistry(a.readTool(), a.sendTool(), a.noticeTool())
	if err != nil {
		t.Fatal(err)
	}
	acts := act.NewStore(o.db.App, a.store.clock)
	if a.reviews, err = review.New(review.Config{DB: o.db.App, Clock: a.store.clock, Rules: a.store.rules, Acts: acts, Kinds: []review.Kind{agent.CallKind(tools)}}); err != nil {
		t.Fatal(err)
	}
	a.calls = agent.NewCalls(agent.CallsConfig{DB: o.db.App, Clock: a.store.clock, Cases: a.cases, Acts: acts, Reviews: a.reviews, Tools: tools, Rules: a.store.rules, Logger: slog.New(slog.DiscardHandler)})
	return o
}

// texts reads texts from the database.
func (o office) texts(t *testing.T, query string, args ...any) (all []string) {
	t.Helper()
	err := o.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(t.Context(), query, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// surge has a surge found, and returns its case.
func (o office) surge(t *testing.T) casefile.Input {
	t.Helper()
	o.look(t, laketest.Surge(t))
	return casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(o.texts(t, `select id from airshed.case`)[0])}
}

// look has an object looked at that tells of one surge.
func (o office) look(t *testing.T, object *lake.Object) {
	t.Helper()
	body := laketest.File(t, object)
	scan, _, err := o.store.StartScan(t.Context(), person(identity.Analyst), ScanRequest{Kind: Handed, Key: blob.Sum(body).String()[:16], File: body, Name: "november.json"})
	if err != nil {
		t.Fatal(err)
	}
	steps, in := &Steps{o.app}, ScanInput{Org: postgrestest.North, Scan: scan.ID}
	keys, err := steps.Look(t.Context(), in)
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if err := steps.Answer(t.Context(), in, keys[0]); err != nil {
		t.Fatal(err)
	}
}

// TestADraftIsMadeAgainOfWhatItWasMadeOf promises that the report of an earlier answer
// comes out the same to the byte after newer data were answered: it names the data that
// it rests on, and no others. An agent may word a draft while that happens.
func TestADraftIsMadeAgainOfWhatItWasMadeOf(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	at := o.store.clock.Now()
	if _, err := (&Steps{o.app}).Advance(t.Context(), in, at); err != nil {
		t.Fatal(err)
	}
	later := laketest.Surge(t)
	later.Time = later.Time.Add(time.Hour)
	for i := range later.Air {
		later.Air[i].Time = later.Air[i].Time.Add(time.Hour)
	}
	o.look(t, later)
	m, err := o.app.gather(t.Context(), in, at)
	if err != nil {
		t.Fatal(err)
	}
	on, err := o.store.basisAt(t.Context(), in.Org, m.episode.Key, m.draft.Answer)
	if err != nil || m.episode.Answers != 2 || on.data == m.episode.Data || m.draft.Answer != 1 {
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
	steps := &Steps{o.app}
	for range 3 {
		now, err := steps.Advance(t.Context(), in, time.Now())
		if err != nil || now.Ended || now.Ask != "" {
			t.Fatalf("got %+v, %v", now, err)
		}
	}
	if got := o.texts(t, `select concat_ws(' ', n, report_id = (select ref from gavel.case where id = case_id), verdict, first_state, worded_by) from airshed.report`); !slices.Equal(got, []string{"1 t conclusive Punjab "}) {
		t.Errorf("drafts: %v", got)
	}
	if stuck := o.texts(t, `select body from gavel.case_entry where kind = 'stuck'`); len(stuck) > 0 {
		t.Errorf("the case cannot go on: %v", stuck)
	}
	if got := o.texts(t, `select concat_ws(' ', tool, state, required, undo) from gavel.proposal`); !slices.Equal(got, []string{"send_caqm_report_tool open 2 00:05:00"}) {
		t.Errorf("proposals: %v", got)
	}
	if got := o.texts(t, `select title from gavel.evidence order by number`); len(got) != 3 || !strings.HasPrefix(got[0], "Data of") || !strings.HasPrefix(got[1], "Analysis") || !strings.HasPrefix(got[2], "Report CAQM-") {
		t.Errorf("evidence: %v", got)
	}
	ref := o.texts(t, `select ref from gavel.case where app = 'airshed'`)[0]
	r, body, err := o.store.ReportFile(t.Context(), person(identity.Officer), ref, 0, "")
	var filed report.Report
	if err != nil || json.Unmarshal(body, &filed) != nil || filed.ID != ref || filed.Status != report.Final || filed.Channel != report.Mock || r.Status != "draft" {
		t.Fatalf("the report: %+v, %v", r, err)
	}
	kept, err := o.store.kept.Book(t.Context(), postgrestest.North, in.Case)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range filed.Facts {
		if there, ok := kept.Latest(f.ID); !ok || there.Value != f.Value || there.Key != f.Key {
			t.Errorf("fact %s (%s) of the report is not the case's", f.ID, f.Name)
		}
	}
	for _, lang := range report.Langs() {
		if _, page, err := o.store.ReportFile(t.Context(), person(identity.Officer), ref, 0, lang); err != nil || !strings.Contains(string(page), ref) {
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
	steps := &Steps{o.app}
	if _, err := steps.Advance(t.Context(), in, time.Now()); err != nil {
		t.Fatal(err)
	}
	ref := o.texts(t, `select ref from gavel.case where app = 'airshed'`)[0]
	for _, role := range []identity.Role{identity.Officer, identity.Auditor, identity.Operator, identity.OrgAdmin} {
		if _, err := o.store.AskAgain(t.Context(), person(role), ref, true); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v", role, err)
		}
	}
	if _, err := o.store.AskAgain(t.Context(), person(identity.Analyst), ref, true); err != nil {
		t.Fatal(err)
	}
	if _, err := steps.Advance(t.Context(), in, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := o.texts(t, `select state || ' ' || (args::jsonb->>'attempt') from gavel.proposal order by n`); !slices.Equal(got, []string{"superseded 1", "open 2"}) {
		t.Errorf("proposals: %v", got)
	}
	digests := o.texts(t, `select json from airshed.report order by n`)
	if len(digests) != 2 {
		t.Fatalf("drafts: %v", digests)
	}
	for draft, want := range map[int]string{0: digests[1], 1: digests[0], 2: digests[1]} { // each can be read, not the newest alone
		if _, body, err := o.store.ReportFile(t.Context(), person(identity.Officer), ref, draft, ""); err != nil || blob.Sum(body).String() != want {
			t.Errorf("draft %d: %v", draft, err)
		}
	}
	if _, _, err := o.store.ReportFile(t.Context(), person(identity.Officer), ref, 3, ""); !fault.Is(err, fault.NotFound) {
		t.Errorf("draft 3: got %v", err)
	}
}

// TestTheDataOfACaseAreShownToItsAgentAlone promises the first design's tool on the bytes
// the case rests on, and a refusal of any other bucket.
func TestTheDataOfACaseAreShownToItsAgentAlone(t *testing.T) {
	o := newOffice(t)
	in := o.surge(t)
	env := tool.Env{Org: in.Org, Case: string(in.Case)}
	got, err := o.app.readCorrelated(t.Context(), env, readArgs{Bucket: keptBucket})
	if err != nil || len(got.Air) == 0 || len(got.Fires) == 0 || len(got.Fires) > mostFires || got.Stubble == nil || got.All < len(got.Fires) {
		t.Errorf("got %d rows of air, %d fires, %v, %v", len(got.Air), len(got.Fires), got.Stubble, err)
	}
	if _, err := o.app.readCorrelated(t.Context(), env, readArgs{Bucket: "somebody-elses"}); !fault.Is(err, fault.Refused) {
		t.Errorf("another bucket: %v", err)
	}
}
