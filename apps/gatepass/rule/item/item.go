// Package item is what somebody carries out on a pass, and what comes back of it: all at once, part by part, damaged or
// not at all. Of every item it holds that what went out is what came back, what is lost and what is open.
package item

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Most is how many items a pass may list.
const Most = 200

// An ID names an item within its pass.
type ID string

// An Item is one line of a pass.
type Item struct {
	ID           ID
	Name         string
	Quantity     Quantity
	Unit         string // "pc", "kg"; as people write it
	Serial       string // of one single thing; then the quantity is one
	Asset        string // what the institution's own register calls it
	Returnable   bool
	ConditionOut string

	Good, Damaged, Lost Quantity // what has been settled so far
}

// A Condition is how something came back.
type Condition string

// The conditions. Lost is what the person who is back says will not come; it is settled, and stays a difference
// for an administrator to look into.
const (
	AsItWas Condition = "good"
	Broken  Condition = "damaged"
	Missing Condition = "lost"
)

// Open is how much has yet to come back. What need not come back is never open.
func (it Item) Open() Quantity {
	if !it.Returnable {
		return 0
	}
	return it.Quantity - it.Good - it.Damaged - it.Lost
}

// Check says what is wrong with a pass's items before anything has gone out.
func Check(items []Item) error {
	if len(items) > Most {
		return fault.New(fault.Invalid, "a pass lists at most %d items", Most).On("items", "too_many", "200")
	}
	ids, serials := map[ID]bool{}, map[string]bool{}
	for _, it := range items {
		if err := it.check(); err != nil {
			return err
		}
		if ids[it.ID] {
			return fault.New(fault.Invalid, "item %.40q is listed twice", it.ID).On("items", "repeated", string(it.ID))
		}
		ids[it.ID] = true
		serial := SerialKey(it.Serial)
		if serial != "" && serials[serial] {
			return fault.New(fault.Invalid, "serial number %.60q is listed twice", it.Serial).On("items", "repeated_serial", it.Serial)
		}
		serials[serial] = true
	}
	return nil
}

func (it Item) check() error {
	name := strings.TrimSpace(it.Name)
	switch {
	case it.ID == "" || len(it.ID) > 40:
		return fault.New(fault.Invalid, "an item has no id").On("items", "no_id", "")
	case name == "" || len([]rune(name)) > 120:
		return fault.New(fault.Invalid, "item %.40q: its name has 1 to 120 characters", it.ID).On("items", "name", string(it.ID))
	case it.Quantity <= 0 || it.Quantity > mostOut:
		return fault.New(fault.Invalid, "item %.40q: its quantity must be above zero", it.ID).On("items", "quantity", string(it.ID))
	case len([]rune(it.Unit)) > 20 || len([]rune(it.Serial)) > 60 || len([]rune(it.Asset)) > 60 || len([]rune(it.ConditionOut)) > 200:
		return fault.New(fault.Invalid, "item %.40q: one of its fields is too long", it.ID).On("items", "too_long", string(it.ID))
	case it.Serial != "" && it.Quantity != One:
		return fault.New(fault.Invalid, "item %.40q has a serial number: its quantity is one", it.ID).
			On("items", "serial_quantity", string(it.ID))
	case it.Good != 0 || it.Damaged != 0 || it.Lost != 0:
		return fault.New(fault.Invalid, "item %.40q has come back before it went out", it.ID).On("items", "settled", string(it.ID))
	}
	return nil
}

// SerialKey is a serial number as it is compared: case, spaces and hyphens are how people copy it, not what it is.
func SerialKey(serial string) string {
	return strings.ToUpper(strings.NewReplacer(" ", "", "-", "", "\t", "").Replace(strings.TrimSpace(serial)))
}

// A Back is what came back of one item at one scan.
type Back struct {
	Item      ID
	Quantity  Quantity
	Condition Condition
}

// A Difference is what did not come back as it went out.
type Difference struct {
	Item      ID
	Quantity  Quantity
	Condition Condition // Broken or Missing
}

// Return settles what came back at one scan: the items afterwards, and what is different from how it went out. Nothing is
// settled where one line is wrong. What is not in the list is still open: a guard who ticks nothing has
// said that nothing came back.
func Return(items []Item, back []Back) ([]Item, []Difference, error) {
	after := slices.Clone(items)
	var differences []Difference
	for _, b := range back {
		i := slices.IndexFunc(after, func(it Item) bool { return it.ID == b.Item })
		if i < 0 {
			return nil, nil, fault.New(fault.Invalid, "the pass lists no item %.40q", b.Item).On("items", "unknown_item", string(b.Item))
		}
		if err := after[i].settle(b); err != nil {
			return nil, nil, err
		}
		if b.Condition != AsItWas {
			differences = append(differences, Difference(b))
		}
	}
	return after, differences, nil
}

func (it *Item) settle(b Back) error {
	switch {
	case !it.Returnable:
		return fault.New(fault.Invalid, "item %.40q was not to come back", it.ID).On("items", "not_returnable", string(it.ID))
	case b.Quantity <= 0:
		return fault.New(fault.Invalid, "item %.40q: the quantity that came back must be above zero", it.ID).
			On("items", "quantity", string(it.ID))
	case b.Quantity > it.Open():
		return fault.New(fault.Invalid, "item %.40q: %s came back and only %s was open", it.ID, b.Quantity, it.Open()).
			On("items", "more_than_open", string(it.ID))
	}
	switch b.Condition {
	case AsItWas:
		it.Good += b.Quantity
	case Broken:
		it.Damaged += b.Quantity
	case Missing:
		it.Lost += b.Quantity
	default:
		return fault.New(fault.Invalid, "item %.40q: there is no condition %.30q", it.ID, b.Condition).
			On("items", "condition", string(it.ID))
	}
	return nil
}

// AnyOpen reports whether something has yet to come back.
func AnyOpen(items []Item) bool {
	return slices.ContainsFunc(items, func(it Item) bool { return it.Open() > 0 })
}

// Everything is the list of a guard who ticks all that is open.
func Everything(items []Item) []Back {
	var all []Back
	for _, it := range items {
		if open := it.Open(); open > 0 {
			all = append(all, Back{it.ID, open, AsItWas})
		}
	}
	return all
}
