package lake

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// A loose is a value as a file has it, as text or as a number: feeds write both.
// What is missing, null or "NA" is empty, and never 0.
type loose string

// UnmarshalJSON reads text, numbers and null.
func (l *loose) UnmarshalJSON(b []byte) error {
	*l = ""
	switch {
	case len(b) > 0 && b[0] == '"':
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		if s = strings.TrimSpace(s); !strings.EqualFold(s, "NA") {
			*l = loose(s)
		}
		return nil
	case string(b) == "null":
		return nil
	case len(b) > 0 && (b[0] == '-' || b[0] >= '0' && b[0] <= '9'):
		*l = loose(b)
		return nil
	}
	return fault.New(fault.Invalid, "neither text nor a number")
}

// number reads a number within bounds; 0 where there is none.
func (l loose) number(name string, least, most float64) (float64, error) {
	if l == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(string(l), 64)
	if err != nil || !(n >= least && n <= most) {
		return 0, fault.New(fault.Invalid, "%s %.40q is no number from %g to %g", name, l, least, most)
	}
	return n + 0, nil // there is no minus nought in a file
}

// needed is number, and refuses nothing.
func (l loose) needed(name string, least, most float64) (float64, error) {
	if l == "" {
		return 0, fault.New(fault.Invalid, "%s is missing", name)
	}
	return l.number(name, least, most)
}

// amount reads a concentration. ok is false where there is none; odd is true where
// no instrument in order gives it.
func (l loose) amount(name string) (a aqi.Amount, ok, odd bool, err error) {
	if l == "" {
		return aqi.None, false, false, nil
	}
	if a, err := aqi.ParseAmount(string(l)); err == nil {
		return a, true, false, nil
	}
	n, err := strconv.ParseFloat(string(l), 64)
	if err != nil || math.IsNaN(n) {
		return aqi.None, false, false, fault.New(fault.Invalid, "%s %.40q is no number", name, l)
	}
	if a, err := aqi.AmountOf(n); err == nil {
		return a, true, false, nil
	}
	return aqi.None, false, true, nil
}

// index reads an index of the air and rounds it, half upwards, for the first
// design has it with decimals; 0 where there is none.
func (l loose) index(name string) (index int, odd bool, err error) {
	if l == "" {
		return 0, false, nil
	}
	n, err := strconv.ParseFloat(string(l), 64)
	if err != nil || math.IsNaN(n) {
		return 0, false, fault.New(fault.Invalid, "%s %.40q is no number", name, l)
	}
	if n < 0 || n > aqi.Top {
		return 0, true, nil
	}
	return int(math.Floor(n + 0.5)), false, nil
}
