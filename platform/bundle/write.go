package bundle

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

var headlines = map[Verdict]string{
	Genuine:  "GENUINE: every check holds, and the signer is one whose key you gave.",
	Unproven: "UNPROVEN: nothing contradicts it, but a question stayed open.",
	Altered:  "ALTERED: this is not what was signed.",
}

// A Detail says how much of a report is written.
type Detail int

// The details.
const (
	Brief     Detail = iota // every check and every finding
	Explained               // and what each check proves and does not
)

// Write writes a report for people: the verdict first, then every check by its
// section, with what was found.
func (r *Report) Write(w io.Writer, d Detail) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", headlines[r.Verdict()])
	if r.Case != "" {
		fmt.Fprintf(&b, "%s of %s, made %s\nsigned with %s\n", r.Case, r.Org, r.MadeAt.Format("2006-01-02 15:04 MST"), r.Signer)
	}
	fmt.Fprintf(&b, "sha256 %s\n", r.SHA256)
	held, section := 0, ""
	for _, c := range r.Checks {
		if c.Section != section {
			section = c.Section
			fmt.Fprintf(&b, "\n%s\n", section)
		}
		if c.Outcome == Holds {
			held++
		}
		c.write(&b, d)
	}
	fmt.Fprintf(&b, "\n%d of %d checks hold\n", held, len(r.Checks))
	_, err := io.WriteString(w, b.String())
	return err
}

var marks = map[Outcome]string{Holds: "holds", Fails: "FAILS", Open: "open"}

func (c *Check) write(b *strings.Builder, d Detail) {
	fmt.Fprintf(b, "  %-6s %s", marks[c.Outcome], c.Name)
	if c.Seen != "" {
		fmt.Fprintf(b, " (%s)", c.Seen)
	}
	b.WriteByte('\n')
	if d == Explained {
		fmt.Fprintf(b, "         proves %s\n         does not prove %s\n", c.Proves, c.DoesNot)
	}
	for _, f := range c.Erased {
		fmt.Fprintf(b, "         erased: %s\n", f.Text)
	}
	for _, f := range c.Findings {
		fmt.Fprintf(b, "         - %s\n", f.Text)
	}
	if c.More > 0 {
		fmt.Fprintf(b, "         - and %d more\n", c.More)
	}
}

// Write writes what became of every number, for people: one line each.
func (p *Reperformance) Write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, d := range p.Done {
		value := d.Stored
		if d.Again != "" && d.Again != d.Stored {
			value = d.Stored + ", again " + d.Again
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", strings.ToUpper(d.Outcome), d.Name, d.What, value, d.Why)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	n := p.Count()
	_, err := fmt.Fprintf(w, "%d done again: %d pass, %d fail, %d stated by a person, %d unread\n",
		len(p.Done), n[Pass], n[Fail], n[Stated], n[Unread])
	return err
}
