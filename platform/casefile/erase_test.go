package casefile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

var rider = seal.Subject{Type: "rider", ID: "R-7"}

// A desk is cases and a vault that erases in them.
type desk struct {
	*casefile.Store
	db    *postgrestest.Database
	vault *seal.Vault
}

func newDesk(t *testing.T) desk {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations())
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: db.App, Masters: masters, Now: time.Now, Rules: policy.Standard(),
		Erasers: []seal.Eraser{casefile.Eraser()}})
	if err != nil {
		t.Fatal(err)
	}
	return desk{casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()}), db, vault}
}

func (d desk) erase(t *testing.T, s seal.Subject) (seal.Erasure, error) {
	t.Helper()
	return d.vault.Erase(t.Context(), person(postgrestest.North, identity.OrgAdmin), seal.Request{Subject: s, Ground: seal.OnRequest})
}

func (d desk) mustErase(t *testing.T, s seal.Subject) seal.Erasure {
	t.Helper()
	done, err := d.erase(t, s)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// texts are a case's entries, oldest first, as readers see them.
func (d desk) texts(t *testing.T, id casefile.CaseID) []string {
	t.Helper()
	entries, err := d.Entries(t.Context(), postgrestest.North, id, casefile.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(entries))
	for i, e := range entries {
		out[len(entries)-1-i] = e.ActorName + ": " + e.Text
		if (e.ErasedAt != nil) != (e.Text == casefile.ErasedText) || (e.ErasedAt != nil) != (len(e.Salt) == 0) {
			t.Errorf("entry %d is half erased: %+v", e.Seq, e)
		}
	}
	return out
}

func (d desk) note(t *testing.T, id casefile.CaseID, text string, about ...seal.Subject) {
	t.Helper()
	if err := d.Note(t.Context(), officer, id, "", text, about...); err != nil {
		t.Fatal(err)
	}
}

// parts are what the records about a case say was erased.
func (d desk) parts(t *testing.T, id casefile.CaseID) []string {
	t.Helper()
	rows, _ := d.db.System.Query(t.Context(), `select json::json #>> '{body,what}' || ' ' || (json::json #>> '{body,listed}')
		from gavel.record
		where kind = 'erasure' and subject = $1 order by 1`, id)
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestErasingBlanksTheEntriesThatNameSomebodyAndNoOthers(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.note(t, c.ID, "the van was late")
	d.note(t, c.ID, "R. says it was full", rider)
	d.note(t, c.ID, "R. and S. quarrelled", seal.Subject{Type: "rider", ID: "R-8"}, rider)
	d.note(t, c.ID, "S. says nothing", seal.Subject{Type: "rider", ID: "R-8"})
	d.mustErase(t, rider)
	want := []string{"Test officer: Look into van-14", "Test officer: the van was late", "p:officer: [erased]", "p:officer: [erased]",
		"Test officer: S. says nothing"}
	if got := d.texts(t, c.ID); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := d.parts(t, c.ID), []string{`entries ["3-4"]`}; !slices.Equal(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
	if got, err := d.Get(t.Context(), postgrestest.North, c.ID); err != nil || got.Title != "Look into van-14" || got.ErasedAt != nil {
		t.Errorf("the case: %+v, %v", got, err)
	}
}

func TestErasingWhomACaseIsAboutBlanksAllOfIt(t *testing.T) {
	d := newDesk(t)
	o := opening("van-14")
	o.Subjects = []seal.Subject{rider}
	c := mustOpen(t, d.Store, o)
	d.note(t, c.ID, "the van was late")
	other := mustOpen(t, d.Store, opening("van-15"))
	d.close(t, c.ID)
	done := d.mustErase(t, rider)
	if got := d.texts(t, c.ID); slices.ContainsFunc(got, func(s string) bool { return !strings.HasSuffix(s, ": "+casefile.ErasedText) }) {
		t.Errorf("left is %q", got)
	}
	got, err := d.Get(t.Context(), postgrestest.North, c.ID)
	if err != nil || got.Title != casefile.ErasedText || got.ErasedAt == nil || !got.ErasedAt.Equal(done.At) ||
		got.State != casefile.Closed {
		t.Errorf("the case: %+v, %v", got, err)
	}
	if got, want := d.parts(t, c.ID), []string{`entries ["1-3"]`, `title ["title"]`}; !slices.Equal(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
	if got := d.texts(t, other.ID); got[0] != "Test officer: Look into van-15" {
		t.Errorf("another case: %q", got)
	}
	again := d.mustErase(t, rider)
	if again.Record != done.Record || len(d.parts(t, c.ID)) != 2 {
		t.Errorf("doing it again made another erasure: %+v", again)
	}
}

// close closes a case as its workflow does.
func (d desk) close(t *testing.T, id casefile.CaseID) {
	t.Helper()
	err := d.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, _, err := casefile.Apply(t.Context(), tx, id, casefile.Change{Key: "closed", State: casefile.Closed, Status: "done",
			Entry: casefile.Entry{Kind: "closed", At: time.Now(), ActorKind: identity.System, ActorID: "gavel", ActorName: "Gavel",
				Text: "done"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatTurnsOutLaterIsErasedTheSecondTime(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.note(t, c.ID, "R. says it was full")
	first := d.mustErase(t, rider)
	if err := d.NameSubjects(t.Context(), officer, c.ID, 2, rider); err != nil {
		t.Fatal(err)
	}
	second := d.mustErase(t, rider)
	if second.Record == first.Record || !slices.Equal(d.parts(t, c.ID), []string{`entries ["2"]`}) {
		t.Errorf("got %+v after %+v; the log says %q", second, first, d.parts(t, c.ID))
	}
}

func TestErasingStaffTakesTheirNameAndLeavesTheirWork(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.note(t, c.ID, "the van was late")
	before, err := d.Entries(t.Context(), postgrestest.North, c.ID, casefile.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	d.mustErase(t, seal.Subject{Type: casefile.Staff, ID: officer.ID})
	after, err := d.Entries(t.Context(), postgrestest.North, c.ID, casefile.EntryQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range after {
		if e.ActorName != officer.ID || e.Text != before[i].Text || e.Digest(c.ID) != before[i].Digest(c.ID) || e.ErasedAt != nil {
			t.Errorf("got %+v, was %+v; want the name gone and the digest the same", e, before[i])
		}
	}
	if n := count(t, d.db, `select count(*) from gavel.case_entry where actor_name like '%officer%'`); n != 0 {
		t.Errorf("the name is left in %d entries", n)
	}
}

func TestAHoldOnACaseKeepsItsWords(t *testing.T) {
	d := newDesk(t)
	admin := person(postgrestest.North, identity.OrgAdmin)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.note(t, c.ID, "R. says it was full", rider)
	held, err := d.vault.Hold(t.Context(), admin, seal.Target{Case: string(c.ID)}, "suit of R.", time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	preview, holds, err := d.vault.Preview(t.Context(), admin, rider)
	if err != nil || len(holds) != 1 || len(preview.Rows) != 2 || preview.Rows[1].Rows != 1 {
		t.Errorf("the preview: %+v, %+v, %v", preview, holds, err)
	}
	if _, err := d.erase(t, rider); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want it refused", err)
	}
	if got := d.texts(t, c.ID)[1]; got != "Test officer: R. says it was full" {
		t.Errorf("after the refusal the note is %q", got)
	}
	if err := d.vault.Release(t.Context(), admin, held.ID, "R. settled"); err != nil {
		t.Fatal(err)
	}
	d.mustErase(t, rider)
	if n := count(t, d.db, `select count(*) from gavel.legal_hold where reason <> '' or release_note <> ''`); n != 0 {
		t.Error("the reason of the case's hold is left")
	}
}

// TestNothingButAnErasureChangesAnEntry tries as the owner of the tables, who has
// every grant.
func TestNothingButAnErasureChangesAnEntry(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.note(t, c.ID, "R. says it was full", rider)
	d.note(t, c.ID, "the van was late")
	d.mustErase(t, rider)
	owner, err := pgx.Connect(t.Context(), d.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	if _, err := owner.Exec(t.Context(), `set gavel.org = 'north'`); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		`update gavel.case_entry set body = 'x' where seq = 3`,
		`update gavel.case_entry set body = '' where seq = 3`,
		`update gavel.case_entry set salt = null where seq = 3`,
		`update gavel.case_entry set salt = decode(repeat('00', 16), 'hex') where seq = 3`,
		`update gavel.case_entry set actor_name = 'Somebody' where seq = 3`,
		`update gavel.case_entry set actor_id = 'p:x' where seq = 3`,
		`update gavel.case_entry set at = now() where seq = 3`,
		`update gavel.case_entry set erased_at = now() where seq = 3`,
		`update gavel.case_entry set body = '', salt = null, actor_name = '', erased_at = now(), kind = 'x_x' where seq = 3`,
		`update gavel.case_entry set erased_at = now() where seq = 2`,
		`update gavel.case_entry set erased_at = null where seq = 2`,
		`update gavel.case_entry set body = 'x', salt = decode(repeat('00', 16), 'hex'), erased_at = null where seq = 2`,
		`delete from gavel.case_entry where seq = 3`,
		`update gavel.case set title = 'x'`,
		`update gavel.case set title = ''`,
		`update gavel.case set erased_at = now()`,
		`update gavel.case set title = 'x', erased_at = now()`,
	} {
		if tag, err := owner.Exec(t.Context(), sql); err == nil {
			t.Errorf("%s: changed %d rows", sql, tag.RowsAffected())
		}
	}
	if got := d.texts(t, c.ID)[2]; got != "Test officer: the van was late" {
		t.Errorf("the note is now %q", got)
	}
}

func TestAClosedCaseCanBeErasedAndNotOtherwiseChanged(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	d.close(t, c.ID)
	owner, err := pgx.Connect(t.Context(), d.db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	for sql, want := range map[string]bool{
		`update gavel.case set title = '', erased_at = now(), status = 'x'`:      false,
		`update gavel.case set title = '', erased_at = now(), waiting_for = 'x'`: false,
		`update gavel.case set waiting_for = 'x'`:                                false,
		`update gavel.case set state = 'open', closed_at = null`:                 false,
		`update gavel.case set title = '', erased_at = now()`:                    true,
	} {
		tx, err := owner.Begin(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = tx.Exec(t.Context(), `set local gavel.org = 'north'`)
		tag, err := tx.Exec(t.Context(), sql)
		if got := err == nil && tag.RowsAffected() == 1; got != want {
			t.Errorf("%s: allowed %v, want %v (%v)", sql, got, want, err)
		}
		_ = tx.Rollback(t.Context())
	}
}

func TestWhoIsNamedIsCheckedAndOnRecord(t *testing.T) {
	d := newDesk(t)
	c := mustOpen(t, d.Store, opening("van-14"))
	auditor := person(postgrestest.North, identity.Auditor)
	many := make([]seal.Subject, 33)
	for i := range many {
		many[i] = rider
	}
	for _, tt := range []struct {
		name string
		by   identity.Actor
		seq  int64
		who  []seal.Subject
		want fault.Kind
	}{
		{"nobody", officer, 0, nil, fault.Invalid},
		{"a name", officer, 0, []seal.Subject{{Type: "rider", ID: "Zubeida Q"}}, fault.Invalid},
		{"a crowd", officer, 0, many, fault.TooLarge},
		{"an entry that is not there", officer, 2, []seal.Subject{rider}, fault.NotFound},
		{"by an auditor", auditor, 0, []seal.Subject{rider}, fault.Refused},
		{"by nobody", identity.Actor{}, 0, []seal.Subject{rider}, fault.SignIn},
		{"of another organisation", person(postgrestest.South, identity.Officer), 0, []seal.Subject{rider}, fault.NotFound},
	} {
		if err := d.NameSubjects(t.Context(), tt.by, c.ID, tt.seq, tt.who...); fault.KindOf(err) != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
	if err := d.NameSubjects(t.Context(), person(postgrestest.North, identity.OrgAdmin), c.ID, 0, rider, rider); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Subjects(t.Context(), postgrestest.North, c.ID); err != nil || !slices.Equal(got, []seal.Subject{rider}) {
		t.Errorf("got %v, %v", got, err)
	}
	if n := count(t, d.db, `select count(*) from gavel.record where kind = 'case_subject'`); n != 1 {
		t.Errorf("%d records say so, want one", n)
	}
}
