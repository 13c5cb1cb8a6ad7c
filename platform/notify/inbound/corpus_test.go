package inbound_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/notify/inbound"
)

// A row of the table says what must become of a mail of the corpus: its state, who
// or what it is from, by what it was matched and to which case ("-" for none), the
// reason if it was not simply believed, and the words that are new in it.
type row struct{ file, state, kind, match, of, reason, fresh string }

func (r row) String() string {
	return strings.Join([]string{r.file, r.state, r.kind, r.match, r.of, r.reason, strings.Trim(strconv.Quote(r.fresh), `"`)}, "\t")
}

// table reads the rows of the corpus: generated.tsv is written by the generator,
// hand.tsv by hand.
func table(t testing.TB) (all []row) {
	t.Helper()
	for _, name := range []string{"generated.tsv", "hand.tsv"} {
		text, err := os.ReadFile(filepath.Join("testdata", "corpus", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line == "" || strings.HasPrefix(line, "#") {
				continue
			}
			cells := strings.Split(line, "\t")
			if len(cells) != 7 {
				t.Fatalf("%s: %q has %d cells, want 7", name, line, len(cells))
			}
			fresh, err := strconv.Unquote(`"` + cells[6] + `"`)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			all = append(all, row{cells[0], cells[1], cells[2], cells[3], cells[4], cells[5], fresh})
		}
	}
	return all
}

// TestEveryMailOfTheCorpusEndsAsTheTableSays promises that each mail is believed,
// held, quarantined or dropped as the table says, with the words that are new in
// it, and that none is lost: the bytes that came are the bytes that are kept.
func TestEveryMailOfTheCorpusEndsAsTheTableSays(t *testing.T) {
	rows := table(t)
	if got, want := len(rows), 150; got < want {
		t.Fatalf("the corpus has %d mails, want at least %d", got, want)
	}
	files, err := filepath.Glob("testdata/corpus/*.eml")
	if err != nil || len(files) != len(rows) {
		t.Errorf("there are %d files and %d rows (%v)", len(files), len(rows), err)
	}
	r := newRig(t)
	states := map[string]int{}
	entries := 0
	for _, want := range rows {
		t.Run(want.file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", "corpus", want.file))
			if err != nil {
				t.Fatal(err)
			}
			receipt := r.receive(t, string(raw))
			m, words, err := r.Words(t.Context(), officer(receipt.Org), receipt.ID)
			if err != nil {
				t.Fatal(err)
			}
			got := row{want.file, string(m.State), string(m.Kind), string(m.Match), nameOf(m), string(m.Reason), words.Fresh}
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			kept, err := r.Raw(t.Context(), officer(receipt.Org), receipt.ID)
			if err != nil || string(kept) != string(raw) {
				t.Errorf("the mail is not kept as it came: %v", err)
			}
			states[got.state]++
			if m.State == inbound.Accepted {
				entries++
			}
		})
	}
	if got := r.count(t, `select count(*) from gavel.case_entry where kind in ('mail_received', 'mail_bounced')`); got != entries {
		t.Errorf("there are %d entries of %d mails that were believed", got, entries)
	}
	if got := r.count(t, `select count(*) from gavel.outbox where kind = 'signal' and payload ->> 'name' = 'mail'`); got != entries {
		t.Errorf("workflows were told of %d mails, want %d", got, entries)
	}
	t.Log(summary(len(rows), states))
}

func summary(n int, states map[string]int) string {
	var parts []string
	for _, s := range slices.Sorted(maps.Keys(states)) {
		parts = append(parts, fmt.Sprintf("%d %s", states[s], s))
	}
	return fmt.Sprintf("%d mails: %s", n, strings.Join(parts, ", "))
}

func nameOf(m inbound.Mail) string {
	for name, c := range cases {
		if c.id == m.Case {
			return name
		}
	}
	return "-"
}
