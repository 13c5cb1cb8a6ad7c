package paper

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// cards writes one card for each fact of a section.
func (p *page) cards(e report.Entry) {
	if len(e.Facts) == 0 {
		return
	}
	p.put(`<details class="facts"><summary>`, strconv.Itoa(len(e.Facts)), ` facts of this section</summary>`)
	for _, f := range e.Facts {
		p.put(`<article class="card" id="`, card(e.ID, f.ID), `"><h4>`, string(f.ID), ` <b>`, text(f.Display), `</b></h4><dl>`)
		p.row("exactly", text(exactly(f)+unit(f.Unit)))
		p.row("about", text(about(f.Subject)))
		p.origin(e, f)
		p.put(`</dl></article>`)
	}
	p.put(`</details>`)
}

// exactly is a value as people write it, where it has an end; else as the fraction that it is.
func exactly(f fact.Fact) string {
	n, err := f.Number()
	if err != nil {
		return string(f.Exact)
	}
	if digits, exact := n.FloatPrec(); exact {
		return n.FloatString(digits)
	}
	return string(f.Exact)
}

func unit(u string) string {
	if u == "" {
		return ""
	}
	return " " + u
}

// row writes a term and what it is, which is markup of ours.
func (p *page) row(term, is string) {
	if is != "" {
		p.put(`<dt>`, term, `</dt><dd>`, is, `</dd>`)
	}
}

// about is what a fact is of, in the order of the names.
func about(s fact.Subject) string {
	var out []string
	for _, id := range slices.Sorted(maps.Keys(s.IDs)) {
		out = append(out, id+" "+s.IDs[id])
	}
	return strings.Join(out, ", ")
}

// origin says where a fact was read, or how it was computed.
func (p *page) origin(e report.Entry, f fact.Fact) {
	if f.Calc != nil {
		var inputs []string
		for _, in := range f.Calc.Inputs {
			inputs = append(inputs, `<a href="#`+card(e.ID, in.ID)+`">`+string(in.ID)+`</a>`)
		}
		p.row("computed", text(string(f.Calc.Op))+" of "+strings.Join(inputs, ", "))
		return
	}
	file := ""
	if ch, err := p.cat.Find(f.Subject.IDs[summary.ChartID]); err == nil {
		file = ch.CSV
	}
	switch {
	case f.Source.Selector.CSV != nil:
		p.row("read", text(file)+", record "+strconv.Itoa(f.Source.Selector.CSV.Row)+", column "+text(f.Source.Selector.CSV.Column))
	case f.Source.Selector.JSON != nil:
		p.row("read", "the plot spec of "+text(file)+", "+text(f.Source.Selector.JSON.Pointer))
	}
	p.row("SHA-256", `<code>`+text(f.Source.Snapshot)+`</code>`)
}

// appendix says what the report rests on, and what it does not tell.
func (p *page) appendix() error {
	a := report.Assume(p.ledger, p.cat)
	p.put(`<section id="inputs-and-assumptions"><h2>Inputs and assumptions</h2>`)
	for _, w := range a.Warnings {
		p.put(`<p class="warn">`, text(w), `</p>`)
	}
	p.put(`<p>`, text(assumedWords(a)), `</p><table><thead><tr><th>Chart</th><th>File</th><th>Units</th><th>SHA-256</th></tr></thead><tbody>`)
	for _, in := range a.Inputs {
		p.put(`<tr><td>`, text(in.Title), `</td><td>`, text(in.File), `</td><td>`, text(strings.Join(in.Units, ", ")), `</td><td><code>`,
			text(short(in.SHA256)), `</code></td></tr>`)
	}
	p.put(`</tbody></table><ul>`)
	for _, n := range a.Notes {
		p.put(`<li>`, text(n.File), `: `, text(n.Text), `</li>`)
	}
	p.put(`</ul></section>`)
	c, err := report.Cover(p.ledger, p.cat)
	if err != nil {
		return err
	}
	p.put(`<section id="not-told"><h2>What is not told</h2><p>`, coveredWords(c), `</p><table><thead><tr><th>Chart</th>`+
		`<th>Scenario</th><th>Series</th><th>Change</th><th>Share</th></tr></thead><tbody>`)
	for _, u := range c.Untold {
		p.put(`<tr><td>`, text(u.Chart), `</td><td>`, text(u.Scenario), `</td><td>`, text(u.Name), `</td><td>`, text(u.Change), `</td><td>`,
			strconv.Itoa(u.Share), ` %</td></tr>`)
	}
	p.put(`</tbody></table><p>Charts that no section uses: `, text(strings.Join(c.Unused, ", ")), `.</p></section>`)
	return nil
}
