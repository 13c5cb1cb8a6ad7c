package wording

import (
	"slices"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds on what a model writes.
const (
	MaxText      = 32 << 10 // bytes
	MaxSentences = 80
)

// The rules of this package, beside the verifier's V1 to V10.
const (
	Markup   verify.Rule = "M1" // headings, comments and other marks are code's to write
	Uncited  verify.Rule = "M2" // a sentence cites a fact
	OneChart verify.Rule = "M3" // a sentence cites facts of one chart
	Twice    verify.Rule = "M4" // nothing is said twice
	Mention  verify.Rule = "M5" // every scenario is mentioned
)

// Worded is the rule of a sentence that a model worded; Marked stands where one was dropped.
const (
	Worded = "W1"
	Marked = "W2"
)

// Mark is what stands where a sentence was dropped: an analyst sees to it.
const Mark = "[[needs analyst]]"

// A Finding is something wrong with a sentence, in words for who wrote it.
type Finding struct {
	Rule  verify.Rule `json:"rule"`
	Text  string      `json:"sentence"`
	Words string      `json:"words"`
}

// A Judgement is what of a text holds.
type Judgement struct {
	Paragraphs []draft.Paragraph // what holds, chart by chart, in tokens of the bench
	Findings   []Finding         // what does not, and why
	Dropped    int               // sentences that do not hold
	Missing    []string          // scenarios that what holds does not mention

	holes map[string]int // sentences that do not hold, by chart; "" where nobody can say
}

// Clean reports whether everything holds.
func (j *Judgement) Clean() bool { return len(j.Findings) == 0 && len(j.Paragraphs) > 0 }

// Judge reads a text as a model wrote it. It is deterministic, and what it cannot place it refuses.
func (b *Bench) Judge(text string) *Judgement {
	j := &Judgement{holes: map[string]int{}}
	if len(text) > MaxText {
		j.find(Markup, text[:0], "the text is too long: write at most a page")
		j.Dropped++
		return j
	}
	said := map[string]bool{}
	for _, block := range blocks(text) {
		if b.isTitle(block) {
			continue // code writes the titles
		}
		if marksLine(block) {
			j.refuse(Markup, block, "headings, lists, comments and lines are not yours to write: plain sentences only")
			continue
		}
		for _, s := range b.split(block) {
			if said[s] {
				j.refuse(Twice, s, "it is said already")
				continue
			}
			said[s] = true
			if strange(s) {
				j.refuse(Markup, s, "write plain sentences: no markup, no links, no signs that nobody sees")
				continue
			}
			b.sentence(j, s)
		}
	}
	for _, name := range b.Scenarios() {
		if !slices.ContainsFunc(j.Paragraphs, func(p draft.Paragraph) bool { return strings.Contains(p.Text(), name) }) {
			j.Missing = append(j.Missing, name)
			j.find(Mention, name, "this scenario is not mentioned: say what the data say of it")
		}
	}
	return j
}

func (j *Judgement) find(r verify.Rule, text, words string) {
	j.Findings = append(j.Findings, Finding{Rule: r, Text: short(text), Words: words})
}

// refuse drops a sentence of which nobody can say what chart it is about.
func (j *Judgement) refuse(r verify.Rule, text, words string) {
	j.find(r, text, words)
	j.Dropped++
	j.holes[""]++
}

// sentence judges one, and puts it into the paragraph of its chart if it holds there.
func (b *Bench) sentence(j *Judgement, s string) {
	if len(j.Findings)+count(j.Paragraphs) > MaxSentences {
		j.refuse(Markup, s, "there are too many sentences")
		return
	}
	cited := tokens(s)
	if len(cited) == 0 {
		j.refuse(Uncited, s, "it cites no fact: put a token into it, or leave it out")
		return
	}
	ch, ids, why := b.of(cited)
	if why != "" {
		j.refuse(OneChart, s, why)
		return
	}
	at := slices.IndexFunc(j.Paragraphs, func(p draft.Paragraph) bool { return p.Chart == ch.Key })
	all := s
	if at >= 0 {
		all = j.Paragraphs[at].Text() + " " + s
	}
	found := b.against(ch, s, all)
	if len(found) == 0 {
		var so draft.Paragraph
		if at >= 0 {
			so = j.Paragraphs[at]
		}
		ids, found = b.carry(ch, so, s, ids)
	}
	if len(found) > 0 {
		for _, f := range found {
			j.find(f.Rule, s, f.Words)
		}
		j.Dropped++
		j.holes[ch.Key]++
		return
	}
	if at < 0 {
		j.Paragraphs, at = append(j.Paragraphs, draft.Paragraph{Chart: ch.Key, Title: ch.Title()}), len(j.Paragraphs)
	}
	j.Paragraphs[at].Sentences = append(j.Paragraphs[at].Sentences, draft.Sentence{Rule: Worded, Text: s, Facts: ids})
}

// against is what the verifier finds in a sentence by itself, and in its paragraph with it. What it would ask a person about does
// not hold either: nobody looks at each sentence of a draft.
func (b *Bench) against(ch *Chart, alone, together string) []verify.Finding {
	for _, text := range []string{alone, together} {
		rep, err := ch.check.Check(verify.Document{Parts: []verify.Part{{Name: b.Section, Text: text}}}, b.Book)
		if err != nil {
			words, _ := fault.Words(err)
			return []verify.Finding{{Rule: verify.V1, Words: words}}
		}
		if len(rep.Findings) > 0 || rep.Truncated {
			return append(rep.Findings, make([]verify.Finding, 0)...)
		}
	}
	return nil
}

// of is the one chart that tokens are of, and their facts.
func (b *Bench) of(cited []render.Token) (ch *Chart, ids []fact.ID, why string) {
	for _, t := range cited {
		f, ok := b.Book.Latest(t.ID)
		if !ok {
			return nil, nil, "there is no fact " + string(t.ID)
		}
		its := b.Chart(f.Subject.IDs[summary.ChartID])
		if its == nil {
			return nil, nil, string(t.ID) + " is of no single chart"
		}
		if ch != nil && ch != its {
			return nil, nil, "it cites " + ch.Key + " and " + its.Key + ": write a sentence for each"
		}
		if ch = its; !slices.Contains(ids, t.ID) {
			ids = append(ids, t.ID)
		}
	}
	return ch, ids, ""
}

// isTitle reports whether a block is a title as code writes it.
func (b *Bench) isTitle(block string) bool {
	return slices.ContainsFunc(b.Charts, func(c *Chart) bool { return block == draft.TitleLine(c.Title()) })
}

// split cuts a block into sentences, as the verifier reads them.
func (b *Bench) split(block string) (out []string) {
	if len(b.Charts) == 0 {
		return []string{block}
	}
	reader := b.Charts[0].read
	if ch, _, _ := b.of(tokens(block)); ch != nil {
		reader = ch.read
	}
	at := 0
	for _, s := range reader.Read(block) {
		if text := strings.TrimSpace(block[at:s.End]); text != "" {
			out = append(out, text)
		}
		at = s.End
	}
	if rest := strings.TrimSpace(block[at:]); rest != "" {
		out = append(out, rest)
	}
	return out
}

// blocks are the texts between blank lines, each on one line.
func blocks(text string) (out []string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	var lines []string
	flush := func() {
		if len(lines) > 0 {
			out, lines = append(out, strings.Join(lines, " ")), nil
		}
	}
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			flush()
		case marksLine(line):
			flush()
			out = append(out, line)
		default:
			lines = append(lines, line)
		}
	}
	flush()
	return out
}

// marksLine reports whether a line would be read as something else than prose.
func marksLine(line string) bool {
	for _, mark := range []string{"#", "=", "-", "~~~", "```", ">", "|", "+", "<", "* "} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// strange reports whether a sentence has markup beside its tokens, or signs that nobody sees.
func strange(sentence string) bool {
	for _, p := range render.Parse(sentence) {
		if p.Kind == render.Fact {
			continue
		}
		for _, r := range p.Text {
			if strings.ContainsRune("<>{}[]*`#|~\\&", r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) {
				return true
			}
		}
	}
	return false
}

func tokens(text string) (out []render.Token) {
	for _, p := range render.Parse(text) {
		if p.Kind == render.Fact {
			out = append(out, p.Token)
		}
	}
	return out
}

func count(all []draft.Paragraph) (n int) {
	for _, p := range all {
		n += len(p.Sentences)
	}
	return n
}

func short(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
