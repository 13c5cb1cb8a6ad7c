package reportagent_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/outside/duck/ducktest"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// withRaw is the small run with a raw table beside its charts.
func withRaw() map[string][]byte {
	files := small()
	files["project_view_1.csv"] = []byte("scenario,fuel,unit,year,val\nDeep,Gas,PJ,2030,1.25\nDeep,Oil,PJ,2030,2.5\n" +
		"Mild,Gas,PJ,2030,7.125\nMild,Oil,PJ,2030,0.5\n")
	return files
}

// A questioner is a model that asks the raw table, question after question, and then hands in a text over the last answer.
type questioner struct {
	mu    sync.Mutex
	asks  []string // in their order
	at    int
	told  []string // what it was answered
	words func(tokens [][]string) string
}

func (q *questioner) reply(s scripted.Seen) (scripted.Answer, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := sectionOf.FindStringSubmatch(s.Task)
	if m == nil || m[1] != "energy" || strings.Contains(s.Last, `"accepted"`) {
		return scripted.Answer{Text: `{"note":"Done."}`}, true
	}
	if s.Turn > 1 {
		q.told = append(q.told, s.Last)
	}
	call := func(name string, args map[string]any) (scripted.Answer, bool) {
		return scripted.Answer{Calls: []scripted.Call{{Name: name, Args: args}}}, true
	}
	if q.at < len(q.asks) {
		q.at++
		return call("sql_query", map[string]any{"view": "project_view_1", "sql": q.asks[q.at-1], "unit": "PJ"})
	}
	var got struct{ Tokens [][]string }
	if at := strings.Index(s.Last, `{"columns"`); at >= 0 {
		_ = json.NewDecoder(strings.NewReader(s.Last[at:])).Decode(&got) // without an answer there are no tokens
	}
	return call("write_section_draft", map[string]any{"section_id": "energy", "content": q.words(got.Tokens)})
}

// TestRawTablesAreAskedThroughTheWritersTool promises, with the engine and the program that answers: hostile questions are refused and
// leave no row and no fact; an honest one becomes facts which name the question, the row and the digest of the table; and a sentence that
// cites them passes the same check as any other; and an auditor who has the report's evidence asks the question again, of the table in
// it. Without the program those numbers are said not to be done, and do not pass.
func TestRawTablesAreAskedThroughTheWritersTool(t *testing.T) {
	program, err := ducktest.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "secret.csv")
	if err := os.WriteFile(secret, []byte("password\nopen sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	hostile := []string{"select * from read_csv('" + secret + "')", "select * from '" + secret + "'",
		"copy project_view_1 to '" + secret + "2'",
		"select 1; select 2", "pragma database_list", "set memory_limit = '8GB'", "attach '" + secret + "'", "install httpfs",
		"create table t as select 1", "select repeat('x', 1000000000)", "select getenv('HOME')", ""}
	honest := "select scenario, sum(val) as made from project_view_1 where year = 2030 group by scenario order by scenario"
	q := &questioner{asks: append(slices.Clone(hostile), honest), words: func(tokens [][]string) string {
		if len(tokens) != 2 {
			return "Nothing."
		}
		return "In Deep, the processes make " + tokens[0][1] + ". In Mild, the processes make " + tokens[1][1] + "."
	}}
	r := newRig(t, true, casework.SettingDuck, program)
	r.think(t, q.reply)
	made := r.bring(t, smallOutline, withRaw())
	r.drafted(t, made.ID, map[string]any{"section": "energy"})
	r.rested(t)
	for i, answer := range q.told[:len(hostile)] {
		if strings.Contains(answer, "tokens") || strings.Contains(answer, "open sesame") {
			t.Errorf("%q is answered: %s", hostile[i], answer)
		}
	}
	if n := r.Number(t, `select count(*)::int from reportagent.question`); n != 1 {
		t.Errorf("%d questions are kept, want the honest one", n)
	}
	if left, err := os.ReadDir(filepath.Dir(secret)); err != nil || len(left) != 1 {
		t.Errorf("something was written: %v, %v", left, err)
	}
	energy := r.section(t, made.ID, "energy")
	text := strings.ReplaceAll(energy.Text, "\u00a0", " ")
	if energy.How != store.Model || len(energy.Findings) > 0 || !strings.Contains(text, "In Deep, the processes make 3.75 PJ.") ||
		!strings.Contains(text, "7.625 PJ") {
		t.Errorf("got %s, %v\n%s\nthe last answer: %s", energy.How, energy.Findings, text, q.told[len(q.told)-1])
	}
	for _, f := range energy.Facts {
		if f.Source == nil || f.Source.Selector.Row == nil || !strings.HasPrefix(f.Source.Selector.Row.PK, "sql ") ||
			f.Source.Snapshot == "" {
			t.Errorf("%s does not say what was asked: %+v", f.ID, f.Source)
		}
	}
	r.askedAgain(t, made.ID, program)
}

// askedAgain does the numbers of a report's evidence again, those that a raw table was asked among them.
func (r rig) askedAgain(t *testing.T, id, program string) {
	t.Helper()
	pack := r.evidence(t, id)
	all, said, err := reperforms(t, program, pack)
	asked := 0
	for _, n := range all {
		if n.How == "asked" {
			asked++
		}
		if n.Outcome != "pass" || n.Again != n.Stored {
			t.Errorf("got %+v", n)
		}
	}
	if err != nil || asked != 2 {
		t.Errorf("%d of %d numbers were asked for again, want 2; %v: %s", asked, len(all), err, said)
	}
	if _, _, err := reperforms(t, "", pack); !errors.Is(err, errProblems) {
		t.Errorf("without the program: got %v", err)
	}
	if _, _, err := reperforms(t, program, altered(t, pack, "data/project_view_1.csv", "2.5", "2.6")); err == nil {
		t.Error("an altered raw table passes")
	}
}

// TestWithoutTheProgramTheToolSaysSo promises an answer in words where nobody can ask a raw table, and a section that is
// drafted all the same.
func TestWithoutTheProgramTheToolSaysSo(t *testing.T) {
	t.Setenv("PATH", "")
	q := &questioner{asks: []string{"select count(*) from project_view_1"}, words: func([][]string) string { return "Nothing." }}
	r := newRig(t, true)
	r.think(t, q.reply)
	made := r.bring(t, smallOutline, withRaw())
	r.drafted(t, made.ID, map[string]any{"section": "energy"})
	r.rested(t)
	if len(q.told) == 0 || !strings.Contains(q.told[0], "gavel-duck is not installed") {
		t.Errorf("it was told %q", q.told)
	}
	if s := r.section(t, made.ID, "energy"); s.How != store.Templates || s.Text == "" {
		t.Errorf("got %+v", s)
	}
}
