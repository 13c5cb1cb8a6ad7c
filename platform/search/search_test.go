package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/search"
)

const (
	north = postgrestest.North
	south = postgrestest.South
)

// A rig is a database with a finder over it.
type rig struct {
	*search.Finder
	db    *postgrestest.Database
	files *casefile.Store
	n     int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	db := postgrestest.New(t, []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(), act.Migrations(),
		review.Migrations(),
		seal.Migrations(), evidence.Migrations(), agent.Migrations(), search.Migrations()}...)
	return &rig{Finder: search.New(db.App, policy.Standard()), db: db,
		files: casefile.NewStore(casefile.Config{DB: db.App, Rules: policy.Standard()})}
}

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "A. Sen", Org: org, Roles: []identity.Role{role}}
}

func (r *rig) open(t *testing.T, org identity.Org, title string) casefile.Case {
	t.Helper()
	r.n++
	c, _, err := r.files.Open(t.Context(), person(org, identity.Officer), casefile.Opening{App: casefile.General().App,
		Key: fmt.Sprint(r.n), Title: title})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (r *rig) propose(t *testing.T, c casefile.Case, line string) review.Proposal {
	t.Helper()
	r.n++
	shown, err := json.Marshal(map[string]string{"line": line})
	if err != nil {
		t.Fatal(err)
	}
	p := review.Proposal{Org: c.Org, Case: string(c.ID), Kind: "call", App: "general", Key: fmt.Sprintf("run_1/%d", r.n), Run: "run_1",
		Call: "1", Gate: review.ByAnother,
		Args: json.RawMessage(`{}`), ArgsSHA256: act.Digest([]byte(`{}`)), Shown: shown, ShownSHA256: act.Digest(shown),
		RequestedBy: "agent:general/clerk", Deciders: []identity.Role{identity.Officer}, PolicyRecord: "rec_x", CreatedAt: time.Now()}
	err = r.db.App.InOrg(t.Context(), c.Org, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if err := review.ProposeLater(b, &p); err != nil {
			return err
		}
		return tx.SendBatch(t.Context(), b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// found is what a search finds, by name.
func (r *rig) found(t *testing.T, who identity.Actor, text string) []string {
	t.Helper()
	found, err := r.Find(t.Context(), who, text)
	if err != nil {
		t.Fatalf("search for %q: %v", text, err)
	}
	all := []string{}
	for _, h := range found.Hits {
		name := h.Ref
		if h.Kind != search.Case {
			name = h.ID
		}
		all = append(all, name)
	}
	return all
}

func TestThingsAreFoundByWhatPeopleRemember(t *testing.T) {
	r := newRig(t)
	van := r.open(t, north, "Possible misuse, van 14 (night shift) — “Sector-9”")
	hindi := r.open(t, north, "सेक्टर 9 की सड़क बंद: दो रातों का मार्ग बदला।")
	letter := r.propose(t, van, "Send 3 letters to riders of van 14.")
	other := r.open(t, north, "Fuel log of the depot")
	officer := person(north, identity.Officer)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a word", "misuse", []string{van.Ref, letter.ID}},
		{"the beginning of a word, in other case", "MISU", []string{van.Ref, letter.ID}},
		{"every word must fit", "van night", []string{van.Ref, letter.ID}},
		{"one that does not fit", "van depot", []string{}},
		{"the end of a word is not its beginning", "isuse", []string{}},
		{"marks do not count", "sector-9", []string{van.Ref, letter.ID}},
		{"words of what would be done", "letters riders", []string{letter.ID}},
		{"a reference", strings.ToLower(other.Ref), []string{other.Ref}},
		{"the id of a case", strings.ToUpper(string(other.ID)), []string{other.Ref}},
		{"the number of a proposal", "p-1", []string{letter.ID}},
		{"conjuncts stay whole", "मार्ग सड़क", []string{hindi.Ref}},
		{"a case that is not there", "case_01ARZ3NDEKTSV4RRFFQ69G5FAV", []string{}},
		{"only marks", "– ?!", []string{}},
		{"SQL's own marks", "%' _ \\", []string{}},
	} {
		if got := r.found(t, officer, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q finds %v, want %v", tt.name, tt.text, got, tt.want)
		}
	}
}

func TestNobodyFindsWhatTheyMayNotRead(t *testing.T) {
	r := newRig(t)
	c := r.open(t, north, "Zanzibar matter")
	p := r.propose(t, c, "Write to Zanzibar.")
	for _, tt := range []struct {
		name string
		who  identity.Actor
		want int
	}{
		{"an officer of the organisation", person(north, identity.Officer), 2},
		{"an officer of another", person(south, identity.Officer), 0},
		{"an operator, who reads no cases", person(north, identity.Operator), 0},
		{"nobody", identity.Actor{Org: north}, 0},
	} {
		for _, text := range []string{"zanzibar", string(c.ID)} {
			if got := r.found(t, tt.who, text); len(got) != tt.want {
				t.Errorf("%s finds %v by %q, want %d", tt.name, got, text, tt.want)
			}
		}
		want := min(tt.want, 1)
		if got := r.found(t, tt.who, p.ID); len(got) != want {
			t.Errorf("%s finds %v by %q, want %d", tt.name, got, p.ID, want)
		}
	}
}

func TestErasedWordsAreNotFoundAnyMore(t *testing.T) {
	r := newRig(t)
	c := r.open(t, north, "Letter of R. Devi")
	officer := person(north, identity.Officer)
	if got := r.found(t, officer, "devi"); len(got) != 1 {
		t.Fatalf("before it is erased %v are found", got)
	}
	admin(t, r.db, `update gavel.case set title = '', erased_at = now() where id = $1`, c.ID)
	if got := r.found(t, officer, "devi"); len(got) != 0 {
		t.Errorf("an erased name finds %v", got)
	}
	if got := r.found(t, officer, c.Ref); len(got) != 1 {
		t.Errorf("its reference finds %v", got)
	}
	if n := count(t, r.db, `select count(*) from gavel.word where word = 'devi'`); n != 0 {
		t.Errorf("the list of words still has %d", n)
	}
}

// TestWhatApplicationsHaveIsFoundByThoseWhoMayReadIt promises that an application's things are
// found by the beginnings of their words, behind the cases unless one was named, within the
// organisation, and by nobody who may not read them.
func TestWhatApplicationsHaveIsFoundByThoseWhoMayReadIt(t *testing.T) {
	r := newRig(t)
	carts := search.Source{Kind: "yard.cart", Act: "run.read", Find: func(ctx context.Context, tx pgx.Tx,
		q search.Query) ([]search.Hit, error) {
		rows, _ := tx.Query(ctx, `select v.id, v.name, v.id = upper(@text)
			from (values ('CT-7', 'Asha Devi'), ('CT-71', 'Müller & Sons'), ('CT-8', 'आशा देवी')) v(id, name)
			where current_setting('gavel.org') = @org and `+search.Fits("v.id || ' ' || v.name")+` order by 1 limit @most`, q.Args())
		return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h search.Hit, err error) {
			err = row.Scan(&h.ID, &h.Title, &h.Exact)
			return h, err
		})
	}}
	r.Finder = search.New(r.db.App, policy.Standard(), carts)
	c := r.open(t, north, "Cart CT-7 of Asha")
	officer := person(north, identity.Officer)
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"ct-7", []string{"CT-7", "CT-71", c.Ref}}, // named: its kind leads
		{"asha", []string{c.Ref, "CT-7"}},
		{"DEVI ash", []string{"CT-7"}},
		{"देवी", []string{"CT-8"}},
		{"sons müll", []string{"CT-71"}},
		{"evi", []string{}},
		{"%", []string{}},
		{"P-1", []string{}}, // the number of a proposal is that
	} {
		if got := r.found(t, officer, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%q finds %v, want %v", tt.text, got, tt.want)
		}
	}
	if got := r.found(t, identity.Actor{Org: north}, "asha"); len(got) != 0 {
		t.Errorf("who may read nothing finds %v", got)
	}
}

func TestATextThatCannotBeSearchedForIsRefused(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"", "  ", strings.Repeat("x", search.MaxText+1), "a\x00b", "a\xffb"} {
		if _, err := r.Find(t.Context(), person(north, identity.Officer), text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

// TestASearchReadsIndexesOnly promises that a search among many stays a search:
// no table is read from end to end, behind the wall between organisations.
func TestASearchReadsIndexesOnly(t *testing.T) {
	r := newRig(t)
	admin(t, r.db, `select set_config('gavel.org', 'north', false)`)
	admin(t, r.db, `insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		select 'north', 'case_01ARZ3NDEKTSV4RRF' || lpad(n::text, 9, '0'), 'general', 'k' || n, 'C-' || n,
		'Matter ' || md5(n::text) || ' of the depot', 'open', 'opened', now(), 1
		from generate_series(1, 20000) n`)
	admin(t, r.db, `analyze gavel.case, gavel.word, gavel.proposal, gavel.run`)
	got := r.found(t, person(north, identity.Officer), "c-777")
	if !slices.Contains(got, "C-777") {
		t.Errorf("got %v", got)
	}
	var plan strings.Builder
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		rows, err := tx.Query(t.Context(), "explain "+search.Statement, search.Args(north, "depot c4ca4238"))
		if err != nil {
			return err
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		plan.WriteString(strings.Join(lines, "\n"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"word", `"case"`} { // the others are empty here, and joined by their keys
		if strings.Contains(plan.String(), "Seq Scan on "+table) {
			t.Errorf("%s is read from end to end:\n%s", table, plan.String())
		}
	}
	found, err := r.Find(t.Context(), person(north, identity.Officer), "depot")
	if err != nil || !found.More || len(found.Hits) != search.MaxHits {
		t.Errorf("a word that everything has: %d hits, more %t, %v", len(found.Hits), found.More, err)
	}
}

func admin(t *testing.T, db *postgrestest.Database, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}

func count(t *testing.T, db *postgrestest.Database, sql string) (n int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	if err := conn.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}
