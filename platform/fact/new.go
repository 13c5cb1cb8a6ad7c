package fact

import (
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Reading is what is known of a value that was read or entered: everything of
// a fact that a source can say.
type Reading struct {
	Kind     Kind   // Observed, Quoted or Assumed
	Number   string // as the source writes it
	Unit     string
	Decimals int // to show
	AsOf     time.Time
	Subject  Subject
	Source   Source
}

// Read makes a fact of a reading. It has no number yet: a Book gives it one.
func Read(r Reading) (Fact, error) {
	n, err := ParseNumber(r.Number)
	if err != nil {
		return Fact{}, err
	}
	src := r.Source
	f := Fact{
		Kind: r.Kind, Key: keyOfReading(r.Kind, r.Subject, src.Selector),
		Value: valueOf(n), Exact: Rational(n.RatString()), Unit: r.Unit,
		Rounding: Rounding{Decimals: r.Decimals, HalfAway: true},
		AsOf:     r.AsOf, Subject: r.Subject, Source: &src,
	}
	f.Display = Style{}.Show(f, Options{})
	if err := f.checkRest(); err != nil { // its number and key were made a few lines above
		return Fact{}, err
	}
	return f, nil
}

// Bounds on what a source may say of a fact.
const (
	maxIDs       = 24
	maxNames     = 64
	maxTextChars = 400
)

// isIDName reports whether an id of a subject may be called so. It is asked for every id of every fact: a pattern would cost more than
// all else that is checked.
func isIDName(s string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c != '_' && (c < '0' || c > '9')) {
			return false
		}
	}
	return s != "" && len(s) <= 40
}

// isSHA256 reports whether s is a SHA-256 in hex.
func isSHA256(s string) bool {
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(s) == 64
}

// check refuses a fact whose parts contradict each other or are out of bounds.
// It does not look at number and version, which come later, nor recompute a
// derivation: that is Reperform.
func (f Fact) check() error {
	n, err := f.Number()
	if err != nil {
		return err
	}
	if got := valueOf(n); got != f.Value {
		return fault.New(fault.Invalid, "value %.60s of a fact is not its exact value %.60s rounded to %d digits", f.Value, f.Exact, Digits)
	}
	if err := f.checkRest(); err != nil {
		return err
	}
	if f.Calc == nil && f.Key != keyOfReading(f.Kind, f.Subject, f.Source.Selector) {
		return fault.New(fault.Invalid, "the key of a fact is not that of its subject and selector")
	}
	return nil
}

// checkRest is check without the number and the key.
func (f Fact) checkRest() error {
	if f.Rounding.Decimals < 0 || f.Rounding.Decimals > MaxDecimals || !f.Rounding.HalfAway {
		return fault.New(fault.Invalid, "a fact is shown with 0 to %d decimals, half rounded away from zero", MaxDecimals)
	}
	if len(f.Unit) > maxTextChars || strings.ContainsAny(f.Unit, "{}\n\r") {
		return fault.New(fault.Invalid, "unit %.40q is too long or holds braces", f.Unit)
	}
	if err := f.Subject.check(); err != nil {
		return err
	}
	switch f.Kind {
	case Computed:
		return f.checkCalc()
	case Observed, Quoted, Assumed:
		return f.checkSource()
	}
	return fault.New(fault.Invalid, "there is no kind of fact %.40q", f.Kind)
}

func (s Subject) check() error {
	if len(s.IDs) > maxIDs || len(s.Names.EN)+len(s.Names.HI) > maxNames {
		return fault.New(fault.TooLarge, "a subject has at most %d ids and %d names", maxIDs, maxNames)
	}
	for id, v := range s.IDs {
		if !isIDName(id) || v == "" || len(v) > maxTextChars {
			return fault.New(fault.Invalid, "subject id %.40q=%.40q: names are a-z, 0-9 and _, values are not empty", id, v)
		}
	}
	for _, names := range [][]string{s.Names.EN, s.Names.HI} {
		for _, n := range names {
			if n == "" || len(n) > maxTextChars {
				return fault.New(fault.Invalid, "a name of a subject is empty or longer than %d bytes", maxTextChars)
			}
		}
	}
	return nil
}

func (f Fact) checkCalc() error {
	if f.Calc == nil || f.Source != nil || len(f.Calc.Inputs) == 0 || len(f.Calc.Inputs) > MaxInputs {
		return fault.New(fault.Invalid, "a computed fact has a calculation with inputs, and no source")
	}
	if _, ok := ruleOf(f.Calc.Op); !ok {
		return fault.New(fault.Invalid, "there is no operation %.40q", f.Calc.Op)
	}
	return nil
}

func (f Fact) checkSource() error {
	if f.Source == nil || f.Calc != nil || f.Exact == "" {
		return fault.New(fault.Invalid, "a fact that is %s has a source and an exact value, and no calculation", f.Kind)
	}
	sel, set := f.Source.Selector, 0
	bad := false
	if c := sel.CSV; c != nil {
		set++
		bad = bad || c.Row < 1 || c.Column == "" || len(c.Column) > maxTextChars
	}
	if p := sel.JSON; p != nil {
		set++
		bad = bad || p.Pointer != "" && p.Pointer[0] != '/' || len(p.Pointer) > 4*maxTextChars
	}
	if r := sel.Row; r != nil {
		set++
		bad = bad || r.Table == "" || r.PK == "" || !isSHA256(r.SHA256)
	}
	if m := sel.Manual; m != nil {
		set++
		bad = bad || m.By == ""
	}
	if set != 1 || bad {
		return fault.New(fault.Invalid, "a source points to one CSV cell, JSON value, table row or person")
	}
	needsBytes := sel.CSV != nil || sel.JSON != nil
	if needsBytes || f.Source.Snapshot != "" {
		if !isSHA256(f.Source.Snapshot) {
			return fault.New(fault.Invalid, "snapshot %.80q is not a SHA-256 in hex", f.Source.Snapshot)
		}
	}
	return nil
}
