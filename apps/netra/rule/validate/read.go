package validate

import (
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// EventColumns are those of a file of events.
var EventColumns = []string{"district_lgd", "timestamp", "ingested"}

// ReadEvents reads a CSV file of violent events, all of it or nothing. Districts go by their codes.
func ReadEvents(file []byte) ([]Event, error) {
	lines, err := intake.Lines(file, EventColumns...)
	if err != nil {
		return nil, err
	}
	var all []Event
	for _, l := range lines {
		at, err := time.Parse(time.RFC3339, l.Cells[1])
		known, also := time.Parse(time.RFC3339, l.Cells[2])
		if _, code := strconv.Atoi(l.Cells[0]); err != nil || also != nil || code != nil {
			return nil, l.At(fault.New(fault.Invalid,
				"it has no code of a district, or a time that is not written as 2026-02-03T14:58:29+05:30"))
		}
		all = append(all, Event{District: l.Cells[0], At: at, Ingested: known})
	}
	return all, nil
}
