package selector_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

func TestDoubtfulDocumentsAreRefused(t *testing.T) {
	deep := strings.Repeat("[", selector.MaxDepth+1) + strings.Repeat("]", selector.MaxDepth+1)
	for _, tt := range []struct {
		name, doc string
		csv, json fault.Kind // Internal: not tried
	}{
		{"UTF-16", "\xff\xfea\x00,\x00", fault.Invalid, fault.Invalid},
		{"UTF-16 without a mark", "a\x00,\x00", fault.Invalid, fault.Invalid},
		{"gzip", "\x1f\x8b\x08\x00", fault.Invalid, fault.Invalid},
		{"an open quote", "a,b\n1,\"x\n", fault.Invalid, fault.Invalid},
		{"a quote inside a cell", "a,b\n1,x\"y\n", fault.Invalid, fault.Invalid},
		{"a record without end", "a,b\n" + strings.Repeat("x", selector.MaxRecord+8<<10) + "\n", fault.TooLarge, fault.Invalid},
		{"a header without end", strings.Repeat("x", selector.MaxRecord+1), fault.TooLarge, fault.Invalid},
		{"deep nesting", deep, fault.Internal, fault.TooLarge},
		{"two documents", "{} {}", fault.Internal, fault.Invalid},
		{"a comma too many", `{"a":1,}`, fault.Internal, fault.Invalid},
		{"a leading zero", `{"a":01}`, fault.Internal, fault.Invalid},
		{"a bare point", `{"a":1.}`, fault.Internal, fault.Invalid},
		{"an infinity", `{"a":Infinity}`, fault.Internal, fault.Invalid},
		{"a hex escape of three", `{"a":"\u00e"}`, fault.Internal, fault.Invalid},
		{"nothing", "", fault.Internal, fault.Invalid},
	} {
		if tt.csv != fault.Internal {
			_, err := selector.CSV(strings.NewReader(tt.doc), 2, fact.CSVCell{Row: 1, Column: "a"})
			if !fault.Is(err, tt.csv) {
				t.Errorf("%s as CSV: got %v, want %s", tt.name, err, tt.csv)
			}
		}
		_, err := selector.JSON(strings.NewReader(tt.doc), 2, "/a")
		if !fault.Is(err, tt.json) {
			t.Errorf("%s as JSON: got %v, want %s", tt.name, err, tt.json)
		}
	}
}

func TestAFailingReaderIsNotTheDocumentsFault(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("a,b\n1,2\n"), iotest.ErrReader(errors.New("the line went dead")))
	_, err := selector.CSV(broken, 0, fact.CSVCell{Row: 2, Column: "a"})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("CSV: got %v, want unavailable", err)
	}
	broken = io.MultiReader(strings.NewReader(`{"a": 1`), iotest.ErrReader(errors.New("the line went dead")))
	if _, err := selector.JSON(broken, 0, "/a"); !fault.Is(err, fault.Unavailable) {
		t.Errorf("JSON: got %v, want unavailable", err)
	}
}

func TestNumbersStayText(t *testing.T) {
	long := "0.1000000000000000055511151231257827021181583404541015625"
	found, err := selector.JSON(strings.NewReader(`{"a": `+long+`, "b": " 7 "}`), 0, "/a", "/b")
	if err != nil || found[0].Raw != long {
		t.Errorf("got %q, %v, want every digit", found[0].Raw, err)
	}
	if got := selector.Number(found[1].Raw); got != "7" {
		t.Errorf("got %q, want the blanks dropped", got)
	}
	if _, err := fact.ParseNumber(selector.Number("1,234")); !fault.Is(err, fault.Invalid) {
		t.Errorf("grouping: got %v, want invalid", err)
	}
}

// one is an endless document made of a head and one repeated part.
type repeated struct {
	head string
	part []byte
	n    int // parts left
	rest []byte
}

func (r *repeated) Read(p []byte) (int, error) {
	if r.head != "" {
		n := copy(p, r.head)
		r.head = r.head[n:]
		return n, nil
	}
	if len(r.rest) == 0 {
		if r.n == 0 {
			return 0, io.EOF
		}
		r.n--
		r.rest = r.part
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func TestMemoryDoesNotGrowWithTheDocument(t *testing.T) {
	const parts, allowed = 1_000_000, 8 << 20
	for name, find := range map[string]func() ([]selector.Found, error){
		"json": func() ([]selector.Found, error) {
			return selector.JSON(&repeated{head: `{"last": 1, "data": [0`, part: []byte(`,{"name":"x","v":[1.5,2]}`), n: parts}, 0, "/last")
		},
		"one long JSON string": func() ([]selector.Found, error) {
			return selector.JSON(&repeated{head: `{"last": 1, "data": "`, part: []byte(`long and longer, `), n: parts}, 0, "/last")
		},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := find()
		runtime.ReadMemStats(&after)
		if err == nil { // the document has no end
			t.Errorf("%s: want the missing end noticed", name)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
			t.Errorf("%s: allocated %d bytes, want at most %d", name, got, allowed)
		}
	}
}

func TestManyCellsAreFoundInOneReading(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("n,square\n")
	var cells []fact.CSVCell
	for i := 1; i <= 5000; i++ {
		fmt.Fprintf(&doc, "%d,%d\n", i, i*i)
		cells = append(cells, fact.CSVCell{Row: 5001 - i, Column: "square"})
	}
	found, err := selector.CSV(strings.NewReader(doc.String()), 0, cells...)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range found {
		if n := cells[i].Row; f.Err != nil || f.Raw != fmt.Sprint(n*n) || f.Line != n+1 {
			t.Fatalf("row %d: got %q on line %d, %v", n, f.Raw, f.Line, f.Err)
		}
	}
}

func TestAnObjectIsShownDownToItsValues(t *testing.T) {
	const doc = `{"against":[1,2],"for":[{"kind":"too near"},{"kind":"too far","data":{"miles":52.50,"by":["road",null,true]}},{"kind":"x"}]}`
	e, err := selector.Members(strings.NewReader(doc), "/for/1")
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"kind", "too far"}, {"data / miles", "52.50"}, {"data / by / 0", "road"}, {"data / by / 1", "null"},
		{"data / by / 2", "true"}}
	if len(e.Rows) != len(want) || e.In != "/for/1" {
		t.Fatalf("got %+v", e)
	}
	for i, row := range e.Rows {
		if !slices.Equal(row.Cells, want[i]) || row.Number != i+1 || row.Here {
			t.Errorf("row %d is %+v, want %v", i, row, want[i])
		}
	}
	if e, err := selector.Members(strings.NewReader("["+strings.Repeat("7,", 999)+"7]"), ""); err != nil || len(e.Rows) != 60 {
		t.Errorf("a long list: %d rows, %v", len(e.Rows), err)
	}
	if _, err := selector.Members(strings.NewReader(doc), "/for/9"); !fault.Is(err, fault.NotFound) {
		t.Errorf("nothing there: %v", err)
	}
	if e, err := selector.Members(strings.NewReader(`{"for":{}}`), "/for"); err != nil || len(e.Rows) != 0 {
		t.Errorf("an empty object: %+v, %v", e, err)
	}
}

func TestAnExcerptIsBounded(t *testing.T) {
	header := make([]string, 300)
	for i := range header {
		header[i] = fmt.Sprintf("c%d", i)
	}
	row := strings.Repeat(strings.Repeat("ल", 1000)+",", 299) + "7"
	doc := strings.Join(header, ",") + "\n" + row + "\n" + row + "\n"
	for _, column := range []string{"c0", "c150", "c299"} {
		found, err := selector.CSV(strings.NewReader(doc), 1000, fact.CSVCell{Row: 2, Column: column})
		if err != nil || found[0].Err != nil {
			t.Fatal(err, found[0].Err)
		}
		e := found[0].Excerpt
		if e.Header[e.Column] != column || e.Total != 300 || len(e.Header) > 24 || len(e.Rows) != 2 {
			t.Errorf("%s: got column %d of %d shown, %d rows", column, e.Column, len(e.Header), len(e.Rows))
		}
		for _, c := range e.Rows[0].Cells {
			if len([]rune(c)) > 161 {
				t.Errorf("a cell of %d characters is shown", len([]rune(c)))
			}
		}
	}
}

func TestRowsThatCannotBeReadBackAreNotWritten(t *testing.T) {
	for _, row := range []selector.TableRow{
		{Table: "reading", PK: "1"},
		{Table: "airshed.reading", PK: ""},
		{Table: "airshed.reading.pm25", PK: "1"},
		{Table: "airshed.reading", PK: "1", Columns: map[string]*string{"PM 2.5": ptr("1")}},
		{Table: "airshed.reading", PK: "1", Columns: map[string]*string{"v": ptr("\xff")}},
		{Table: "airshed.reading", PK: "1", Columns: map[string]*string{"v": ptr("a\x00")}},
	} {
		if _, err := selector.WriteRows(io.Discard, row); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: got %v, want invalid", row, err)
		}
	}
	long := selector.TableRow{Table: "airshed.reading", PK: "1",
		Columns: map[string]*string{"v": ptr(strings.Repeat("x", selector.MaxRecord))}}
	if _, err := selector.WriteRows(io.Discard, long); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long row: got %v, want too large", err)
	}
	_, err := selector.Rows(bytes.NewReader(bytes.Repeat([]byte("x"), 2*selector.MaxRecord)), 0, fact.TableRow{SHA256: "00"})
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long line: got %v, want too large", err)
	}
}
