package finding

// labels are the words before the parts of a finding where it is printed in lines.
var labels = map[string]struct{ value, limit, sure, pro, con, unknown, change, none, nothing string }{
	"en": {"Value", "Limit", "How sure", "For", "Against", "Unknown", "What would change this", "not applicable", "nothing recorded"},
	"hi": {"मान", "सीमा", "कितना पक्का", "पक्ष में", "विपक्ष में", "अज्ञात", "क्या इसे बदलेगा", "लागू नहीं", "कुछ दर्ज नहीं"},
}

// Lines is all of a finding for who reads it in lines: its first line, the sentence, value
// and limit, how sure it is, the three sides and what would change it.
func (f Finding) Lines(lang string) []string {
	l, ok := labels[lang]
	if !ok {
		l = labels["en"]
	}
	out := []string{f.First(lang), f.Says.In(lang)}
	out = append(out, f.measures(lang)...)
	for _, side := range []struct {
		name string
		all  []Point
	}{{l.pro, f.For}, {l.con, f.Against}, {l.unknown, f.Unknown}} {
		if len(side.all) == 0 {
			out = append(out, side.name+": "+l.nothing)
		}
		for _, p := range side.all {
			line := side.name + ": " + p.Text.In(lang)
			if p.Ref != "" {
				line += " (" + p.Ref + ")"
			}
			out = append(out, line)
		}
	}
	return append(out, l.change+": "+f.Change.In(lang))
}

// measures are value, limit and certainty, a line each.
func (f Finding) measures(lang string) []string {
	l, ok := labels[lang]
	if !ok {
		l = labels["en"]
	}
	measure := func(name string, m Measure) string {
		if m.None {
			return name + ": " + l.none + ". " + m.Words.In(lang)
		}
		return name + ": " + m.Words.In(lang)
	}
	return []string{measure(l.value, f.Value), measure(l.limit, f.Limit), measure(l.sure, f.Sure)}
}

// MailLines is what a mail to staff carries of a finding: the plain sentence first. Of
// what says something about people it carries how sure that is and nothing else; of the
// rest the numbers and what is unknown, too.
func (f Finding) MailLines(lang string) []string {
	all := f.measures(lang)
	if f.Personal || f.Subject.Kind == Person {
		return []string{f.Plain.In(lang), all[2]}
	}
	out := append([]string{f.Plain.In(lang)}, all...)
	l, ok := labels[lang]
	if !ok {
		l = labels["en"]
	}
	for _, p := range f.Unknown {
		out = append(out, l.unknown+": "+p.Text.In(lang))
	}
	return out
}
