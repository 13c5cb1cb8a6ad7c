package draft

import (
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// Charts are the charts of a catalogue, each summed up once, when it is first asked for, into a book of its own. It is not
// safe for concurrent use.
type Charts struct {
	cat  *catalogue.Catalogue
	done map[string]*Chart
}

// NewCharts sums up nothing yet.
func NewCharts(cat *catalogue.Catalogue) *Charts { return &Charts{cat: cat, done: map[string]*Chart{}} }

// A Chart is what one chart says.
type Chart struct {
	*catalogue.Chart
	Book    *fact.Book
	Summary *summary.Summary
	Tells   []Sentence // everything that may be said, the first the most important
	Dropped []Dropped

	ready *verify.Verifier
}

// Open sums up a chart.
func (c *Charts) Open(key string) (*Chart, error) {
	if ch, ok := c.done[key]; ok {
		return ch, nil
	}
	meta, err := c.cat.Find(key)
	if err != nil {
		return nil, err
	}
	if bad := unfit(meta); bad != "" {
		return nil, fault.New(fault.Invalid, "chart %s: %.60q cannot stand in a text", key, bad)
	}
	ch := &Chart{Chart: meta, Book: fact.NewBook(meta.Key)}
	if ch.Summary, err = summary.Summarise(ch.Book, meta); err != nil {
		return nil, err
	}
	if ch.ready, err = verify.New(summary.Profile(meta.Key, meta)); err != nil {
		return nil, err
	}
	if err := ch.tell(); err != nil {
		return nil, err
	}
	c.done[meta.Key] = ch
	return ch, nil
}

// unfit is the first name of a chart that would be read as something else in a text: a token, a comment, a new line.
func unfit(ch *catalogue.Chart) string {
	if !ch.Citable() {
		return ""
	}
	names := append([]string{}, ch.Scenarios...)
	for _, s := range ch.Table.Series {
		names = append(append(names, s.Labels...), s.Unit.String())
	}
	if ch.Spec != nil {
		for target := range ch.Spec.ExtraPoints {
			names = append(names, target)
		}
	}
	for _, n := range names {
		if strings.ContainsAny(n, "{}<>\n\r`*\\") {
			return n
		}
	}
	return ""
}

// named reports whether a scenario has a name of its own: a table without a column for it has none.
func named(scenario string) bool { return scenario != table.AllScenario }

// tell chooses the sentences and keeps those that pass.
func (ch *Chart) tell() error {
	all := ch.sentences()
	text := make([]string, len(all))
	for i, s := range all {
		text[i] = s.Text
	}
	rep, err := ch.check(ch.Book, strings.Join(text, " "))
	if err != nil {
		return err
	}
	if !rep.Blocked() {
		ch.Tells = all
		return nil
	}
	for _, s := range all { // one of them is the trouble: which?
		rep, err := ch.check(ch.Book, s.Text)
		if err != nil {
			return err
		}
		if rep.Blocked() {
			ch.Dropped = append(ch.Dropped, Dropped{Chart: ch.Key, Sentence: s, Findings: rep.Findings})
			continue
		}
		ch.Tells = append(ch.Tells, s)
	}
	return nil
}

// check has the verifier judge a text about this chart.
func (ch *Chart) check(book *fact.Book, text string) (verify.Report, error) {
	return ch.ready.Check(verify.Document{Parts: []verify.Part{{Name: ch.Key, Text: text}}}, book)
}

// Check has the verifier judge a text about a chart, or a raw table, against a book that holds the facts it cites.
func (c *Charts) Check(key, text string, book *fact.Book) (verify.Report, error) {
	if _, raw := summary.RawName(key); raw {
		ready, err := verify.New(summary.RawProfile(key, book))
		if err != nil {
			return verify.Report{}, err
		}
		return ready.Check(verify.Document{Parts: []verify.Part{{Name: key, Text: text}}}, book)
	}
	ch, err := c.Open(key)
	if err != nil {
		return verify.Report{}, err
	}
	return ch.check(book, text)
}
