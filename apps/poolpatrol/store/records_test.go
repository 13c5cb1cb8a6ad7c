package store

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/timetable"
)

// sets are all that the records stand on.
func sets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), log.Migrations(), casefile.Migrations(), job.Migrations(), timetable.Migrations(),
		setting.Migrations(), seal.Migrations(), Migrations()}
}

// An office is the records of two organisations, and who may change them.
type office struct {
	*Store
	db    *postgrestest.Database
	rules *policy.Rules
}

var recordRules = sync.OnceValues(func() (*policy.Rules, error) {
	return policy.Load(nil, map[string]policy.Source{programme.Name: {Acts: programme.Acts(), Files: os.DirFS("../policies")}})
})

func newOffice(t testing.TB) office {
	t.Helper()
	db := postgrestest.New(t, sets()...)
	rules, err := recordRules()
	if err != nil {
		t.Fatal(err)
	}
	return office{New(Config{DB: db.App, Clock: durable.Clock{}, Rules: rules}), db, rules}
}

// in runs something in a transaction of North.
func (o office) in(t testing.TB, fn func(pgx.Tx) error) {
	t.Helper()
	if err := o.db.App.InOrg(t.Context(), postgrestest.North, fn); err != nil {
		t.Fatal(err)
	}
}

func (o office) records(t testing.TB) (r fleet.Records) {
	t.Helper()
	o.in(t, func(tx pgx.Tx) (err error) {
		r, err = record.Read(t.Context(), tx)
		return err
	})
	return record.InOrder(r)
}

// imports hands a file over by way of its preview, and checks that what was done is
// what was said.
func (o office) imports(t testing.TB, h record.Handover) record.Preview {
	t.Helper()
	said, err := o.Preview(t.Context(), poolpatroltest.Manager(postgrestest.North), h)
	if err != nil {
		t.Fatalf("preview %s: %v", h.Kind, err)
	}
	did, err := o.Import(t.Context(), poolpatroltest.Manager(postgrestest.North), h, said.SHA256)
	if err != nil {
		t.Fatalf("import %s: %v (%+v)", h.Kind, err, said.Refusals)
	}
	if !reflect.DeepEqual(did, said) {
		t.Errorf("import of %s did %+v, and the preview said %+v", h.Kind, did, said)
	}
	return did
}

// settle has an office take a town.
func (o office) settle(t testing.TB, r fleet.Records) {
	t.Helper()
	for _, h := range poolpatroltest.Files(r) {
		o.imports(t, h)
	}
}

func asJSON(t testing.TB, v any) string {
	t.Helper()
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sameRecords compares all but when they were taken.
func sameRecords(t testing.TB, got, want fleet.Records) {
	t.Helper()
	got.Taken, want.Taken = time.Time{}, time.Time{}
	a, b := strings.Split(asJSON(t, got), "\n"), strings.Split(asJSON(t, record.InOrder(whole(want))), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d: got %s, want %s", i, a[i], b[i])
		}
	}
	if len(a) != len(b) {
		t.Fatalf("got %d lines of records, want %d", len(a), len(b))
	}
}

// TestRecordsReadBackAsTheyWereWritten promises that a book of 1,200 vans that was
// imported is what an audit reads, and that the same files change nothing.
func TestRecordsReadBackAsTheyWereWritten(t *testing.T) {
	o := newOffice(t)
	town := madeup.Plan{Seed: 8, Vans: 1200, Riders: 8, Percent: 20}.Build()
	town.Vanpools[3].Schedule = madeup.Slots("Mon Tue", "06:30", "16:30")
	town.Employees[5].Away = []fleet.Span{{From: fleet.NewDate(2026, 11, 2), Until: fleet.NewDate(2026, 11, 6)},
		{From: fleet.NewDate(2026, 12, 1)}}
	began := time.Now()
	o.settle(t, town.Records)
	got := o.records(t)
	sameRecords(t, got, town.Records)
	if got.Taken.Before(began.Truncate(time.Microsecond)) || got.Taken.After(time.Now()) {
		t.Errorf("the records were taken at %s, want after %s", got.Taken, began)
	}
	for _, s := range got.Sites {
		if s.Time == nil || s.Time.String() != s.Zone {
			t.Errorf("site %s has the clock %v, want %s", s.ID, s.Time, s.Zone)
		}
	}
	for _, h := range poolpatroltest.Files(town.Records) {
		if p := o.imports(t, h); p.Changes() || p.Unchanged == 0 {
			t.Errorf("the same file of %s changes something: %+v", h.Kind, p)
		}
	}
}

// TestSnapshotsGiveTheSameVerdicts promises that what was pinned reads back with
// its digest, and that an audit over it finds what the audit then found; and that
// the same records are kept once.
func TestSnapshotsGiveTheSameVerdicts(t *testing.T) {
	o := newOffice(t)
	town := madeup.Plan{Seed: 3, Vans: 700, Riders: 6, Percent: 30}.Build()
	o.settle(t, town.Records)
	now := time.Now()
	var first, second Snapshot
	var read, back fleet.Records
	o.in(t, func(tx pgx.Tx) (err error) {
		if read, err = record.Read(t.Context(), tx); err != nil {
			return err
		}
		if first, err = pin(t.Context(), tx, read, now); err != nil {
			return err
		}
		if second, err = pin(t.Context(), tx, read, now.Add(time.Minute)); err != nil {
			return err
		}
		_, back, err = readSnapshot(t.Context(), tx, first.ID)
		return err
	})
	if first.ID != second.ID || first.Vanpools != 700 || first.Riders != 4200 || first.Parts != 1+5+2 {
		t.Errorf("got %+v and then %+v, want one snapshot of 700 vans and 4200 riders in 8 parts", first, second)
	}
	if got, want := verdicts(t, back), verdicts(t, read); got != want {
		t.Error("an audit over the snapshot finds something else")
	}
	if n := strings.Count(verdicts(t, back), `"fail"`); n < len(town.Wrong) {
		t.Errorf("%d verdicts fail, want at least the %d that were made wrong", n, len(town.Wrong))
	}
	if err := o.Confirm(t.Context(), poolpatroltest.Manager(postgrestest.North), intake.Employees, intake.Riders); err != nil {
		t.Fatal(err)
	}
	o.in(t, func(tx pgx.Tx) error {
		r, err := record.Read(t.Context(), tx)
		if err != nil {
			return err
		}
		third, err := pin(t.Context(), tx, r, now.Add(2*time.Minute))
		if third.ID == first.ID {
			t.Error("records that were said to be current later are kept as the older ones")
		}
		return err
	})
	o.in(t, func(tx pgx.Tx) error {
		if _, _, err := readSnapshot(t.Context(), tx, "SNAP-00000000"); !fault.Is(err, fault.NotFound) {
			t.Errorf("got %v, want not found", err)
		}
		body, err := pack(fleet.Records{})
		if err != nil {
			return err
		}
		if _, err := tx.Exec(t.Context(), `update poolpatrol.snapshot_part set body = $2 where snapshot = $1 and n = 1`, first.ID,
			body); err != nil {
			return err
		}
		if _, _, err := readSnapshot(t.Context(), tx, first.ID); !fault.Is(err, fault.Internal) || !strings.Contains(err.Error(),
			"digest") {
			t.Errorf("got %v, want a snapshot that was changed to be refused", err)
		}
		return nil
	})
}

// verdicts are what an audit over records says, as text.
func verdicts(t testing.TB, r fleet.Records) string {
	t.Helper()
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	runs, err := audit.All(book, "", r.Taken, audit.Specialists(audit.Standard(), book, audit.Inputs{}), check.Exceptions{})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for run := range runs {
		fmt.Fprintln(&out, run.Vanpool, run.Outcome, asJSON(t, run.Verdicts))
	}
	return out.String()
}

// TestAnotherOrganisationSeesNothing promises the wall: South reads and previews as
// if North had no records.
func TestAnotherOrganisationSeesNothing(t *testing.T) {
	o := newOffice(t)
	town := madeup.Plan{Seed: 1, Vans: 3, Riders: 4}.Build()
	o.settle(t, town.Records)
	south := poolpatroltest.Manager(postgrestest.South)
	if all, _, err := o.Vanpools(t.Context(), south, record.VanFilter{}, "", 0); err != nil || len(all) != 0 {
		t.Errorf("south lists %v, %v", all, err)
	}
	if _, err := o.Employee(t.Context(), south, town.Employees[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("south reads an employee of north: %v", err)
	}
	if _, err := o.Vanpool(t.Context(), south, town.Vanpools[0].ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("south reads a van of north: %v", err)
	}
	if p, err := o.Preview(t.Context(), south, poolpatroltest.Files(town.Records)[0]); err != nil || p.Added != len(town.Sites) ||
		p.Unchanged != 0 {
		t.Errorf("south's preview of north's file says %+v, %v; want everything to be new", p, err)
	}
	err := o.db.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		r, err := record.Read(t.Context(), tx)
		if len(r.Sites)+len(r.Shifts)+len(r.Employees)+len(r.Vanpools) != 0 || !r.Taken.IsZero() {
			t.Errorf("south's records are %+v, want none", r)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestWalls promises the same of every table of the schema.
func TestWalls(t *testing.T) { postgrestest.Walls(t, sets()...) }

// TestOnlyWhoMayReadsAndChanges promises that policy is asked before anything.
func TestOnlyWhoMayReadsAndChanges(t *testing.T) {
	o := newOffice(t)
	admin := identity.Actor{Kind: identity.Person, ID: "p:admin", Org: postgrestest.North, Roles: []identity.Role{identity.OrgAdmin}}
	auditor := identity.Actor{Kind: identity.Person, ID: "p:auditor", Org: postgrestest.North, Roles: []identity.Role{identity.Auditor}}
	h := poolpatroltest.Files(madeup.Plan{Seed: 1, Vans: 1, Riders: 2}.Build().Records)[0]
	for name, try := range map[string]func(identity.Actor) error{
		"read vanpools": func(a identity.Actor) error {
			_, _, err := o.Vanpools(t.Context(), a, record.VanFilter{}, "", 0)
			return err
		},
		"read a van":    func(a identity.Actor) error { _, err := o.Vanpool(t.Context(), a, "VP-101"); return err },
		"read somebody": func(a identity.Actor) error { _, err := o.Employee(t.Context(), a, "EMP-1001"); return err },
		"read syncs":    func(a identity.Actor) error { _, err := o.Syncs(t.Context(), a); return err },
		"read gaps":     func(a identity.Actor) error { _, _, err := o.Gaps(t.Context(), a, "", 0); return err },
	} {
		if err := try(admin); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: an administrator gets %v, want refused", name, err)
		}
		if err := try(auditor); fault.Is(err, fault.Refused) {
			t.Errorf("%s: an auditor is refused", name)
		}
	}
	for name, try := range map[string]func() error{
		"preview": func() error { _, err := o.Preview(t.Context(), auditor, h); return err },
		"import":  func() error { _, err := o.Import(t.Context(), auditor, h, "x"); return err },
		"confirm": func() error { return o.Confirm(t.Context(), auditor, intake.Employees) },
		"put": func() error {
			_, err := o.PutSite(t.Context(), auditor, intake.Site{ID: "X", Zone: "UTC"}, record.Change{})
			return err
		},
	} {
		if err := try(); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: an auditor gets %v, want refused", name, err)
		}
	}
}
