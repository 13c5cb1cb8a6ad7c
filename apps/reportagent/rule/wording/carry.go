package wording

import (
	"cmp"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// mostBeside bounds how many facts are tried beside those that a sentence cites.
const mostBeside = 64

// carry is what a sentence rests on in the section that is made of it: the facts it cites, and those without which a check of that section
// would not let it through, such as the rank that "most" goes by. Where the bench has none that are enough, found says what is wrong.
func (b *Bench) carry(ch *Chart, p draft.Paragraph, s string, cited []fact.ID) (ids []fact.ID, found []verify.Finding) {
	with := func(more ...fact.ID) []verify.Finding {
		return b.settled(ch, p, draft.Sentence{Rule: Worded, Text: s, Facts: slices.Concat(cited, more)})
	}
	if found = with(); len(found) == 0 {
		return cited, nil
	}
	tried := b.beside(ch, cited)
	for _, id := range tried {
		if len(with(id)) == 0 {
			return slices.Concat(cited, []fact.ID{id}), nil
		}
	}
	if len(with(tried...)) > 0 {
		return nil, found
	}
	for _, id := range slices.Clone(tried) {
		less := slices.DeleteFunc(slices.Clone(tried), func(o fact.ID) bool { return o == id })
		if len(with(less...)) == 0 {
			tried = less
		}
	}
	return slices.Concat(cited, tried), nil
}

// settled is what the check finds in a paragraph with one sentence more, as a section has it: with the facts alone that
// its sentences name.
func (b *Bench) settled(ch *Chart, p draft.Paragraph, s draft.Sentence) []verify.Finding {
	p.Chart, p.Title, p.Sentences = ch.Key, ch.Title(), append(slices.Clone(p.Sentences), s)
	section := &draft.Section{ID: b.Section, Book: fact.NewBook(b.Section)}
	err := section.Add(b.Book, p)
	if err == nil {
		text := section.Paragraphs[0].Text()
		rep, judged := ch.check.Check(verify.Document{Parts: []verify.Part{{Name: b.Section, Text: text}}}, section.Book)
		if err = judged; err == nil {
			return rep.Findings
		}
	}
	words, _ := fault.Words(err)
	return []verify.Finding{{Rule: verify.V1, Words: words}}
}

// beside are the facts of a chart that may bear out what a sentence says of those it cites: places among others first, then other
// comparisons and changes, then the same of others.
func (b *Bench) beside(ch *Chart, cited []fact.ID) []fact.ID {
	near := map[fact.ID]bool{}
	for _, id := range cited {
		near[id] = true
		if f, ok := b.Book.Latest(id); ok && f.Calc != nil {
			for _, in := range f.Calc.Inputs {
				near[in.ID] = true
			}
		}
	}
	weight := map[fact.ID]int{} // the least first
	all := b.Book.Newest()
	for _, f := range all {
		if f.Calc == nil || f.Subject.IDs[summary.ChartID] != ch.Key || slices.Contains(cited, f.ID) {
			continue
		}
		if slices.ContainsFunc(f.Calc.Inputs, func(in fact.Ref) bool { return near[in.ID] }) {
			if weight[f.ID] = len(f.Calc.Inputs); f.Calc.Op != fact.Rank && f.Calc.Op != fact.RankLow {
				weight[f.ID] += 1000
			}
		}
	}
	for _, f := range all {
		if weight[f.ID] == 0 && !near[f.ID] && slices.ContainsFunc(cited, func(id fact.ID) bool { return b.peers(id, f) }) {
			weight[f.ID] = 2000
		}
	}
	var out []fact.ID
	for _, f := range all {
		if weight[f.ID] > 0 {
			out = append(out, f.ID)
		}
	}
	slices.SortStableFunc(out, func(x, y fact.ID) int { return cmp.Compare(weight[x], weight[y]) })
	return out[:min(len(out), mostBeside)]
}

// peers reports whether two facts are the same of another scenario, series or year.
func (b *Bench) peers(id fact.ID, other fact.Fact) bool {
	f, ok := b.Book.Latest(id)
	if !ok || len(f.Subject.IDs) != len(other.Subject.IDs) || f.Unit != other.Unit {
		return false
	}
	differ := 0
	for name, value := range f.Subject.IDs {
		if its, has := other.Subject.IDs[name]; !has || its != value && name == summary.ChartID {
			return false
		} else if its != value {
			differ++
		}
	}
	return differ == 1
}
