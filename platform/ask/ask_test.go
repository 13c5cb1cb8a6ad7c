package ask_test

import (
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

func person(org identity.Org, role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:" + string(role), Name: "Asha " + string(role), Org: org,
		Roles: []identity.Role{role}}
}

var analyst = person(postgrestest.North, identity.Analyst)

func migrationSets() []postgres.MigrationSet {
	return []postgres.MigrationSet{outbox.Migrations(), casefile.Migrations(), audit.Migrations(), act.Migrations(), review.Migrations(),
		seal.Migrations(), evidence.Migrations(), ask.Migrations()}
}

func TestOrganisationsAreKeptApartInEveryTable(t *testing.T) {
	postgrestest.Walls(t, migrationSets()...)
}

// A rig is a desk on a database of its own, with a case that holds two facts and
// two pieces of evidence.
type rig struct {
	*ask.Desk
	db   *postgrestest.Database
	cfg  ask.Config
	id   casefile.CaseID
	says func(scripted.Seen) (scripted.Answer, bool)
	seen []scripted.Seen
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{db: postgrestest.New(t, migrationSets()...)}
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rules := policy.Standard()
	clock, err := durable.NewClock(time.Time{}, 1, true)
	if err != nil {
		t.Fatal(err)
	}
	cases := casefile.NewStore(casefile.Config{DB: r.db.App, Rules: rules})
	kept, err := evidence.New(evidence.Config{DB: r.db.App, Blobs: blob.New(backend, blob.Config{}), Rules: rules, Code: "test-1",
		Sources: []evidence.Source{{Name: "badges", Title: "Badges", Licence: "ours"}}})
	if err != nil {
		t.Fatal(err)
	}
	reviews, err := review.New(review.Config{DB: r.db.App, Clock: clock, Rules: rules, Acts: act.NewStore(r.db.App, clock)})
	if err != nil {
		t.Fatal(err)
	}
	r.cfg = ask.Config{DB: r.db.App, Now: time.Now, Rules: rules, Cases: cases, Evidence: kept, Reviews: reviews}
	r.Desk = ask.New(r.cfg)
	one, _, err := cases.Open(t.Context(), analyst, casefile.Opening{App: "general", Key: "van", Title: "Van at night"})
	if err != nil {
		t.Fatal(err)
	}
	r.id = one.ID
	r.fill(t, kept)
	return r
}

func (r *rig) fill(t *testing.T, kept *evidence.Store) {
	t.Helper()
	for i, rider := range []string{"R-1", "R-2"} {
		f, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: []string{"37", "412"}[i], Unit: "km",
			Subject: fact.Subject{Type: "distance", IDs: map[string]string{"rider": rider},
				Names: fact.Names{EN: []string{"Secret Name " + rider}}},
			Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: analyst.ID}}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kept.Record(t.Context(), analyst, r.id, f); err != nil {
			t.Fatal(err)
		}
	}
	for _, side := range []evidence.Side{evidence.For, evidence.Against} {
		snap, err := kept.Take(t.Context(), analyst, evidence.Receipt{Source: "badges"}, strings.NewReader("badge,"+string(side)+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := kept.Put(t.Context(), analyst, r.id, evidence.Putting{SHA256: snap.SHA256, Title: "Badges " + string(side),
			Side: side}); err != nil {
			t.Fatal(err)
		}
	}
}

// withModel sets a model up that says what r.says does.
func (r *rig) withModel(t *testing.T) {
	t.Helper()
	s, err := scripted.New(scripted.Config{Reply: func(seen scripted.Seen) (scripted.Answer, bool) {
		r.seen = append(r.seen, seen)
		return r.says(seen)
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	asks, err := openai.New(openai.Config{BaseURL: server.URL + "/v1", Key: "none", Provider: "scripted", TellAgent: true})
	if err != nil {
		t.Fatal(err)
	}
	r.cfg.Route = &model.Route{Name: ask.RouteName, Provider: "scripted", Model: "scripted", Ask: asks}
	r.Desk = ask.New(r.cfg)
}

func keys(a ask.Answer) (out []string) {
	for _, l := range a.Lines {
		out = append(out, l.Key)
	}
	return out
}

func TestWithoutAModelTheFactsAnswer(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		question string
		want     []string
	}{
		{"Why did it fail?", []string{"grounds", "piece.for", "piece.against", "fact", "fact"}},
		{"How much for R-2?", []string{"fact"}},
		{"What is F1?", []string{"fact"}},
		{"How does it stand, and who waits?", []string{"state", "none.waiting"}},
		{"What was decided?", []string{"none.decisions"}},
	} {
		var told []string
		a, err := r.Ask(t.Context(), analyst, r.id, tt.question, func(e ask.Event) {
			if e.Line != nil {
				told = append(told, e.Line.Key)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(keys(a), tt.want) || a.How != ask.Ours {
			t.Errorf("%q: got %v by %s, want %v", tt.question, keys(a), a.How, tt.want)
		}
		if !slices.Equal(told, keys(a)) {
			t.Errorf("%q: whoever watched was told %v, want %v", tt.question, told, keys(a))
		}
	}
	kept, err := r.Asked(t.Context(), analyst, r.id)
	if err != nil || len(kept) != 5 || kept[0].Question != "Why did it fail?" || len(kept[0].Lines) != 5 {
		t.Fatalf("got %d questions kept, first %+v, %v; want all five", len(kept), kept, err)
	}
}

func TestAModelsWordsAreShownOnlyIfFactsCarryThem(t *testing.T) {
	const good = `{"sentences":["For rider R-2 the distance is {{F2}}."]}`
	for _, tt := range []struct {
		name, first, second string
		worded              bool
		calls               int
	}{
		{"true at once", good, "", true, 1},
		{"true at the second try", `{"sentences":["It is 412 km for rider R-2."]}`, good, true, 2},
		{"a typed number", `{"sentences":["It is 412 km, see {{F2}}."]}`, `{"sentences":["Rider R-2 has 412."]}`, false, 2},
		{"another's number", `{"sentences":["For rider R-1 the distance is {{F2}}."]}`,
			`{"sentences":["For rider R-1 the distance is {{F2}}."]}`, false, 2},
		{"a fact that is not there", `{"sentences":["For rider R-2 it is {{F9}}."]}`, `{"sentences":["For rider R-2 it is {{F9}}."]}`,
			false, 2},
		{"no fact at all", `{"sentences":["Rider R-2 lied."]}`, `{"sentences":["Cancel the membership."]}`, false, 2},
		{"advice", `{"sentences":["For rider R-2 the distance is {{F2}}, so the office should cancel the membership."]}`, `{}`, false, 2},
		{"no form", "I would say yes.", `{"sentences":[],"verdict":"guilty"}`, false, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.says = func(s scripted.Seen) (scripted.Answer, bool) {
				if s.Turn == 1 {
					return scripted.Answer{Text: tt.first}, true
				}
				return scripted.Answer{Text: tt.second}, true
			}
			r.withModel(t)
			a, err := r.Ask(t.Context(), analyst, r.id, "How many km for R-2?", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.How == ask.Worded; got != tt.worded || a.Refused == tt.worded || len(r.seen) != tt.calls {
				t.Errorf("got worded %v, refused %v after %d calls, lines %+v; want %v after %d", got, a.Refused, len(r.seen), a.Lines,
					tt.worded, tt.calls)
			}
			if tt.worded && a.Lines[0].Facts[0].ID != "F2" || !tt.worded && a.Lines[0].Key != "fact" {
				t.Errorf("got %+v, want what is known about R-2", a.Lines)
			}
			for _, s := range r.seen {
				for _, m := range s.Messages {
					if m.Role == "user" && (strings.Contains(m.Text, "Secret Name") || strings.Contains(m.Text, "412")) {
						t.Errorf("a model was told %q: neither names nor values leave", m.Text)
					}
				}
			}
		})
	}
}

func TestAModelThatIsAwayLeavesTheFacts(t *testing.T) {
	r := newRig(t)
	r.says = func(scripted.Seen) (scripted.Answer, bool) { return scripted.Answer{}, false }
	r.withModel(t)
	a, err := r.Ask(t.Context(), analyst, r.id, "How many km?", nil)
	if err != nil || a.How != ask.Ours || !a.Refused || len(a.Lines) == 0 {
		t.Errorf("got %+v, %v; want the facts themselves", a, err)
	}
}

func TestWhoMayAskAndHowMuch(t *testing.T) {
	r := newRig(t)
	for name, tt := range map[string]struct {
		actor    identity.Actor
		question string
		want     fault.Kind
	}{
		"an operator sees no cases": {person(postgrestest.North, identity.Operator), "Why?", fault.Refused},
		"another organisation":      {person(postgrestest.South, identity.Analyst), "Why?", fault.NotFound},
		"nothing":                   {analyst, " \n ", fault.Invalid},
		"too long":                  {analyst, strings.Repeat("अ", ask.MaxQuestion+1), fault.Invalid},
		"what cannot be kept":       {analyst, "why\xff", fault.Invalid},
	} {
		_, err := r.Ask(t.Context(), tt.actor, r.id, tt.question, nil)
		if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != tt.want {
			t.Errorf("%s: got %v, want %v", name, err, tt.want)
		}
	}
	for range ask.MostAnHour {
		if _, err := r.Ask(t.Context(), analyst, r.id, "When?", nil); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.Ask(t.Context(), analyst, r.id, "When?", nil)
	if f, ok := errors.AsType[*fault.Error](err); !ok || f.Kind != fault.TooMany {
		t.Errorf("got %v for one question too many, want TooMany", err)
	}
}

func TestQuestionsAboutSomebodyGoWithThem(t *testing.T) {
	r := newRig(t)
	subject := seal.Subject{Type: "rider", ID: "R-2"}
	if err := r.cfg.Cases.NameSubjects(t.Context(), analyst, r.id, 0, subject); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Ask(t.Context(), analyst, r.id, "Did Zebulon pay?", nil); err != nil {
		t.Fatal(err)
	}
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		reach, err := ask.Eraser().Erase(t.Context(), tx, subject, time.Now())
		if reach.Rows != 1 {
			t.Errorf("got %d rows blanked, want 1", reach.Rows)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := r.Asked(t.Context(), analyst, r.id)
	if err != nil || len(kept) != 1 || kept[0].Question != casefile.ErasedText || len(kept[0].Lines) != 0 || kept[0].ByName != "" {
		t.Errorf("got %+v, %v; want a question without words", kept, err)
	}
}
