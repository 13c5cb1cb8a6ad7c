package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/rule/feed"
)

// TestAFileIsSentInPartsThatLoseNothing promises that every record of a file is in one part, also one of several lines, and that
// each part of a table can be read by itself.
func TestAFileIsSentInPartsThatLoseNothing(t *testing.T) {
	var lines, table strings.Builder
	table.WriteString("event_id,event_summary\n")
	for i := range 500 {
		fmt.Fprintf(&lines, `{"event_id":"e%d"}`+"\n", i)
		fmt.Fprintf(&table, "e%d,\"two\nlines, \"\"quoted\"\"\"\n", i)
	}
	for name, of := range map[string]struct {
		file   string
		comma  rune
		format feed.Format
	}{"ndjson": {lines.String(), 0, feed.NDJSON}, "csv": {table.String(), ',', feed.CSV}, "one answer": {`{"data":[]}`, ',', feed.ACLED}} {
		var ids []string
		n, whole := 0, 0
		err := parts([]byte(of.file), of.comma, 1000, func(part []byte, before, sent int) error {
			n++
			whole = sent
			if want := bytes.Count([]byte(of.file)[:strings.Index(of.file, firstOf(part, of.comma))], []byte("\n")); of.comma == 0 &&
				before != want {
				t.Errorf("%s: got %d lines before, want %d", name, before, want)
			}
			return feed.Read(of.format, part, nil, func(l feed.Line) error { ids = append(ids, l.Report.EventID); return nil })
		})
		if err != nil || whole != len(of.file) {
			t.Fatalf("%s: sent %d of %d, %v", name, whole, len(of.file), err)
		}
		if name == "one answer" {
			continue
		}
		if len(ids) != 500 || n < 5 {
			t.Fatalf("%s: got %d records in %d parts", name, len(ids), n)
		}
		for i, id := range ids {
			if id != fmt.Sprintf("e%d", i) {
				t.Fatalf("%s: got %s at %d", name, id, i)
			}
		}
	}
}

// firstOf is the first record of a part.
func firstOf(part []byte, comma rune) string {
	if comma != 0 {
		_, part, _ = bytes.Cut(part, []byte("\n"))
	}
	line, _, _ := bytes.Cut(part, []byte("\n"))
	return string(line)
}
