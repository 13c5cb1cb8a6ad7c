package paper

import (
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/docx"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/chart"
)

// editedWords stand above what a person wrote.
const editedWords = "This text was edited by a person."

// unwritten stands in a section that could not be written: a reader must not take it for a short one.
func unwritten(e report.Entry, parts []report.Part) string {
	if e.Status != report.Blocked || len(parts) > 0 {
		return ""
	}
	return "Nothing is written here: " + e.Why + "."
}

// appendix says what the report rests on, and what it does not tell.
func (w *wordFile) appendix() error {
	a := report.Assume(w.ledger, w.cat)
	w.add(docx.Heading{Level: 1, Text: "Inputs and assumptions"})
	for _, warning := range a.Warnings {
		w.add(docx.Text(docx.Warning, warning))
	}
	w.add(docx.Text(docx.Body, assumedWords(a)))
	inputs := docx.Table{Shares: []int{34, 36, 14, 16}, Head: []string{"Chart", "File", "Units", "SHA-256"}}
	for _, in := range a.Inputs {
		cells := []string{chart.Plain(in.Title), in.File, strings.Join(in.Units, ", "), short(in.SHA256)}
		inputs.Rows = append(inputs.Rows, docx.Row{Cells: cells})
	}
	w.add(inputs)
	for _, n := range a.Notes {
		w.add(docx.Text(docx.Item, n.File+": "+n.Text))
	}
	c, err := report.Cover(w.ledger, w.cat)
	if err != nil {
		return err
	}
	w.add(docx.Heading{Level: 1, Text: "What is not told"}, docx.Text(docx.Body, coveredWords(c)))
	untold := docx.Table{Shares: []int{36, 18, 22, 14, 10}, Head: []string{"Chart", "Scenario", "Series", "Change", "Share"}}
	for _, u := range c.Untold {
		untold.Rows = append(untold.Rows, docx.Row{Cells: []string{u.Chart, u.Scenario, u.Name, u.Change, strconv.Itoa(u.Share) + " %"}})
	}
	w.add(untold, docx.Text(docx.Body, "Charts that no section uses: "+strings.Join(c.Unused, ", ")+"."))
	return nil
}

// assumedWords says what holds for every number of a report.
func assumedWords(a report.Assumptions) string {
	return "Scenarios: " + strings.Join(a.Scenarios, ", ") + ". Years: " + strconv.Itoa(a.First) + " to " + strconv.Itoa(a.Last) +
		". Nothing is interpolated; a cell that is empty is no zero; totals name what they leave out."
}

// coveredWords says how much of what the charts show is told.
func coveredWords(c report.Coverage) string {
	return strconv.Itoa(c.Told) + " of " + strconv.Itoa(c.Changes) +
		" changes in the charts used are told. The largest of the others, against the largest change of their chart:"
}

// cited writes the annex.
func (w *wordFile) cited() {
	w.add(docx.Heading{Level: 1, Text: "Where every number is from"}, docx.Text(docx.Body, annexWords))
	for _, s := range w.annex.sections {
		t := docx.Table{Shares: []int{8, 18, 28, 46}, Head: []string{"Fact", "Value", "About", "From"}}
		for _, l := range w.annex.lines(s) {
			t.Rows = append(t.Rows, docx.Row{Mark: w.mark(s.entry.ID, l.id), Cells: []string{string(l.id), l.value, l.about, l.from}})
		}
		w.add(docx.Heading{Level: 3, Text: chart.Plain(s.entry.Title)}, t)
	}
}
