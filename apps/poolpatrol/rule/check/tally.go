package check

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Tally gathers what a specialist finds about one van and makes a verdict of
// it.
type Tally struct {
	findings []Finding
	guilty   []Evidence // of findings
	clean    []Evidence // of riders with whom nothing is wrong
	context  []Evidence // true whatever the label is
	unknown  []Evidence
	recheck  fleet.Date
}

// DataMissing is the kind of finding that says the records are incomplete.
const DataMissing = "data_missing"

// Expect makes room for evidence, for passes over many vans.
func (t *Tally) Expect(n int) { t.clean = slices.Grow(t.clean, n+1) } // and one that is put before it

// Found adds a finding and the evidence it rests on.
func (t *Tally) Found(f Finding, e ...Evidence) {
	t.findings = append(t.findings, f)
	t.guilty = append(t.guilty, e...)
}

// Missing adds that the records do not allow a judgement. It is a failed check
// with the least confidence, and goes to those who keep the records.
func (t *Tally) Missing(name Name, who fleet.EmployeeID, field, why string) {
	t.Found(Finding{Employee: who, Check: name, Kind: DataMissing, Confidence: Least, Route: ToData, Mark: field,
		WouldChange: "a complete record of " + field})
	t.unknown = append(t.unknown, NewEvidence(DataMissing, "employee_id", who, "field", field, "problem", why))
}

// Clean adds evidence that somebody fits.
func (t *Tally) Clean(e ...Evidence) { t.clean = append(t.clean, e...) }

// Context adds evidence that belongs to the verdict whatever it says.
func (t *Tally) Context(e ...Evidence) { t.context = append(t.context, e...) }

// Unknown adds what could not be looked at.
func (t *Tally) Unknown(e ...Evidence) { t.unknown = append(t.unknown, e...) }

// Recheck asks for another look on a day; the earliest day asked for stays.
func (t *Tally) Recheck(on fleet.Date) {
	if on != 0 && (t.recheck == 0 || on < t.recheck) {
		t.recheck = on
	}
}

// Conclude is the verdict. It fails on any finding, as sure as the surest of
// them; it passes as sure as the caller is of the whole.
func (t *Tally) Conclude(pass Confidence) Verdict {
	v := Verdict{Label: Pass, Confidence: pass.within(), Unknown: t.unknown, Recheck: t.recheck}
	if len(t.findings) == 0 {
		v.For = slices.Insert(t.clean, 0, t.context...)
		t.clean = nil // it is the verdict's now
		return v
	}
	v.Label, v.Confidence = Fail, Least
	v.For, v.Against = slices.Concat(t.context, t.guilty), t.clean
	v.Findings = t.findings
	for _, f := range t.findings {
		v.Confidence = max(v.Confidence, f.Confidence.within())
	}
	v.WouldChange = changes(v.Findings)
	return v
}

// changes says what would turn a failed verdict, in at most three sentences.
func changes(all []Finding) string {
	var said []string
	for _, f := range all {
		if s := f.WouldChange; s != "" && f.Excused == nil && !slices.Contains(said, s) && len(said) < 3 {
			said = append(said, s)
		}
	}
	return strings.Join(said, "; ")
}
