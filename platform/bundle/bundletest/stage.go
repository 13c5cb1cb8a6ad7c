// Package bundletest makes cases worth bundling, on a real database with a real
// log, and bundles of them, for the tests of everything that makes, checks or
// shows one.
package bundletest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/content"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Origin is the log's name on every stage.
const Origin = "gavel.test/log"

// Program is what bundles say made them.
const Program = "gavel test"

// The people on stage.
var (
	Analyst = person(postgrestest.North, identity.Analyst)
	Auditor = person(postgrestest.North, identity.Auditor)
	Admin   = person(postgrestest.North, identity.OrgAdmin)
)

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "Test " + string(role), Org: org,
		Roles: []identity.Role{role}}
}

// A Stage is an installation in small.
type Stage struct {
	DB       *postgrestest.Database
	Blobs    *blob.Store
	Vault    *seal.Vault
	Cases    *casefile.Store
	Evidence *evidence.Store
	Acts     *act.Store
	Reviews  *review.Store
	Exporter *bundle.Exporter
	Log      *audit.Sequencer
	Secret   string         // the log's key
	Public   audit.Verifier // its public half

	Last review.Proposal // the test that nobody has answered, of the case made last
}

// New sets up a stage. It is taken down when the test ends.
func New(t testing.TB, more ...bundle.Section) *Stage {
	t.Helper()
	return NewOn(t, nil, more...)
}

// NewOn sets up a stage with more tables, for sections that read them.
func NewOn(t testing.TB, tables []postgres.MigrationSet, more ...bundle.Section) *Stage {
	t.Helper()
	return With(t, Setup{Tables: tables, Sections: more})
}

// A Setup is what a stage has beside the usual.
type Setup struct {
	Tables   []postgres.MigrationSet
	Sections []bundle.Section
	Erasers  []seal.Eraser
}

// With sets up a stage that has more.
func With(t testing.TB, more Setup) *Stage {
	t.Helper()
	s := &Stage{}
	s.DB = postgrestest.New(t, append([]postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(),
		act.Migrations(), review.Migrations(), seal.Migrations(), evidence.Migrations()}, more.Tables...)...)
	backend, err := disk.Open("file://" + t.TempDir())
	must(t, err)
	s.Blobs = blob.New(backend, blob.Config{})
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	must(t, err)
	s.Vault, err = seal.New(seal.Config{DB: s.DB.App, Blobs: s.Blobs, Masters: masters, Now: time.Now, Rules: policy.Standard(),
		Erasers: append([]seal.Eraser{casefile.Eraser(), evidence.Eraser()}, more.Erasers...)})
	must(t, err)
	s.Cases = casefile.NewStore(casefile.Config{DB: s.DB.App, Rules: policy.Standard()})
	s.Evidence, err = evidence.New(evidence.Config{DB: s.DB.App, Blobs: s.Blobs, Rules: policy.Standard(), Vault: s.Vault, Code: "test-1",
		Sources: []evidence.Source{
			{Name: "cpcb", Title: "Stations", Licence: "open, with attribution"},
			{Name: "riders", Title: "Riders' answers", Licence: "internal", Personal: true},
		}})
	must(t, err)
	s.Acts = act.NewStore(s.DB.App, durable.Clock{})
	s.Reviews, err = review.New(review.Config{DB: s.DB.App, Rules: policy.Standard(), Acts: s.Acts,
		Kinds:  []review.Kind{{Name: "call", Check: anyArgs}},
		Person: known, Recheck: func(context.Context, review.Proposal, json.RawMessage) error { return nil }})
	must(t, err)
	s.Secret, s.Public, err = audit.NewKey(Origin)
	must(t, err)
	s.Rotate(t, s.Secret, "", more.Sections...)
	return s
}

// Accept is an operator's word for a key that the one before does not vouch for.
func (s *Stage) Accept(t testing.TB, key audit.Verifier) {
	t.Helper()
	_, _, err := audit.AcceptKey(t.Context(), s.DB.System, key, "the one before is lost", time.Now())
	must(t, err)
}

// Rotate goes on with another key of the log.
func (s *Stage) Rotate(t testing.TB, secret, previous string, more ...bundle.Section) {
	t.Helper()
	var err error
	s.Log, err = audit.NewSequencer(audit.SequencerConfig{System: s.DB.System, Signer: secret, Previous: previous,
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	must(t, err)
	sections := append(content.Sections(content.Sources{DB: s.DB.App, Cases: s.Cases, Evidence: s.Evidence, Blobs: s.Blobs}), more...)
	s.Exporter, err = bundle.NewExporter(bundle.Config{DB: s.DB.App, System: s.DB.System, Vault: s.Vault, Rules: policy.Standard(),
		Signer:  secret,
		Program: Program, Now: time.Now, Wait: s.drainInstead, Sections: sections})
	must(t, err)
}

// drainInstead lets the log take records in where an exporter would wait for it.
func (s *Stage) drainInstead(ctx context.Context, _ time.Duration) error {
	_, err := s.Log.Drain(ctx)
	return err
}

// Known are the sections that a stranger's program knows: nothing behind them.
func Known() []bundle.Section { return content.Sections(content.Sources{}) }

// readings are hours of a station, so many that a number can hide among them.
func readings(seed int) string {
	var b strings.Builder
	b.WriteString("station,hour,pm25,valid\n")
	for h := range 72 {
		fmt.Fprintf(&b, "Alipur,%02d,%d.%d,yes\n", h, 120+(h*seed*37)%290, h%10)
	}
	return b.String()
}

// Case opens a case with everything a bundle can hold: notes, evidence of two
// forms and one that is sealed, facts that were read, stated and computed, one
// of them in two versions, proposals, decisions and acts, in people's own right
// and in others' stead, and tests of oversight. Cases of different seeds differ in
// all of it.
func (s *Stage) Case(t testing.TB, seed int) casefile.CaseID {
	t.Helper()
	ctx := t.Context()
	c, _, err := s.Cases.Open(ctx, Analyst, casefile.Opening{App: "general", Key: fmt.Sprintf("surge-%d", seed),
		Title: fmt.Sprintf("Surge at Alipur, episode %d <&> अलीपुर", seed)})
	must(t, err)
	must(t, s.Cases.Note(ctx, Analyst, c.ID, "",
		fmt.Sprintf("Wind from the north-west; fires seen upwind, %d of them.\nAsked the station for its log.", seed)))
	csv := s.take(t, evidence.Receipt{Source: "cpcb", ContentType: "text/csv", Place: fmt.Sprintf("https://stations.example/%d.csv", seed)},
		readings(seed))
	js := s.take(t, evidence.Receipt{Source: "cpcb", ContentType: "application/json"},
		fmt.Sprintf(`{"wind":{"speed":"%d.25","from":315},"fires":[12,%d]}`, seed, seed+40))
	rider := seal.Subject{Type: "rider", ID: fmt.Sprintf("R-%d", seed)}
	sealed := s.take(t, evidence.Receipt{Source: "riders", ContentType: "text/plain", Subjects: []seal.Subject{rider}, Case: string(c.ID)},
		fmt.Sprintf("I was not on the van on day %d.", seed))
	for i, d := range []blob.Digest{csv.SHA256, js.SHA256, sealed.SHA256} {
		p := evidence.Putting{SHA256: d, Title: fmt.Sprintf("Exhibit %d of %d", i+1, seed), Side: evidence.For}
		if i == 0 {
			p.Range = &evidence.Range{CSV: &evidence.Records{From: 3, To: 9}}
		}
		_, _, err := s.Evidence.Put(ctx, Analyst, c.ID, p)
		must(t, err)
	}
	s.facts(t, c.ID, seed, csv, js)
	s.Decided(t, c.ID, seed)
	s.Deputised(t, c.ID, seed)
	s.Tested(t, c.ID, seed)
	s.Outside(t, c.ID, seed)
	must(t, s.Cases.Note(ctx, Analyst, c.ID, "", "Facts entered; the surge stands out against the usual day."))
	return c.ID
}

func (s *Stage) facts(t testing.TB, id casefile.CaseID, seed int, csv, js evidence.Snapshot) {
	t.Helper()
	ctx := t.Context()
	cell := func(row int) fact.Fact {
		return s.read(t, fact.Reading{Kind: fact.Observed, Number: strings.Split(strings.Split(readings(seed), "\n")[row], ",")[2],
			Unit: "µg/m3", Decimals: 1,
			Subject: fact.Subject{Type: "station", IDs: map[string]string{"station": "alipur", "hour": fmt.Sprint(row)},
				Names: fact.Names{EN: []string{"Alipur"}, HI: []string{"अलीपुर"}}},
			Source: fact.Source{Snapshot: csv.SHA256.String(), Selector: fact.Selector{CSV: &fact.CSVCell{Row: row, Column: "pm25"}}}})
	}
	stated := func(number string) fact.Fact {
		return s.read(t, fact.Reading{Kind: fact.Assumed, Number: number, Unit: "µg/m3", Decimals: 0,
			Subject: fact.Subject{Type: "station", IDs: map[string]string{"station": "alipur", "measure": "usual"}},
			Source:  fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: Analyst.ID}}}})
	}
	wind := s.read(t, fact.Reading{Kind: fact.Quoted, Number: fmt.Sprintf("%d.25", seed), Unit: "m/s", Decimals: 2,
		Subject: fact.Subject{Type: "wind", IDs: map[string]string{"place": "alipur"}},
		Source:  fact.Source{Snapshot: js.SHA256.String(), Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: "/wind/speed"}}}})
	_, err := s.Evidence.Record(ctx, Analyst, id, cell(1), cell(2), cell(3), stated("60"))
	must(t, err)
	_, err = s.Evidence.Record(ctx, Analyst, id, wind)
	must(t, err)
	_, err = s.Evidence.Derive(ctx, Analyst, id, fact.Mean, "F1", "F2", "F3")
	must(t, err)
	_, err = s.Evidence.Derive(ctx, Analyst, id, fact.Ratio, "F6", "F4")
	must(t, err)
	_, err = s.Evidence.Record(ctx, Analyst, id, stated("62")) // a second version; what was computed rests on the first
	must(t, err)
}

// Sealed adds a fact that was read from bytes only the institution can open.
func (s *Stage) Sealed(t testing.TB, id casefile.CaseID) {
	t.Helper()
	snap := s.take(t, evidence.Receipt{Source: "riders", ContentType: "application/json", Case: string(id),
		Subjects: []seal.Subject{{Type: "rider", ID: "R-sealed"}}}, `{"trips":3}`)
	_, err := s.Evidence.Record(t.Context(), Analyst, id, s.read(t, fact.Reading{Kind: fact.Observed, Number: "3",
		Subject: fact.Subject{Type: "rider", IDs: map[string]string{"measure": "trips"}},
		Source:  fact.Source{Snapshot: snap.SHA256.String(), Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: "/trips"}}}}))
	must(t, err)
}

// Foreign puts a record of another organisation into the same log.
func (s *Stage) Foreign(t testing.TB) (id audit.RecordID) {
	t.Helper()
	must(t, s.DB.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) (err error) {
		id, err = audit.Append(t.Context(), tx, audit.Record{At: time.Now(), Kind: audit.Decision,
			Subject: "case_01ARZ3NDEKTSV4RRFFQ69G5FAV",
			Actor:   person(postgrestest.South, identity.Officer)})
		return err
	}))
	return id
}

func (s *Stage) read(t testing.TB, r fact.Reading) fact.Fact {
	t.Helper()
	f, err := fact.Read(r)
	must(t, err)
	return f
}

func (s *Stage) take(t testing.TB, rc evidence.Receipt, body string) evidence.Snapshot {
	t.Helper()
	snap, err := s.Evidence.Take(t.Context(), Analyst, rc, strings.NewReader(body))
	must(t, err)
	return snap
}

// Export makes a bundle and returns its bytes.
func (s *Stage) Export(t testing.TB, id casefile.CaseID) []byte {
	t.Helper()
	b, err := s.Exporter.Export(t.Context(), Auditor, string(id), "the tribunal's office")
	must(t, err)
	var out bytes.Buffer
	must(t, b.Write(t.Context(), &out))
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
