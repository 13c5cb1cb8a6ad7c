package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func (s *stage) factsOf(id casefile.CaseID, name string) string {
	return strings.TrimSuffix("/cases/"+string(id)+"/facts/"+name, "/")
}

func TestEveryFactOfACaseIsListed(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	page := s.ask(t, s.factsOf(id, ""), nil)
	for n := 1; n <= 7; n++ {
		if !strings.Contains(page.body, fmt.Sprintf(`href="%s">F%d</a>`, s.factsOf(id, fmt.Sprintf("F%d", n)), n)) {
			t.Errorf("the list lacks F%d", n)
		}
	}
	for _, want := range []string{"µg/m³", "row 1, column pm25", "at /wind/speed", "mean of F1@1, F2@1, F3@1", "entered by p:analyst",
		"Stated by a person", "Alipur · hour 1"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the list lacks %q", want)
		}
	}
	if hindi := s.ask(t, s.factsOf(id, "")+"?lang=hi", nil); !strings.Contains(hindi.body, "अलीपुर") || !strings.Contains(hindi.body,
		"प्रेक्षित") {
		t.Error("in Hindi the list lacks Hindi names")
	}
}

func TestFactsWithoutAPageAreToldApart(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "k", "Smoke", 0)
	theirs := s.open(t, postgrestest.South, "k", "Theirs", 0)
	id := s.Case(t, 3)
	for _, tt := range []struct {
		path   string
		status int
		want   string
	}{
		{s.factsOf(c.ID, ""), 200, "No fact is entered yet"},
		{s.factsOf(id, "") + "?after=F7", 200, "No more facts"},
		{s.factsOf(id, "") + "?after=x", 422, "no page that begins there"},
		{s.factsOf(c.ID, "F1"), 404, "There is nothing here"},
		{s.factsOf(id, "F99"), 404, "There is nothing here"},
		{s.factsOf(id, "F1@9"), 404, "There is nothing here"},
		{s.factsOf(id, "nonsense"), 404, "There is nothing here"},
		{s.factsOf(theirs.ID, ""), 404, "There is nothing here"},
		{s.factsOf(theirs.ID, "F1"), 404, "There is nothing here"},
	} {
		if got := s.ask(t, tt.path, nil); got.status != tt.status || !strings.Contains(got.body, tt.want) {
			t.Errorf("%s answered %d, want %d with %q", tt.path, got.status, tt.status, tt.want)
		}
	}
	for _, role := range []identity.Role{identity.Operator, identity.Gate} {
		for _, path := range []string{s.factsOf(id, ""), s.factsOf(id, "F1")} {
			if got := s.ask(t, path, nil, "Cookie", "gavel_dev="+token(t, postgrestest.North, role)); got.status != http.StatusForbidden {
				t.Errorf("%s got %d for %s, want 403", role, got.status, path)
			}
		}
	}
	if got := s.ask(t, s.factsOf(id, "F1"), nil, "Cookie", "gavel_dev="+token(t, postgrestest.South,
		identity.Officer)); got.status != http.StatusNotFound {
		t.Errorf("another organisation got %d, want 404", got.status)
	}
}

func TestAFactCardOpensTheSourceAtItsRow(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	page := s.ask(t, s.factsOf(id, "F2"), nil)
	f, err := s.Evidence.Fact(t.Context(), postgrestest.North, id, fact.Ref{ID: "F2"})
	if err != nil {
		t.Fatal(err)
	}
	if marked := regexp.MustCompile(`<mark><b>([^<]+)</b></mark>`).FindAllStringSubmatch(page.body, -1); len(marked) != 1 ||
		marked[0][1] != f.Value {
		t.Errorf("the marked cells are %v, want %s alone", marked, f.Value)
	}
	for _, want := range []string{f.Source.Snapshot, "open, with attribution", "https://stations.example/3.csv", "p:analyst",
		`href="/audit/rec_`,
		"Rechecked: same value", `href="` + s.factsOf(id, "F6@1"), "through another fact", `<td>Alipur</td>`} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the card lacks %q", want)
		}
	}
}

func TestAFactCardOpensTheFormulaDownToTheReadings(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	page := s.ask(t, s.factsOf(id, "F7"), nil)
	tree := regexp.MustCompile(`(?s)<ul class="tree">.*</ul>`).FindString(page.body)
	for _, ref := range []string{"F7@1", "F6@1", "F1@1", "F2@1", "F3@1", "F4@1"} {
		if n := strings.Count(tree, ">"+ref+"</a>"); n != 1 {
			t.Errorf("the tree has %s %d times, want once", ref, n)
		}
	}
	if !strings.Contains(page.body, "Rechecked: same value") || !strings.Contains(page.body, "Computed by test-1") {
		t.Error("the card lacks the verdict or the program that computed")
	}
}

func TestAFactCardTellsVersionsApart(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	newest, old := s.ask(t, s.factsOf(id, "F4"), nil), s.ask(t, s.factsOf(id, "F4@1"), nil)
	if strings.Contains(newest.body, "is not the newest") || !strings.Contains(newest.body, "A person stated this") {
		t.Error("the newest version is said to be old, or not said to be stated")
	}
	if !strings.Contains(newest.body, "value 60") || !strings.Contains(newest.body, "→ 62") {
		t.Error("the card does not say what changed")
	}
	for _, want := range []string{"Version 1 is not the newest", "Show version 2", `href="` + s.factsOf(id, "F7@1")} {
		if !strings.Contains(old.body, want) {
			t.Errorf("the old version lacks %q", want)
		}
	}
	err := s.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return evidence.Pin(t.Context(), tx, postgrestest.North, id, "rpt_1", "Table 2 <of> RPT-0412", fact.Ref{ID: "F4", Version: 2})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.ask(t, s.factsOf(id, "F4"), nil); !strings.Contains(got.body, "Table 2 &lt;of&gt; RPT-0412") {
		t.Error("the card does not say which text uses it")
	}
}

func TestAFactThatNoLongerFollowsIsShownAsSuch(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	officer := "gavel_dev=" + token(t, postgrestest.North, identity.Officer)
	s.set(t, `alter table gavel.fact disable trigger user`)
	s.set(t, `update gavel.fact set value = '999', exact = '999' where case_id = $1 and id = 'F1'`, id)
	for name, want := range map[string]string{"F1": "Rechecked: another value", "F6": "Rechecked: another value",
		"F2": "Rechecked: same value"} {
		if got := s.ask(t, s.factsOf(id, name), nil, "Cookie", officer); got.status != http.StatusOK || !strings.Contains(got.body, want) {
			t.Errorf("%s answered %d without %q", name, got.status, want)
		}
	}
}
