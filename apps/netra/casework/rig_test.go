package casework_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A rig is a desk on a real database that knows some districts.
type rig struct {
	netratest.Rig

	desk *casework.Desk
}

func newRig(t *testing.T, districts int) rig {
	t.Helper()
	r := rig{Rig: netratest.New(t)}
	r.Know(t, districts)
	r.desk = casework.New(r.Store)
	return r
}

// line is a report as NDJSON.
func line(t *testing.T, id string, lgd int, at time.Time, summary string) string {
	t.Helper()
	text, err := json.Marshal(signal.Report{EventID: id, Source: "desk", SourceType: "news", EventType: "riot", At: at, LGD: lgd,
		Summary: summary})
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// lines are so many reports, an hour back and a second apart.
func lines(t *testing.T, from, n int, at time.Time) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		b.WriteString(line(t, fmt.Sprintf("e%05d", from+i), 1+i%3, at.Add(time.Duration(-3600-from-i)*time.Second),
			"Stones thrown at a market"))
	}
	return b.String()
}

// lock has whoever brings signals of north in wait, until what it returns is called.
func (r rig) lock(t *testing.T) (release func()) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.DB.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), `select pg_advisory_lock(7426126, hashtext('north'))`); err != nil {
		t.Fatal(err)
	}
	return func() { _ = conn.Close(t.Context()) }
}
