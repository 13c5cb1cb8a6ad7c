package evidence_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

const theirName = "Zubeida Quiñonez-Ravn"

var rider = seal.Subject{Type: "rider", ID: "R-7"}

// erase erases with the platform's own erasers.
func (r *rig) erase(t *testing.T, s seal.Subject) seal.Erasure {
	t.Helper()
	masters, err := seal.ParseMasters(seal.NewMaster("m2"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := seal.New(seal.Config{DB: r.db.App, Blobs: r.blobs, Masters: masters, Now: time.Now, Rules: policy.Standard(),
		Erasers: []seal.Eraser{casefile.Eraser(), evidence.Eraser()}})
	if err != nil {
		t.Fatal(err)
	}
	done, err := v.Erase(t.Context(), person(postgrestest.North, identity.OrgAdmin), seal.Request{Subject: s, Ground: seal.Mistake})
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// stated is a number somebody is named in.
func stated(t *testing.T, ids map[string]string, names ...string) fact.Fact {
	t.Helper()
	f, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: "31", Subject: fact.Subject{Type: "rider", IDs: ids,
		Names: fact.Names{EN: names}},
		Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: analyst.ID}}}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (r *rig) state(t *testing.T, id casefile.CaseID, drafts ...fact.Fact) {
	t.Helper()
	if _, err := r.Record(t.Context(), analyst, id, drafts...); err != nil {
		t.Fatal(err)
	}
}

func TestErasingTakesTitlesNotesAndNamesAndNothingElse(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "van-14")
	answer, err := r.Take(t.Context(), analyst, evidence.Receipt{Source: "riders", ContentType: "text/plain",
		Subjects: []seal.Subject{rider}}, strings.NewReader("I was there"))
	if err != nil {
		t.Fatal(err)
	}
	public := r.take(t, "station,pm25\nAlipur,31\n")
	for _, p := range []evidence.Putting{
		{SHA256: public.SHA256, Title: "Readings", Note: "of the day"},
		{SHA256: answer.SHA256, Title: "Answer of " + theirName, Note: theirName + " was heard"},
	} {
		if _, _, err := r.Put(t.Context(), analyst, id, p); err != nil {
			t.Fatal(err)
		}
	}
	r.state(t, id, stated(t, map[string]string{"rider": "R-7", "measure": "trips"}, theirName),
		stated(t, map[string]string{"rider": "R-7", "measure": "nights"}, theirName),
		stated(t, map[string]string{"rider": "R-8", "measure": "trips"}, "Somebody Else"))
	if _, err := r.Derive(t.Context(), analyst, id, fact.Ratio, "F1", "F2"); err != nil {
		t.Fatal(err)
	}
	entered := r.records(t, evidence.RecordFacts)
	if finds := sealtest.Database(t, r.db.AdminURL, theirName).Finds; len(finds) != 6 { // title, note, the entry, three facts
		t.Fatalf("before the erasure it is found in %v", finds)
	}

	r.erase(t, rider)

	for _, f := range sealtest.Database(t, r.db.AdminURL, theirName).Finds {
		t.Error(f)
	}
	pieces, err := r.Pieces(t.Context(), postgrestest.North, id)
	if err != nil || pieces[0].Title != "Readings" || pieces[0].Note != "of the day" || pieces[0].ErasedAt != nil ||
		pieces[1].Title != casefile.ErasedText || pieces[1].Note != "" || pieces[1].ErasedAt == nil || pieces[1].SHA256 != answer.SHA256 {
		t.Errorf("the evidence is %+v, %v", pieces, err)
	}
	book, err := r.Book(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	if f, _ := book.Latest("F3"); !slices.Equal(f.Subject.Names.EN, []string{"Somebody Else"}) {
		t.Errorf("somebody else is now called %v", f.Subject.Names)
	}
	if f, _ := book.Latest("F1"); f.Value != "31" || f.Subject.IDs["rider"] != "R-7" || len(f.Subject.Names.EN) != 0 {
		t.Errorf("the fact is now %+v", f)
	}
	r.stillEntered(t, id, entered)
}

// stillEntered checks that the log's digests of facts can be made again from what
// is left and the digests that were kept.
func (r *rig) stillEntered(t *testing.T, id casefile.CaseID, entered []map[string]any) {
	t.Helper()
	lost, err := r.ErasedFacts(t.Context(), postgrestest.North, id)
	if err != nil || len(lost) != 3 {
		t.Fatalf("%+v lost their names, %v; want three", lost, err)
	}
	was := map[fact.Ref]string{}
	for _, e := range lost {
		was[e.Ref] = e.SHA256
	}
	var ids []audit.RecordID
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		list, _, err := audit.List(t.Context(), tx, audit.Query{Subject: string(id), Kind: evidence.RecordFacts})
		for _, one := range slices.Backward(list) {
			ids = append(ids, one.ID)
		}
		return err
	})
	if err != nil || len(ids) != len(entered) {
		t.Fatalf("%v, %v", ids, err)
	}
	for i, rec := range ids {
		facts, err := r.Entered(t.Context(), postgrestest.North, rec)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := reperform.EnteredDigest(facts, was); err != nil || got != entered[i]["sha256"] {
			t.Errorf("record %s: got %s, %v; want %v", rec, got, err, entered[i]["sha256"])
		}
		if got, _ := reperform.BatchDigest(facts); got == entered[i]["sha256"] {
			t.Errorf("record %s: the facts never had names", rec)
		}
	}
}

func TestNothingButAnErasureChangesEvidence(t *testing.T) {
	r := newRig(t)
	id := r.openCase(t, "van-14")
	snap := r.take(t, "station,pm25\nAlipur,31\n")
	if _, _, err := r.Put(t.Context(), analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: "Readings", Note: "x"}); err != nil {
		t.Fatal(err)
	}
	r.state(t, id, stated(t, map[string]string{"rider": "R-7"}, theirName))
	owner, err := pgx.Connect(t.Context(), r.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), `set gavel.org = 'north'`); err != nil {
		t.Fatal(err)
	}
	const digest = `'0000000000000000000000000000000000000000000000000000000000000000'`
	for _, sql := range []string{
		`update gavel.evidence set title = 'x'`,
		`update gavel.evidence set note = ''`,
		`update gavel.evidence set title = '', erased_at = now()`, // the note stays
		`update gavel.evidence set title = '', note = '', erased_at = now(), side = 'against'`,
		`delete from gavel.evidence`,
		`update gavel.fact set value = 32`,
		`update gavel.fact set subject = jsonb_set(subject, '{names}', '{"en":["X"]}')`,
		`update gavel.fact set subject = jsonb_set(subject, '{names}', '{}')`,
		`update gavel.fact set erased_at = now(), entered_sha256 = ` + digest,
		`update gavel.fact set subject = '{"type":"x","ids":{},"names":{}}', erased_at = now(), entered_sha256 = ` + digest,
		`update gavel.fact set subject = jsonb_set(subject, '{names}', '{}'), value = 32, erased_at = now(), entered_sha256 = ` + digest,
		`delete from gavel.fact`,
		`truncate gavel.fact`,
	} {
		if tag, err := owner.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: changed %d rows", sql, tag.RowsAffected())
		}
	}
	r.erase(t, rider)
	for _, sql := range []string{
		`update gavel.fact set erased_at = null, entered_sha256 = null`,
		`update gavel.fact set entered_sha256 = ` + digest,
		`update gavel.fact set subject = jsonb_set(subject, '{names}', '{"en":["X"]}'), erased_at = null, entered_sha256 = null`,
	} {
		if tag, err := owner.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: changed %d rows after an erasure", sql, tag.RowsAffected())
		}
	}
}
