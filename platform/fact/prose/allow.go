package prose

import (
	"strconv"
	"strings"
)

// Digits that are not measurements may be typed: dates and times, numbers of
// statutes, sections and orders, numbers of list items, figures and tables. They
// are known by their form; whether a figure exists is for the checker.

// substances are names that hold digits and measure nothing.
func substances() []string {
	return []string{"CO2", "CO2-e", "CO2e", "CO2-eq", "N2O", "CH4", "NO2", "SO2", "NH3", "O3", "H2", "H2O", "PM2.5", "PM10", "PM1"}
}

// allowedAt is where an allowed form that starts at i ends, or i.
func allowedAt(lex []lexeme, i int) int {
	for _, form := range []func([]lexeme, int) int{statute, date, clock, listNumber} {
		if end := form(lex, i); end > i {
			return end
		}
	}
	return i
}

func isMonth(fold string) bool {
	switch fold {
	case "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec",
		"जनवरी", "फरवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त", "सितंबर", "सितम्बर", "अक्टूबर", "अक्तूबर", "नवंबर", "नवम्बर",
		"दिसंबर", "दिसम्बर":
		return true
	}
	return false
}

// number reads a plain number up to a bound, with an English ordinal ending.
func number(l lexeme, low, high int) bool {
	s := l.raw
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		s = strings.TrimSuffix(s, suffix)
	}
	n, err := strconv.Atoi(s)
	return err == nil && len(s) <= 4 && n >= low && n <= high
}

func year(l lexeme) bool { return len(l.raw) == 4 && number(l, 1800, 2199) }

// date reads 14 November 2026, November 14, 2026, November 2026, 14-11-2026,
// 14/11/2026, 2026-11-14.
func date(lex []lexeme, i int) int {
	at := func(k int) lexeme {
		if i+k < len(lex) {
			return lex[i+k]
		}
		return lexeme{}
	}
	switch {
	case number(at(0), 1, 31) && isMonth(at(1).fold):
		if year(at(2)) {
			return i + 3
		}
		return i + 2
	case isMonth(at(0).fold) && at(0).raw != "may" && number(at(1), 1, 31) && at(1).digit:
		if at(2).raw == "," && year(at(3)) {
			return i + 4
		}
		return i + 2
	case isMonth(at(0).fold) && year(at(1)):
		return i + 2
	}
	sep := at(1).raw
	if !oneOf(sep, "-", "/", ".", "–") || at(3).raw != sep || at(1).space || at(2).space || at(3).space || at(4).space {
		return i
	}
	if number(at(0), 1, 31) && number(at(2), 1, 12) && year(at(4)) || year(at(0)) && number(at(2), 1, 12) && number(at(4), 1, 31) {
		return i + 5
	}
	return i
}

// clock reads 23:00 and 23:00:00.
func clock(lex []lexeme, i int) int {
	end := i
	for k := 0; k < 3 && i+2*k < len(lex); k++ {
		l, high := lex[i+2*k], 59
		if k == 0 {
			high = 24
		}
		if !number(l, 0, high) || k > 0 && (lex[i+2*k-1].raw != ":" || l.space || len(l.raw) != 2) {
			break
		}
		end = i + 2*k + 1
	}
	if end >= i+3 {
		return end
	}
	return i
}

// listNumber reads the number of a list item at the start of a line.
func listNumber(lex []lexeme, i int) int {
	if lex[i].line && len(lex[i].raw) <= 3 && number(lex[i], 1, 999) && i+1 < len(lex) && !lex[i+1].space &&
		oneOf(lex[i+1].raw, ".", ")") &&
		(i+2 == len(lex) || lex[i+2].space) {
		return i + 2
	}
	return i
}

func statuteWord(fold string) bool {
	switch fold {
	case "section", "sections", "s", "ss", "sec", "article", "articles", "art", "rule", "rules", "regulation", "regulations", "clause",
		"para", "paragraph", "schedule", "form", "order", "direction", "directions", "chapter", "notification", "act", "no", "annex",
		"annexure", "appendix", "page", "finding", "धारा", "धाराओं", "अनुच्छेद", "नियम", "खंड", "निर्देश", "आदेश", "अनुसूची", "अध्याय",
		"अधिसूचना", "अधिनियम", "संख्या", "फॉर्म", "पृष्ठ", "उपधारा":
		return true
	}
	return false
}

// statute reads section 12(1), s. 63(4), Direction No. 95, Act, 2021, धारा 12(1).
func statute(lex []lexeme, i int) int {
	if !statuteWord(lex[i].fold) {
		return i
	}
	j := i + 1
	for j < len(lex) && j < i+4 && (oneOf(lex[j].raw, ".", ",") || oneOf(lex[j].fold, "no", "of", "संख्या", "सं")) {
		j++
	}
	end := i
	for j < len(lex) && lex[j].kind == Word && lex[j].digit && sectionNumber(lex[j].fold) {
		end = subsections(lex, j+1)
		j = end
		if j+1 < len(lex) && oneOf(lex[j].fold, ",", "and", "to", "–", "-", "और", "व") && lex[j+1].digit && sectionNumber(lex[j+1].fold) &&
			followedByWord(lex, j+2) {
			j++
			continue
		}
		break
	}
	return end
}

// followedByWord keeps "section 12 and 128.9 Mt" from hiding the second number.
func followedByWord(lex []lexeme, i int) bool {
	return i >= len(lex) || !lex[i].digit && lex[i].raw != "." || lex[i].raw == "." && (i+1 == len(lex) || lex[i+1].space)
}

// sectionNumber is one to four digits with at most two letters: 65B, 2021.
func sectionNumber(s string) bool {
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	return digits >= 1 && digits <= 4 && len(s)-digits <= 2
}

// subsections passes over (1)(a).
func subsections(lex []lexeme, i int) int {
	for i+2 < len(lex) && lex[i].raw == "(" && !lex[i].space && lex[i+2].raw == ")" && len(lex[i+1].fold) <= 4 {
		i += 3
	}
	return i
}

func figureWord(fold string) (string, bool) {
	switch fold {
	case "figure", "figures", "fig", "figs":
		return "figure", true
	case "table", "tables":
		return "table", true
	case "chart", "charts":
		return "chart", true
	case "चित्र", "चित्रों":
		return "चित्र", true
	case "तालिका", "तालिकाओं", "सारणी":
		return "तालिका", true
	}
	return "", false
}

// figures reads Figure 2, Fig. 3a, Tables 1 and 2: one node for each.
func figures(lex []lexeme, i int) ([]Node, int) {
	word, ok := figureWord(lex[i].fold)
	if !ok {
		return nil, i
	}
	j := i + 1
	if j < len(lex) && lex[j].raw == "." {
		j++
	}
	var out []Node
	end, start := i, lex[i].start
	for j < len(lex) && lex[j].kind == Word && lex[j].digit && sectionNumber(lex[j].fold) {
		out = append(out, Node{Kind: Figure, Start: start, End: lex[j].end, Text: word + " " + lex[j].fold})
		end = j + 1
		if end+1 >= len(lex) || !oneOf(lex[end].fold, ",", "and", "to", "–", "-", "और", "व") || !followedByWord(lex, end+2) {
			break
		}
		j = end + 1
		start = lex[j].start
	}
	return out, end
}

// FigureName is the form in which references to figures are compared.
func FigureName(s string) string {
	nodes, _ := figures(append(lexemes(s), lexeme{}), 0)
	if len(nodes) != 1 {
		return ""
	}
	return nodes[0].Text
}
