package wording

import (
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// An Asked question is one about a raw table, and what was answered.
type Asked struct {
	View     query.View
	Answer   query.Answer
	Unit     string
	Formulas int // how many numbers had been computed before
}

// answers enters what was answered when so many numbers had been computed.
func (b *Bench) answers(all []Asked, formulas int) error {
	for _, a := range all {
		if a.Formulas == formulas {
			if _, err := b.Answer(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// Answer enters every number of an answer, by row and column: nothing where there is no number that can be cited. The raw table stands
// among the charts from then on.
func (b *Bench) Answer(a Asked) ([][]*fact.Fact, error) {
	entered, err := query.Facts(b.Book, a.View, a.Answer, a.Unit)
	if err != nil {
		return nil, err
	}
	return entered, b.raw(a.View.Name)
}

// raw is a raw table among the charts, judged by what its facts are about so far.
func (b *Bench) raw(view string) error {
	key := summary.RawKey(view)
	p := summary.RawProfile(key, b.Book)
	ch := b.Chart(key)
	if ch == nil {
		ch = &Chart{Chart: &catalogue.Chart{Key: key, ID: view, Title: "Raw table " + strings.ReplaceAll(view, "_", " ")}}
		b.Charts = append(b.Charts, ch)
	}
	var err error
	if ch.check, err = verify.New(p); err != nil {
		return err
	}
	ch.read, err = prose.NewReader(prose.Vocabulary{Dimensions: p.Dimensions, Units: p.Units, Allow: p.Allow})
	return err
}
