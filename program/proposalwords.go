package program

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/program/client"
	"github.com/gavelhq/gavel/program/output"
)

// A shownDoc is the part of what a proposal shows that has words of its own
// here. What else it shows is printed field by field.
type shownDoc struct {
	Line     string `json:"line"`
	Agent    string `json:"agent"`
	Said     string `json:"said"`
	Taint    bool   `json:"taint"`
	Question string `json:"question"`
}

// told are the members of the document that the words say, or that stand in the
// proposal beside it.
var told = []string{"tool", "line", "effect", "args", "agent", "role", "said", "taint", "case", "question", "finding"}

// actInWords is all that a proposal shows, for a person who decides it. Nothing
// is cut off: what is decided is what was shown.
func (c *cli) actInWords(p client.Proposal, item client.Item, v client.Verdict) []string {
	lines := []string{strings.TrimSpace(output.Clean(p.ID + "  " + item.CaseRef + " " + item.CaseTitle))}
	lines = append(lines, documentLines(p)...)
	if v.Edit != nil {
		lines = append(lines, "You change:")
		lines = append(lines, editLines(p.Args, v.Edit)...)
	}
	return append(lines, c.circumstances(p, item)...)
}

// documentLines is the document that a proposal shows.
func documentLines(p client.Proposal) []string {
	if p.ErasedAt != nil || len(p.Shown) == 0 || string(p.Shown) == "null" {
		return []string{"what it showed was erased"}
	}
	var doc shownDoc
	_ = json.Unmarshal(p.Shown, &doc) // a document of another form is printed field by field
	lines := append(findingLines(p), output.Safe(orElse(doc.Line, toolOf(p))))
	if doc.Question != "" {
		lines = append(lines, output.Safe(doc.Question))
	}
	lines = append(lines, fieldLines(p.Args, nil)...)
	lines = append(lines, fieldLines(p.Shown, told)...)
	if doc.Said != "" {
		lines = append(lines, "The agent said: "+output.Safe(doc.Said))
	}
	if doc.Taint {
		lines = append(lines, "Text from outside was read before this was proposed.")
	}
	return lines
}

// findingLines is what was found, and about whom: what is read first.
func findingLines(p client.Proposal) (lines []string) {
	if p.Finding == nil {
		return []string{"Made before findings were kept: open the case, gavel case show " + output.Safe(p.Case)}
	}
	for _, line := range p.Finding.Lines("en") {
		lines = append(lines, output.Safe(line))
	}
	return lines
}

// circumstances is what a person should know beside the document.
func (c *cli) circumstances(p client.Proposal, item client.Item) []string {
	lines := []string{effectWords(p)}
	if item.Class != "" {
		lines = append(lines, "It is "+withArticle(consequence(item.Class))+".")
	}
	asked := "Proposed by " + output.Clean(p.RequestedBy)
	if p.OnBehalfOf != "" {
		asked += " for " + output.Clean(p.OnBehalfOf)
	}
	lines = append(lines, asked+".")
	if item.Why != "" {
		lines = append(lines, "Why you: "+output.Clean(whyMe(item))+".")
	}
	if p.Required > 1 {
		lines = append(lines, fmt.Sprintf("%d people must approve it; %d have.", p.Required, p.Approvals()))
	}
	if by := lookedAtBy(item.Claim); by != "" {
		lines = append(lines, output.Clean(by)+" has claimed it.")
	}
	for _, t := range []struct {
		word string
		at   *time.Time
	}{{"Due", p.DueAt}, {"Expires", p.ExpiresAt}} {
		if t.at != nil {
			lines = append(lines, t.word+" "+c.print.Moment(*t.at)+".")
		}
	}
	return lines
}

// effectWords says what a yes leads to.
func effectWords(p client.Proposal) string {
	switch p.Effect {
	case "outside":
		return "It leaves the organisation."
	case "write":
		return "It changes what we hold, and leaves nobody's hands."
	case "read":
		return "It only reads."
	}
	return "Approving it puts your answer on record and does nothing else."
}

// fieldLines are the leaves of a JSON object, a line each, but for some of its
// members. Text of several lines is indented below its name.
func fieldLines(text json.RawMessage, without []string) []string {
	object := map[string]any{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if in.Decode(&object) != nil {
		return nil
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(without, name) {
			lines = append(lines, leafLines(name, object[name])...)
		}
	}
	return lines
}

func leafLines(path string, value any) []string {
	switch v := value.(type) {
	case map[string]any:
		var lines []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, leafLines(path+"."+name, v[name])...)
		}
		return lines
	case []any:
		var lines []string
		for i, one := range v {
			lines = append(lines, leafLines(fmt.Sprintf("%s[%d]", path, i), one)...)
		}
		return lines
	case string:
		if strings.Contains(v, "\n") {
			return append([]string{"  " + output.Safe(path) + ":"}, "    "+strings.ReplaceAll(output.Safe(v), "\n", "\n    "))
		}
		return []string{"  " + output.Safe(path) + ": " + output.Safe(v)}
	case nil:
		return []string{"  " + output.Safe(path) + ": nothing"}
	}
	return []string{"  " + output.Safe(path) + ": " + fmt.Sprint(value)}
}

// editLines are the differences between two sets of arguments.
func editLines(before, after json.RawMessage) []string {
	changes, err := review.Changes(before, after)
	if err != nil || len(changes) == 0 {
		return []string{"  nothing"}
	}
	lines := make([]string, len(changes))
	for i, ch := range changes {
		lines[i] = output.Safe(fmt.Sprintf("  %s: %s becomes %s", ch.Path, orElse(string(ch.Before), "nothing"),
			orElse(string(ch.After), "nothing")))
	}
	return lines
}

// changesBetween says in words how a proposal differs from what it was.
func changesBetween(was, now client.Proposal) []string {
	var all []string
	if was.State != now.State {
		all = append(all, "it was "+spaced(was.State)+" and is "+spaced(now.State))
	}
	for _, d := range now.Decisions[min(len(was.Decisions), len(now.Decisions)):] {
		all = append(all, output.Clean(fmt.Sprintf("%s: %s %s", orElse(d.Name, d.Actor), spaced(d.Verdict), d.Reason)))
	}
	if !bytes.Equal(was.Shown, now.Shown) {
		if now.ErasedAt != nil {
			return append(all, "its words were erased")
		}
		for _, line := range editLines(was.Shown, now.Shown) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

func orElse(text, other string) string {
	if strings.TrimSpace(text) == "" {
		return other
	}
	return text
}

func withArticle(words string) string {
	if words == "" || words == client.Routine || words == "unknown" {
		return words
	}
	if strings.ContainsRune("aeiou", rune(words[0])) {
		return "an " + words
	}
	return "a " + words
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
