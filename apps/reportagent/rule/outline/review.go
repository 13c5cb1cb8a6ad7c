package outline

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
)

var (
	keywordForm = regexp.MustCompile(`(?i)^\s*(AUTHOR|RATING|NOTES)\s*:\s*(.*)$`)
	scoreForm   = regexp.MustCompile(`^([+-]?\d+)\s*(?:/\s*5)?$`)
)

// readReview reads the body of a review comment that begins on a line. It is given only if it rates or notes something:
// the empty form that every section starts with is no review.
func readReview(body string, line int, told *diagnostic.List) (r Review, given bool) {
	r.Ratings = map[string]int{}
	var notes []string
	noting := false
	for i, text := range strings.Split(body, "\n") {
		at := line + i
		if m := keywordForm.FindStringSubmatch(text); m != nil {
			noting = false
			switch value := strings.TrimSpace(m[2]); strings.ToUpper(m[1]) {
			case "AUTHOR":
				r.Author = value
			case "RATING":
				r.rate(value, at, told)
			default:
				notes, noting = append(notes, value), true
			}
			continue
		}
		if !noting && strings.TrimSpace(text) == "" {
			continue
		}
		if !noting {
			told.Add("R008", diagnostic.Warning, at, "this line has no keyword: it is added to the notes. Write NOTES: before it")
		}
		notes = append(notes, strings.TrimRight(text, " \t\r"))
	}
	r.Notes = strings.TrimSpace(strings.Join(notes, "\n"))
	return r, len(r.Ratings) > 0 || r.Notes != ""
}

// rate reads the pairs of a RATING line.
func (r *Review) rate(text string, line int, told *diagnostic.List) {
	named := map[string]bool{}
	for _, pair := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ';' }) {
		pair = strings.TrimSpace(pair)
		name, score, ok := strings.Cut(pair, "=")
		name = dimension(name)
		switch {
		case pair == "":
			continue
		case !ok:
			told.Add("R006", diagnostic.Error, line, "%q has no =: write it as accuracy=4", pair)
			continue
		case !slices.Contains(Dimensions(), name):
			told.Add("R001", diagnostic.Error, line, "%q is not rated here: the dimensions are %s", name, strings.Join(Dimensions(), ", "))
			continue
		case named[name]:
			told.Add("R004", diagnostic.Warning, line, "%s is rated twice: the last counts", name)
		}
		named[name] = true
		if n, ok := readScore(name, strings.TrimSpace(score), line, told); ok {
			r.Ratings[name] = n
		}
	}
	if len(named) < len(Dimensions()) && len(named) > 0 {
		told.Add("R007", diagnostic.Warning, line, "%d of %d dimensions are rated: the mean is over those", len(named), len(Dimensions()))
	}
}

// dimension folds the ways a dimension is written: "Data use", data-use.
func dimension(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}

func readScore(name, score string, line int, told *diagnostic.List) (int, bool) {
	if score == "" {
		told.Add("R005", diagnostic.Info, line, "%s is not rated yet", name)
		return 0, false
	}
	m := scoreForm.FindStringSubmatch(score)
	if m == nil {
		told.Add("R002", diagnostic.Error, line, "%s=%s: a score is a whole number from 1 to 5", name, score)
		return 0, false
	}
	n, err := strconv.Atoi(m[1])
	if err != nil || n < 1 || n > 5 {
		told.Add("R003", diagnostic.Error, line, "%s=%s: scores go from 1 to 5", name, score)
		return 0, false
	}
	return n, true
}
