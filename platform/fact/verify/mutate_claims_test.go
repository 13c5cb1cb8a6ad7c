package verify_test

import (
	"math/big"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

var superlatives = map[string][][2]string{
	"en": {{"largest", "smallest"}, {"biggest", "smallest"}, {"highest", "lowest"}, {"deepest", "shallowest"}, {"greatest", "smallest"},
		{"steepest", "gentlest"}, {"weakest", "strongest"}, {"most fires", "fewest fires"}, {"sharpest", "gentlest"}, {"second", "third"},
		{"third", "second"}},
	"hi": {{"सबसे अधिक", "सबसे कम"}, {"सबसे बड़ी", "सबसे छोटी"}, {"सबसे ऊँचा", "सबसे नीचा"}, {"सर्वाधिक", "न्यूनतम"}},
}

// unsupportedSuperlative claims a place or a scope that no fact carries.
func unsupportedSuperlative(w *world, it item) []mutant {
	var out []mutant
	if hasTag(it, "tie") {
		return nil
	}
	for _, p := range superlatives[it.lang] {
		for _, way := range [][2]string{{p[0], p[1]}, {p[1], p[0]}} {
			if i := strings.Index(it.text, way[0]); i >= 0 && bounded(it.text, i, i+len(way[0])) {
				out = append(out, it.with(it.text[:i]+way[1]+it.text[i+len(way[0]):]))
			}
		}
	}
	for _, d := range w.profile.Dimensions {
		if w.roles[d.Name] == "category" {
			out = append(out, claimed(w, it, d.Name, d.Nouns)...)
		} else {
			out = append(out, generalised(w, it, d.Name, d.Nouns)...)
		}
	}
	return out
}

func hasTag(it item, tag string) bool {
	for _, t := range it.tags {
		if t == tag {
			return true
		}
	}
	return false
}

// claimed puts a superlative to the first category named, if its fact is neither
// the greatest nor the least of its kind.
func claimed(w *world, it item, dim string, nouns fact.Names) []mutant {
	at, ids := aliasesIn(it.text, it.lang, w, dim)
	if len(at) == 0 || len(ids) != 1 || hasTag(it, "superlative") || hasTag(it, "negation") || hasTag(it, "comparison") {
		return nil
	}
	tokens := names(it.text)
	if len(tokens) == 0 || !w.middling(tokens[0], dim) {
		return nil
	}
	before, alias, after := it.text[:at[0][0]], it.text[at[0][0]:at[0][1]], it.text[at[0][1]:]
	var texts []string
	if w.accompanied(tokens[0], dim) && it.lang == "hi" {
		texts = append(texts, before+"केवल "+alias+after)
	} else if w.accompanied(tokens[0], dim) {
		texts = append(texts, before+"only "+alias+after)
	}
	if it.lang == "hi" {
		texts = append(texts, before+"सबसे आगे रहे "+alias+after, before+"सभी "+nouns.HI[1]+" से आगे "+alias+after)
	} else {
		texts = append(texts,
			before+alias+", the largest of all the "+nouns.EN[1]+","+after,
			before+alias+", which ranks first,"+after,
			before+alias+", more than any other "+nouns.EN[0]+","+after,
		)
	}
	var out []mutant
	for _, t := range texts {
		out = append(out, it.with(strings.ReplaceAll(t, ",,", ",")))
	}
	return out
}

// middling reports whether a fact has others of its kind above and below it in
// size, so that no superlative is true of it; a change also in its end value.
func (w *world) middling(name, dim string) bool {
	f, _ := w.book.Latest(w.ids[name])
	if f.Subject.IDs[dim] == "" || w.whole[f.Subject.IDs[dim]] {
		return false
	}
	above, below, alone := 0, 0, true
	for _, g := range w.kin(name, dim) {
		alone = alone && strings.HasPrefix(g.Value, "-") != strings.HasPrefix(f.Value, "-")
		switch size(g).Cmp(size(f)) {
		case 1:
			above++
		case -1:
			below++
		}
	}
	if l := w.lineOf(name); l[0] == "derive" && (l[2] == "difference" || l[2] == "percentage" || l[2] == "growth_rate") &&
		!w.middling(l[3], dim) {
		return false
	}
	return above > 0 && below > 0 && !alone
}

// kin are the facts of a fact's kind, wholes left out.
func (w *world) kin(name, dim string) []fact.Fact {
	var out []fact.Fact
	for _, o := range w.others(name, dim) {
		if g, _ := w.book.Latest(w.ids[o]); !w.whole[g.Subject.IDs[dim]] {
			out = append(out, g)
		}
	}
	return out
}

func size(f fact.Fact) *big.Rat {
	n, err := f.Number()
	if err != nil {
		panic(err)
	}
	return n.Abs(n)
}

// accompanied reports whether another of its kind has the same sign, so that
// "only" is not true of it.
func (w *world) accompanied(name, dim string) bool {
	f, _ := w.book.Latest(w.ids[name])
	for _, g := range w.kin(name, dim) {
		if strings.HasPrefix(g.Value, "-") == strings.HasPrefix(f.Value, "-") && g.Value != "0" {
			return true
		}
	}
	return false
}

// generalised says of every member what was said of one.
func generalised(w *world, it item, dim string, nouns fact.Names) []mutant {
	at, ids := aliasesIn(it.text, it.lang, w, dim)
	if len(at) != 1 || len(ids) != 1 {
		return nil
	}
	tokens := names(it.text)
	if len(tokens) == 0 || len(w.others(tokens[0], dim)) == 0 {
		return nil
	}
	before, after := it.text[:at[0][0]], it.text[at[0][1]:]
	if it.lang == "hi" {
		return []mutant{it.with(before + "सभी " + nouns.HI[1] + after), it.with(before + "हर " + nouns.HI[0] + after)}
	}
	before = regexp.MustCompile(`(?i)\bthe $`).ReplaceAllString(before, "")
	return []mutant{it.with(before + "every " + nouns.EN[0] + after), it.with(before + "all " + nouns.EN[1] + after)}
}

// droppedScenario leaves a scenario out: its name, or all that is said of it.
func droppedScenario(w *world, it item) []mutant {
	var out []mutant
	if hasTag(it, "tie") { // what holds of three equals holds of two
		return nil
	}
	for _, d := range w.profile.Dimensions {
		if w.roles[d.Name] != "scenario" {
			continue
		}
		at, _ := aliasesIn(it.text, it.lang, w, d.Name)
		for _, span := range at {
			out = append(out, it.with(withoutPhrase(it.text, span, it.lang)))
			if it.must == d.Name {
				if t := withoutSentence(it.text, span); t != "" {
					out = append(out, it.with(t))
				}
			}
		}
	}
	return out
}

var leadIn = regexp.MustCompile(`(?i)(\b(in|under|at|from|of|by|for|to|the|both)\s+)*(the\s+)?$`)

// withoutPhrase cuts a name and the words that lead to it.
func withoutPhrase(text string, span [2]int, lang string) string {
	before, after := text[:span[0]], text[span[1]:]
	if lang == "hi" {
		after = regexp.MustCompile(`^\s*(में|का|की|के|से)(\s|$)`).ReplaceAllString(after, " ")
	} else {
		before = leadIn.ReplaceAllString(before, "")
		after = strings.TrimPrefix(strings.TrimPrefix(after, "'s"), "’s")
	}
	after = strings.TrimLeft(after, " ")
	if strings.TrimSpace(before) == "" || strings.HasSuffix(strings.TrimSpace(before), ".") {
		after = strings.TrimLeft(after, ", ")
	}
	return strings.ReplaceAll(strings.TrimSpace(strings.TrimRight(before, " ")+" "+after), "  ", " ")
}

// withoutSentence cuts the sentence a name stands in, if others remain.
func withoutSentence(text string, span [2]int) string {
	ends := regexp.MustCompile(`[.।]\s+`).FindAllStringIndex(text, -1)
	from, to := 0, len(text)
	for _, e := range ends {
		if e[1] <= span[0] {
			from = e[1]
		} else if e[0] >= span[1] && to == len(text) {
			to = e[1]
		}
	}
	return strings.TrimSpace(text[:from] + text[to:])
}
