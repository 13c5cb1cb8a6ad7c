package selector_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// FuzzCSV promises that a cell that is found is the one a plain reader of the
// whole document finds, in whichever of the usual delimiters it was read.
func FuzzCSV(f *testing.F) {
	for _, doc := range []string{"a,b\n1,2\n", "\xef\xbb\xbfa;b\r\n\"1\r\n\";2\r\n", "a\tb\n\n1\n", "a,a\n1,2", "a|b\n\"x\"\"y\"|",
		"\n\na,b\n1,2"} {
		f.Add([]byte(doc), 1, "a")
	}
	f.Fuzz(func(t *testing.T, doc []byte, row int, column string) {
		found, err := selector.CSV(bytes.NewReader(doc), 2, fact.CSVCell{Row: row, Column: column})
		if err != nil || found[0].Err != nil {
			return
		}
		e := found[0].Excerpt
		if e == nil || strings.TrimSpace(e.Header[e.Column]) == "" && strings.TrimSpace(column) != "" {
			t.Fatalf("an excerpt without its column: %+v", e)
		}
		for _, comma := range ",;\t|" {
			r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))))
			r.Comma, r.FieldsPerRecord = comma, -1
			var records [][]string
			for rec, err := r.Read(); err == nil && len(records) <= row; rec, err = r.Read() {
				records = append(records, rec)
			}
			if len(records) <= row {
				continue
			}
			for i, name := range records[0] {
				if strings.TrimSpace(name) == strings.TrimSpace(column) && i < len(records[row]) && records[row][i] == found[0].Raw {
					return
				}
			}
		}
		t.Fatalf("found %q, and no plain reader does", found[0].Raw)
	})
}

// FuzzJSON promises that what is valid is what the standard library calls valid,
// and that a value that is found is the one it finds.
func FuzzJSON(f *testing.F) {
	for _, doc := range []string{`{"a":[1,-2.5e+7,"x\ud83d\ude00\ud800y"]}`, `[[]]`, `{"a":{"a":null}}`, `1e5`, `"\u00e9"`, `{"a":1,"a":2}`,
		` [true , false]`} {
		for _, p := range []string{"/a/1", "/a", "", "/0", "/a/2"} {
			f.Add([]byte(doc), p)
		}
	}
	f.Fuzz(func(t *testing.T, doc []byte, pointer string) {
		found, err := selector.JSON(bytes.NewReader(doc), 2, pointer)
		if fault.Is(err, fault.TooLarge) {
			return
		}
		plain := bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf"))
		if valid := json.Valid(plain); valid != (err == nil) && !foreign(doc) {
			t.Fatalf("valid %v, and our reader says %v", valid, err)
		}
		if err == nil && found[0].Holds {
			if e, err := selector.Members(bytes.NewReader(doc), pointer); err != nil || len(e.Rows) > 60 {
				t.Fatalf("at %q: %+v, %v", pointer, e, err)
			}
		}
		if err != nil || found[0].Err != nil {
			return
		}
		want, ok := walk(plain, pointer)
		if got := strings.ToValidUTF8(found[0].Raw, "\uFFFD"); !ok || collapse(got) != collapse(want) {
			t.Fatalf("at %q: got %q, want %q", pointer, got, want)
		}
	})
}

// foreign reports whether the document is refused for its encoding alone.
func foreign(doc []byte) bool {
	head := doc[:min(3, len(doc))]
	return bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) ||
		bytes.HasPrefix(head, []byte("\x1f\x8b"))
}

// collapse makes one replacement character of several: readers differ in how
// many they write for a run of bytes that are not text.
func collapse(s string) string {
	for strings.Contains(s, "\uFFFD\uFFFD") {
		s = strings.ReplaceAll(s, "\uFFFD\uFFFD", "\uFFFD")
	}
	return s
}

// walk finds a value by way of the standard library.
func walk(doc []byte, pointer string) (string, bool) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return "", false
	}
	if pointer != "" {
		for _, name := range strings.Split(pointer[1:], "/") {
			name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
			switch x := v.(type) {
			case map[string]any:
				v = x[name]
			case []any:
				i, err := strconv.Atoi(name)
				if err != nil || i < 0 || i >= len(x) {
					return "", false
				}
				v = x[i]
			}
		}
	}
	switch x := v.(type) {
	case json.Number:
		return x.String(), true
	case string:
		return x, true
	}
	return "", false
}

// FuzzRows promises that no document makes a row out of what is none, and that
// what is found is in the bytes that the digest covers.
func FuzzRows(f *testing.F) {
	var doc bytes.Buffer
	refs, err := selector.WriteRows(&doc, selector.TableRow{Table: "a.b", PK: "1", Columns: map[string]*string{"c": ptr("2.5"), "d": nil}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(doc.Bytes(), refs[0].SHA256, "a.b.c", "1")
	f.Fuzz(func(t *testing.T, doc []byte, digest, table, pk string) {
		found, err := selector.Rows(bytes.NewReader(doc), 1, fact.TableRow{Table: table, PK: pk, SHA256: digest})
		if err != nil || found[0].Err != nil {
			return
		}
		line := bytes.Split(bytes.TrimPrefix(doc, []byte("\xef\xbb\xbf")), []byte("\n"))[found[0].Line-1]
		var row selector.TableRow
		if err := json.Unmarshal(line, &row); err != nil || !strings.HasPrefix(table, row.Table+".") || row.PK != pk {
			t.Fatalf("found %q in line %q", found[0].Raw, line)
		}
	})
}
