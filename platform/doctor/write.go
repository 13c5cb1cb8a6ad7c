package doctor

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Write prints findings for people: one heading a group, one line a check, the
// fix under each that needs one, and a count at the end.
func Write(w io.Writer, findings []Finding) error {
	var b strings.Builder
	width := 0
	for _, f := range findings {
		width = max(width, utf8.RuneCountInString(f.Name))
	}
	group := ""
	for i, f := range findings {
		if f.Group != group || i == 0 {
			if i > 0 {
				b.WriteByte('\n')
			}
			group = f.Group
			b.WriteString(group + "\n")
		}
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(f.Name))
		fmt.Fprintf(&b, "  %-4s  %s%s  %s\n", f.mark(), f.Name, pad, oneLine(f.Detail))
		if f.Fix != "" {
			fmt.Fprintf(&b, "        fix: %s\n", oneLine(f.Fix))
		}
	}
	b.WriteString("\n" + Count(findings) + "\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// mark is a finding's status in the margin; what was not looked at has none.
func (f Finding) mark() string {
	if f.Skipped != "" {
		return "-"
	}
	return string(f.Status)
}

// Count is the summary in one line: "12 ok, 1 warn, 0 fail", and where something
// was not looked at "7 ok, 0 warn, 0 fail, 8 not checked, 5 not set up".
func Count(findings []Finding) string {
	n := map[Status]int{}
	for _, f := range findings {
		if f.Skipped != "" {
			n[f.Skipped]++
			continue
		}
		n[f.Status]++
	}
	text := fmt.Sprintf("%d ok, %d warn, %d fail", n[OK], n[Warn], n[Fail])
	for _, s := range []Status{NotChecked, NotSetUp} {
		if n[s] > 0 {
			text += fmt.Sprintf(", %d %s", n[s], s)
		}
	}
	return text
}

// oneLine keeps what a part answered from moving the terminal: no control
// characters, and a bound on the length.
func oneLine(s string) string {
	const most = 400
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return strings.TrimSpace(s)
}
