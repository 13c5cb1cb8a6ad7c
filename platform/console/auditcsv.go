package console

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// maxRows is the most that one file of records holds; recordsAtOnce is how many
// are read at a time.
const (
	maxRows       = 10_000
	recordsAtOnce = 200
)

// logCSV is the filtered records as a file, newest first. A list that stops at
// maxRows says so in its last line: nobody takes a part for the whole. That it
// leaves is on record, with its digest, before its first byte goes out, which is
// why it is asked for with POST.
func (c *Console) logCSV(w http.ResponseWriter, r *http.Request) error {
	v, actor, err := c.readQuery(r)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "text/csv; charset=utf-8")
	header.Set("Content-Disposition", `attachment; filename="gavel-records.csv"`)
	file, rows, err := c.writeCSV(r.Context(), actor.Org, v.want)
	if err != nil {
		return c.undeclared(header, err)
	}
	_, err = c.Log.NoteExport(r.Context(), actor, c.site.Page(r).Now,
		audit.Departure{File: "records", Subject: "log", SHA256: blob.Sum(file), Size: int64(len(file)), Rows: rows})
	if err != nil {
		return c.undeclared(header, err)
	}
	_, _ = w.Write(file) // the reader may have gone; there is nobody to tell
	return nil
}

// undeclared takes back what was said of a file that does not come.
func (*Console) undeclared(header http.Header, err error) error {
	header.Del("Content-Type")
	header.Del("Content-Disposition")
	return err
}

// writeCSV makes the file and counts its records.
func (c *Console) writeCSV(ctx context.Context, org identity.Org, want audit.Query) (file []byte, n int, err error) {
	lines := [][]string{{"record", "entry", "at", "kind", "app", "actor_kind", "actor", "subject", "json", "damage"}}
	want.Limit = recordsAtOnce
	for n < maxRows {
		page, err := c.Log.Page(ctx, org, want)
		if err != nil {
			return nil, n, err
		}
		for _, e := range page.Entries {
			lines = append(lines, csvRow(e))
		}
		n += len(page.Entries)
		if want.Before = page.Next; page.Next == "" {
			break
		}
	}
	if want.Before != "" {
		more := make([]string, len(lines[0]))
		more[0] = fmt.Sprintf("not complete: more records follow; go on with before=%s", want.Before)
		lines = append(lines, more)
	}
	return web.CSV(lines), n, nil
}

// maxDamaged bounds the text of a record that cannot be read, in bytes. One that
// can is bounded already.
const maxDamaged = 32 << 10

func csvRow(e audit.Entry) []string {
	place := ""
	if e.Seq >= 0 {
		place = strconv.FormatInt(e.Seq, 10)
	}
	if e.Damage != nil {
		return []string{string(e.ID), place, "", "", "", "", "", "", clipped(e.JSON, maxDamaged), e.Damage.Text}
	}
	rec := e.Record
	return []string{string(e.ID), place, rec.At.UTC().Format(time.RFC3339Nano), string(rec.Kind), rec.App, string(rec.Actor.Kind),
		rec.Actor.ID, rec.Subject, e.JSON, ""}
}
