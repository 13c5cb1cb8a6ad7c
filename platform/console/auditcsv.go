package console

import (
	"encoding/csv"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
)

// maxRows is the most that one file of records holds; recordsAtOnce is how many
// are read at a time.
const (
	maxRows       = 10_000
	recordsAtOnce = 200
)

// logCSV is the filtered records as a file, newest first. A list that stops at
// maxRows says so in its last line: nobody takes a part for the whole.
func (c *Console) logCSV(w http.ResponseWriter, r *http.Request) error {
	v, actor, err := c.readQuery(r)
	if err != nil {
		return err
	}
	var rows [][]string
	v.want.Limit = recordsAtOnce
	for len(rows) < maxRows {
		v.logPage, err = ask(r.Context(), c.DB.InOrg, actor.Org, listing(audit.List, v.want))
		if err != nil {
			return err
		}
		for _, e := range v.entries {
			rows = append(rows, csvRow(e))
		}
		if v.want.Before = v.next; v.next == "" {
			break
		}
	}
	if v.next != "" {
		rows = append(rows, []string{fmt.Sprintf("not complete: more records follow; go on with before=%s", v.next), "", "", "", "", "", "", "", ""})
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="gavel-records.csv"`)
	out := csv.NewWriter(w)
	_ = out.Write([]string{"record", "entry", "at", "kind", "app", "actor_kind", "actor", "subject", "json"})
	_ = out.WriteAll(rows) // the reader may have gone; there is nobody to tell
	return nil
}

func csvRow(e audit.Entry) []string {
	place := ""
	if e.Seq >= 0 {
		place = strconv.FormatInt(e.Seq, 10)
	}
	rec := e.Record
	return []string{string(e.ID), place, rec.At.UTC().Format(time.RFC3339Nano), string(rec.Kind), inert(rec.App), string(rec.Actor.Kind),
		inert(rec.Actor.ID), inert(rec.Subject), e.JSON}
}

// inert keeps a spreadsheet from taking a cell for a formula.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}
