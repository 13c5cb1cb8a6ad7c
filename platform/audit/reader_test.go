package audit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func (r *rig) reader() *audit.Reader {
	return audit.NewReader(audit.ReaderConfig{DB: r.db.App, System: r.db.System})
}

// TestAPageGoesOnPastADamagedRecord promises that one record which cannot be
// read hides no other, and that List, from which bundles are made, still refuses.
func TestAPageGoesOnPastADamagedRecord(t *testing.T) {
	r := newRig(t)
	ids := r.append(t, record(1), record(2), record(3))
	r.admin(t, `update gavel.record set json = replace(json, '"kind"', '"kind" ') where id = '`+string(ids[1])+`'`)
	page, err := r.reader().Page(t.Context(), postgrestest.North, audit.Query{})
	if err != nil || len(page.Entries) != 3 {
		t.Fatalf("got %d records, %v; want 3", len(page.Entries), err)
	}
	for _, e := range page.Entries {
		if damaged := e.ID == ids[1]; damaged != (e.Damage != nil) || damaged != (e.Record.Subject == "") {
			t.Errorf("%s: damage %v, about %q", e.ID, e.Damage, e.Record.Subject)
		}
		if e.Damage != nil && (!strings.Contains(e.Damage.Text, string(ids[1])) || e.JSON == "") {
			t.Errorf("%v does not name the record, or its text is gone", e.Damage)
		}
	}
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, _, err := audit.List(t.Context(), tx, audit.Query{})
		return err
	})
	if !fault.Is(err, fault.Internal) {
		t.Errorf("List answered %v, want damage", err)
	}
}

// TestWhatWaitsIsCountedTruly promises the number of an organisation's own
// records that wait, however many.
func TestWhatWaitsIsCountedTruly(t *testing.T) {
	r := newRig(t)
	first := record(0)
	first.At = time.Now().Add(-time.Hour)
	r.append(t, first)
	r.fill(t, 449)
	south := record(1)
	south.Actor = officer(postgrestest.South)
	r.append(t, south)
	r.admin(t, `insert into gavel_sys.log_queue (org, record_id) values ('north', 'rec_of_nobody')`)
	for org, want := range map[identity.Org]int{postgrestest.North: 450, postgrestest.South: 1} {
		s, err := r.reader().State(t.Context(), org)
		if err != nil || s.Waiting != want || s.More {
			t.Errorf("%s: got %d (more %v), %v; want %d", org, s.Waiting, s.More, err, want)
		}
		if org == postgrestest.North && s.Since.Sub(first.At).Abs() > time.Millisecond {
			t.Errorf("the oldest waits since %s, want %s", s.Since, first.At)
		}
	}
	r.admin(t, `delete from gavel_sys.log_queue where record_id = 'rec_of_nobody'`)
	r.drain(t)
	s, err := r.reader().State(t.Context(), postgrestest.North)
	if err != nil || s.Waiting != 0 || !s.Since.IsZero() || s.Checkpoint.Tree.N != 452 || s.Key != r.public {
		t.Errorf("taken in: got %+v, %v", s, err)
	}
}

func TestADamagedCheckpointIsSaidAndHidesNothing(t *testing.T) {
	r := newRig(t)
	r.append(t, record(1))
	r.drain(t)
	r.admin(t, `update gavel_sys.log_checkpoint set note = 'gone'`)
	s, err := r.reader().State(t.Context(), postgrestest.North)
	if err != nil || s.Damage == nil || s.Key != r.public {
		t.Errorf("got %+v, %v; want the damage and the key", s, err)
	}
}

func TestEarlierKeysAreListedNewestFirst(t *testing.T) {
	r := newRig(t)
	want := []audit.Verifier{r.public}
	r.append(t, record(1))
	r.drain(t)
	for range 2 {
		drain(t, r.rotate(t, true))
		want = slices.Insert(want, 0, r.public)
	}
	if got, err := r.reader().Keys(t.Context()); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// TestAFilingIsFoundBeforeItsDrafts promises that a paper which left as a draft, however
// often, is known as filed once it was, and that keeping a file on record once is enough.
func TestAFilingIsFoundBeforeItsDrafts(t *testing.T) {
	r := newRig(t)
	reader, sum := r.reader(), blob.Sum([]byte("{}"))
	at := time.Now()
	for i := range 25 {
		if _, err := reader.NoteExport(t.Context(), officer(postgrestest.North), at.Add(time.Duration(i)*time.Second),
			audit.Departure{File: audit.Drafted, Name: "R-1", Subject: "case_1", SHA256: sum}); err != nil {
			t.Fatal(err)
		}
	}
	if _, d, err := reader.FindExport(t.Context(), sum); err != nil || d.File != audit.Drafted || d.Name != "R-1" {
		t.Errorf("got %+v, %v", d, err)
	}
	for _, org := range []identity.Org{postgrestest.North, postgrestest.North, postgrestest.South} {
		err := r.db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
			return audit.NoteExportOnce(t.Context(), tx, officer(org), at.Add(time.Hour), audit.Departure{File: audit.Filed, Name: "R-1",
				Subject: "case_1", SHA256: sum})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, d, err := reader.FindExport(t.Context(), sum); err != nil || d.File != audit.Filed {
		t.Errorf("filed: got %+v, %v", d, err)
	}
	for org, want := range map[identity.Org]int{postgrestest.North: 26, postgrestest.South: 1} { // each has its own
		list, err := reader.Page(t.Context(), org, audit.Query{Kind: audit.Export, Limit: 100})
		if err != nil || len(list.Entries) != want {
			t.Errorf("%s has %d on record, %v; want %d", org, len(list.Entries), err, want)
		}
	}
}

// TestAFileThatLeftIsFoundByItsBytes promises that whoever has a file learns
// whether exactly that file left, and nobody finds one they do not have.
func TestAFileThatLeftIsFoundByItsBytes(t *testing.T) {
	r := newRig(t)
	reader := r.reader()
	csv, bundle, id := blob.Sum([]byte("a,b\n")), blob.Sum([]byte("PK")), blob.Sum([]byte("rpt_1"))
	at := time.Now()
	note := func(org identity.Org, d audit.Departure) audit.RecordID {
		t.Helper()
		rec, err := reader.NoteExport(t.Context(), officer(org), at, d)
		if err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
		return rec
	}
	first := note(postgrestest.South, audit.Departure{File: "records", Subject: "log", SHA256: csv, Size: 4, Rows: 1})
	note(postgrestest.North, audit.Departure{File: "records", Subject: "log", SHA256: csv, Size: 4, Rows: 1})
	reported := note(postgrestest.North, audit.Departure{File: "report", Subject: "case_1", SHA256: blob.Sum([]byte("<p>")), Size: 3,
		Report: id, Numbers: blob.Sum([]byte("[]"))})
	old := record(1)
	old.Kind, old.Body = audit.Export, map[string]any{"bundle": bundle, "size": 2, "files": 1, "sealed": 0}
	whole := r.append(t, old)[0]

	e, d, err := reader.FindExport(t.Context(), csv)
	if err != nil || e.ID != first || e.Record.Actor.Org != postgrestest.South || d.File != "records" || d.Rows != 1 || d.Size != 4 {
		t.Errorf("got %s %+v, %v; want the first departure, %s", e.ID, d, err, first)
	}
	if e, d, err := reader.FindExport(t.Context(), bundle); err != nil || e.ID != whole || d.File != "bundle" {
		t.Errorf("a bundle: got %s %+v, %v", e.ID, d, err)
	}
	if e, d, err := reader.FindReport(t.Context(), id); err != nil || e.ID != reported || d.Numbers != blob.Sum([]byte("[]")) {
		t.Errorf("a report: got %s %+v, %v", e.ID, d, err)
	}
	for _, sum := range []blob.Digest{id, blob.Sum([]byte("[]")), blob.Sum([]byte("never"))} {
		if _, _, err := reader.FindExport(t.Context(), sum); !fault.Is(err, fault.NotFound) {
			t.Errorf("%s is no file that left: got %v", sum, err)
		}
	}
	r.admin(t, `update gavel.record set json = replace(json, '"rows"', '"rows" ') where id = '`+string(first)+`'`)
	if e, _, err := reader.FindExport(t.Context(), csv); err != nil || e.ID == first {
		t.Errorf("with the first record damaged: got %s, %v; want the other", e.ID, err)
	}
	r.admin(t, `update gavel.record set json = replace(json, '"rows"', '"rows" ') where kind = 'export'`)
	if _, _, err := reader.FindExport(t.Context(), csv); !fault.Is(err, fault.Internal) {
		t.Errorf("with every record of it damaged: got %v, want damage", err)
	}
}

// TestFindingAFileReadsAnIndex promises that the public page costs the same at a
// billion records: the expressions are the indexes'.
func TestFindingAFileReadsAnIndex(t *testing.T) {
	r := newRig(t)
	for index, where := range map[string]string{"record_left": audit.LeftAs, "record_report": audit.LeftReport} {
		err := r.db.System.InTx(t.Context(), func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `set local enable_seqscan = off`); err != nil {
				return err
			}
			rows, _ := tx.Query(t.Context(), `explain select r.id from gavel.record r`+strings.Replace(where, "$1", "'x'", 1))
			plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if !strings.Contains(strings.Join(plan, "\n"), index) {
				t.Errorf("%s is not used:\n%s", index, strings.Join(plan, "\n"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestADepartureWithoutADigestIsRefused(t *testing.T) {
	r := newRig(t)
	for _, d := range []audit.Departure{
		{File: "records", Subject: "log"},
		{SHA256: blob.Sum(nil), Subject: "log"},
		{File: "bundle", SHA256: blob.Sum(nil), Subject: "log"},
		{File: "records", SHA256: blob.Sum(nil)},
	} {
		if _, err := r.reader().NoteExport(t.Context(), officer(postgrestest.North), time.Now(), d); err == nil {
			t.Errorf("%+v went on record", d)
		}
	}
}
