package netratest

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

// A Log is what a server writes down, all of it.
type Log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// String is what was written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Planted is texts with personal data, so many of each kind, to be sent, and the pieces of them that are looked for afterwards. What
// the finder does not know it cannot stop: such texts are left out, and must be few.
func Planted(t testing.TB, seed uint64, each int) (texts, needles []string) {
	t.Helper()
	missed := 0
	for _, c := range piitest.Positives(seed, each) {
		var pieces []string
		for _, h := range c.Hits {
			if piece := c.Text[h.Start:h.End]; len(piece) >= 8 {
				pieces = append(pieces, piece)
			}
		}
		left := pii.Mask(c.Text)
		if left == c.Text || len([]rune(c.Text)) > signal.MaxSummary ||
			slices.ContainsFunc(pieces, func(p string) bool { return strings.Contains(left, p) }) {
			missed++
			continue
		}
		texts, needles = append(texts, c.Text), append(needles, pieces...)
	}
	if missed > len(texts)/50 || len(texts) < 15*each {
		t.Fatalf("%d texts are sent, %d are not known to the rules", len(texts), missed)
	}
	return texts, needles
}

// Everything is all rows of all tables, past every wall.
func Everything(t testing.TB, address string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), `select format('%I.%I', schemaname, tablename) from pg_tables
		where schemaname not in ('pg_catalog', 'information_schema')`)
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(tables) < 20 {
		t.Fatal(len(tables), err)
	}
	var b strings.Builder
	for _, table := range tables {
		rows, _ := conn.Query(t.Context(), `select x::text from `+table+` x`)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(table, err)
		}
		b.WriteString(strings.Join(all, "\n"))
	}
	return b.String()
}
