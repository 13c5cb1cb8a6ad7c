package duck_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/apps/reportagent/outside/duck/ducktest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform/fault"
)

var program string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", duck.Name)
	if err == nil {
		program, err = ducktest.Build(folder)
	}
	code := 1
	if err != nil {
		fmt.Fprintln(os.Stderr, "build", duck.Name, err)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// table writes a raw table and is the view over it.
func table(t *testing.T, rows string) query.View {
	t.Helper()
	file := filepath.Join(t.TempDir(), "project_view_1.csv")
	if err := os.WriteFile(file, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	header, err := csv.NewReader(strings.NewReader(rows)).Read()
	if err != nil {
		t.Fatal(err)
	}
	columns, err := query.Columns(header)
	if err != nil {
		t.Fatal(err)
	}
	return query.View{Name: "project_view", File: file, SHA256: strings.Repeat("0", 64), Columns: columns}
}

const small = "scenario,fuel,year,val\nA,\"Gas, dry\",2030,1e-05\nA,Oil,2031,12345678901234567890.5\nB,Oil,2030,\nB,Gas,2031,-0.5\n"

func said(a query.Answer) string {
	var out []string
	for _, row := range a.Rows {
		var cells []string
		for _, c := range row {
			if c == nil {
				cells = append(cells, "-")
				continue
			}
			cells = append(cells, *c)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return strings.Join(out, "\n")
}

// TestWhatIsAskedIsAnsweredExactly promises records by their number, sums of decimals without a float, no value where there is none, and
// that what is not a plain cell is not called one.
func TestWhatIsAskedIsAnsweredExactly(t *testing.T) {
	c := duck.New(duck.Config{Program: program})
	view := table(t, small)
	for _, tt := range []struct{ sql, want, cells string }{
		{"select * from project_view -- all",
			"1|A|Gas, dry|2030|0.00001\n2|A|Oil|2031|12345678901234567890.5\n3|B|Oil|2030|-\n4|B|Gas|2031|-0.5",
			"record scenario fuel year val"},
		{"select record, val as v, val * 2 from project_view where fuel like 'Gas%' order by val",
			"4|-0.5|-1\n1|0.00001|0.00002", "record val "},
		{"select scenario, sum(val), count(*) from project_view group by scenario order by 1", "A|12345678901234567890.50001|2\nB|-0.5|2",
			"  "},
		{"select sum(x) from (select val as x from project_view where year = 2031)", "12345678901234567890", ""},
	} {
		a, err := c.Ask(t.Context(), query.Question{Views: []query.View{view}, SQL: tt.sql})
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		var cells []string
		for _, col := range a.Columns {
			cells = append(cells, col.Cell)
		}
		if got := said(a); got != tt.want || strings.Join(cells, " ") != tt.cells {
			t.Errorf("%s: got %s; cells %q", tt.sql, got, cells)
		}
	}
	a, err := c.Ask(t.Context(), query.Question{Views: []query.View{view}, SQL: "select val from project_view", Rows: 2})
	if err != nil || len(a.Rows) != 2 || !a.More {
		t.Errorf("got %d rows, more %v, %v", len(a.Rows), a.More, err)
	}
}

// TestAValueThatDoesNotFitIsTold promises a diagnostic where a value, a sum or a product is larger than can be kept exactly.
func TestAValueThatDoesNotFitIsTold(t *testing.T) {
	c := duck.New(duck.Config{Program: program})
	large := table(t, "scenario,val\nA,123456789012345678901234567\n")
	edge := table(t, "scenario,val\n"+strings.Repeat("A,99999999999999999999999999\n", 3))
	for sql, view := range map[string]query.View{"select val from project_view": large, "select sum(val * val) from project_view": edge,
		"select val * 100000 from project_view": edge} {
		_, err := c.Ask(t.Context(), query.Question{Views: []query.View{view}, SQL: sql})
		said := fmt.Sprint(err)
		if fault.KindOf(err) != fault.Invalid || !strings.Contains(said, "overflow") && !strings.Contains(said, "data") {
			t.Errorf("%s: got %v", sql, err)
		}
	}
}

// TestAQuestionEndsAtItsDeadlineAndItsMemory promises that neither can be overrun, and that the next question is answered.
func TestAQuestionEndsAtItsDeadlineAndItsMemory(t *testing.T) {
	var rows strings.Builder
	rows.WriteString("scenario,val\n")
	for i := range 300_000 {
		rows.WriteString("s" + strconv.Itoa(i) + strings.Repeat("x", 120) + ",1\n")
	}
	ask := query.Question{Views: []query.View{table(t, rows.String())},
		SQL: "select scenario, sum(val) from project_view group by 1 order by 1"}
	for what, tt := range map[string]struct {
		with duck.Config
		want fault.Kind
	}{"late": {duck.Config{Limit: time.Millisecond}, fault.Unavailable}, "large": {duck.Config{Inside: 32 << 20}, fault.TooLarge}} {
		tt.with.Program = program
		if _, err := duck.New(tt.with).Ask(t.Context(), ask); fault.KindOf(err) != tt.want {
			t.Errorf("a %s question: got %v", what, err)
		}
	}
	c := duck.New(duck.Config{Program: program})
	if _, err := c.Ask(t.Context(), ask); err != nil {
		t.Errorf("the same with room: %v", err)
	}
	ask.Views[0].File += ".gone"
	if _, err := c.Ask(t.Context(), ask); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a table that is not there: got %v", err)
	}
	if _, err := (*duck.Client)(nil).Ask(t.Context(), ask); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("without the program: got %v", err)
	}
}
