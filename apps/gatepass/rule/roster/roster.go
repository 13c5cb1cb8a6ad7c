// Package roster reads a list of people who need a pass, as somebody pastes it out of a spreadsheet: one line for a person,
// one more for each further thing that they take along. Every line that cannot become a pass is named with the reason.
package roster

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// Most is how many passes a list makes at once.
const Most = 200

// An Entry is a pass of the list.
type Entry struct {
	Name    string
	Purpose string
	Back    bool
	Ref     string // of an employee
	Plate   string
	Leaves  time.Time // zero: now
	Until   time.Time // zero: the end of the site's day
	Due     time.Time // zero: by the end of the pass
	Items   []item.Item
}

// Draft is the pass that an entry asks for, at a site.
func (e Entry) Draft(site string) pass.Draft {
	back := e.Back
	return pass.Draft{PersonName: e.Name, Description: e.Purpose, IsReturnable: &back, SiteID: site, EmployeeRef: e.Ref,
		VehiclePlate: e.Plate,
		Items:        e.Items, ValidFrom: e.Leaves, ValidUntil: e.Until, ExpectedReturnAt: e.Due}
}

// Columns are the columns of a list, those that it must have first.
func Columns() (must, may []string) {
	for _, f := range Table(time.Time{}, time.UTC).Fields {
		if f.Must {
			must = append(must, f.Columns...)
		} else {
			may = append(may, f.Columns...)
		}
	}
	return must, may
}

// Table says how a list is read at a moment at a site.
func Table(now time.Time, zone *time.Location) intake.Table[Entry] {
	day := now.In(zone).Format(time.DateOnly)
	at := func(name string, to func(*Entry) *time.Time) intake.Field[Entry] {
		return intake.Single(name, to, func(s string) (time.Time, error) { return clock(name, day, s, zone) }, func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.In(zone).Format(whole)
		})
	}
	said := intake.Single("comes_back", func(e *Entry) *bool { return &e.Back }, yesOrNo, strconv.FormatBool)
	return intake.Table[Entry]{Name: "passes", Fields: []intake.Field[Entry]{
		intake.Named("name", 480, func(e *Entry) *string { return &e.Name }),
		intake.Required(intake.Words("purpose", 500, func(e *Entry) *string { return &e.Purpose })),
		intake.Required(said),
		intake.Words("employee", 64, func(e *Entry) *string { return &e.Ref }),
		intake.Words("vehicle", 20, func(e *Entry) *string { return &e.Plate }),
		at("leaves", func(e *Entry) *time.Time { return &e.Leaves }),
		at("back_by", func(e *Entry) *time.Time { return &e.Due }),
		at("valid_until", func(e *Entry) *time.Time { return &e.Until }),
		items(),
	}, Key: func(e *Entry) string { return strings.ToUpper(e.Name + "\x00" + e.Ref) }, Check: func(e *Entry) error {
		if wrong := e.Draft("").Wrong(now, zone); len(wrong) > 0 {
			return fault.New(fault.Invalid, "%s: %s", wrong[0].Field, strings.ReplaceAll(wrong[0].Code, "_", " "))
		}
		return nil
	}}
}

// yesOrNo reads whether somebody comes back. It is said, and never guessed.
func yesOrNo(s string) (bool, error) {
	switch strings.ToLower(s) {
	case "yes", "y", "true", "1", "हाँ":
		return true, nil
	case "no", "n", "false", "0", "नहीं":
		return false, nil
	}
	return false, fault.New(fault.Invalid, "comes_back: say yes or no")
}

// whole is a moment as a list has it.
const whole = "2006-01-02 15:04"

// clock reads a moment, or a time of the day.
func clock(name, day, s string, zone *time.Location) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	for _, text := range []string{s, day + " " + s} {
		if t, err := time.ParseInLocation(whole, text, zone); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fault.New(fault.Invalid, "%s %.20q: write 15:30, or 2026-11-18 15:30", name, s)
}

// items is what somebody takes along: a line for each thing.
func items() intake.Field[Entry] {
	return intake.Field[Entry]{Name: "items", Columns: []string{"item", "quantity", "serial", "item_back"}, Spare: 3,
		Read: func(e *Entry, cells []string) error {
			if e.Items = nil; cells[0] == "" {
				return nil
			}
			one := item.Item{Name: cells[0], Quantity: item.One, Serial: cells[2]}
			var err error
			if cells[1] != "" {
				if one.Quantity, err = item.ParseQuantity(cells[1]); err != nil {
					return fault.New(fault.Invalid, "quantity %.20q: write a number above zero", cells[1])
				}
			}
			if cells[3] != "" {
				if one.Returnable, err = yesOrNo(cells[3]); err != nil {
					return fault.New(fault.Invalid, "item_back: say yes or no")
				}
			}
			e.Items = []item.Item{one}
			return nil
		},
		Write: func(e *Entry) [][]string {
			out := make([][]string, 0, len(e.Items)+1)
			for _, it := range e.Items {
				out = append(out, []string{it.Name, it.Quantity.String(), it.Serial, strconv.FormatBool(it.Returnable)})
			}
			if len(out) == 0 {
				out = append(out, make([]string, 4))
			}
			return out
		},
		Take: func(to, from *Entry) { to.Items = slices.Clone(from.Items) },
		Join: func(to, from *Entry) { to.Items = append(to.Items, from.Items...) },
	}
}

// CSV is a pasted text as a file: cells of a spreadsheet come divided by tabs.
func CSV(text string) []byte {
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n ")
	first, _, _ := strings.Cut(text, "\n")
	if !strings.Contains(first, "\t") {
		return []byte(text + "\n")
	}
	var b bytes.Buffer
	w, wide := csv.NewWriter(&b), strings.Count(first, "\t")+1
	for line := range strings.SplitSeq(text, "\n") {
		cells := strings.Split(line, "\t")
		for len(cells) < wide { // empty cells at the end of a line are often left out
			cells = append(cells, "")
		}
		_ = w.Write(cells) // a buffer takes everything
	}
	w.Flush()
	return b.Bytes()
}

// Read reads a pasted list.
func Read(text string, now time.Time, zone *time.Location) (intake.File[Entry], error) {
	f, err := intake.Read(Table(now, zone), CSV(text))
	if err == nil && len(f.Rows) > Most {
		err = fault.New(fault.TooLarge, "the list has %d people; at most %d at once", len(f.Rows), Most).WithNext("send it in parts")
	}
	return f, err
}
