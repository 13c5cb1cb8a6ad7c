package selector

import (
	"errors"
	"fmt"
	"io"

	"github.com/gavelhq/gavel/platform/fault"
)

// PageRows is how many records a page of a document shows.
const PageRows = 2 * MaxAround

// CSVPage shows records of a CSV document from the one asked for on, counted from
// 1, and whether more follow. A page that begins after the last record is not
// found.
func CSVPage(r io.Reader, from int) (e *Excerpt, more bool, err error) {
	doc, err := openCSV(r)
	if err != nil {
		return nil, false, err
	}
	header, _, err := doc.next()
	if err != nil {
		return nil, false, fault.New(fault.Invalid, "the document has no header: %w", err)
	}
	e = newExcerpt(header, 0)
	e.Column = -1
	for row := 1; ; row++ {
		record, _, err := doc.next()
		switch {
		case errors.Is(err, io.EOF) && row <= from && from > 1:
			return nil, false, fault.New(fault.NotFound, "there is no record %d; the last is %d", from, row-1)
		case errors.Is(err, io.EOF):
			return e, false, nil
		case err != nil:
			return nil, false, fmt.Errorf("record %d: %w", row, err)
		case len(e.Rows) == PageRows:
			return e, true, nil
		case row >= from:
			e.Rows = append(e.Rows, Row{Number: row, Cells: e.window(record)})
		}
	}
}
