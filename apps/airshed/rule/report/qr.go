package report

import (
	"strconv"
	"strings"

	"rsc.io/qr/coding"

	"github.com/gavelhq/gavel/platform/fault"
)

// quiet is the white edge that a reader of the code needs, in squares.
const quiet = 4

// Mark is what the code on the paper holds: the address where anybody may check a
// report, and its number with the digest of its JSON; without an address these alone.
func (r Report) Mark() (string, error) {
	records, err := r.records()
	if err != nil {
		return "", err
	}
	own := r.ID + ":" + records[0].SHA256
	if r.VerifyAt == "" {
		return own, nil
	}
	return r.VerifyAt + "#" + own, nil // what follows the mark is never sent to anybody
}

// Squares are the black squares of the QR code of a text, row by row. About a tenth of
// them may be lost to a fold or a stain.
func Squares(text string) ([][]bool, error) {
	words := coding.String(text)
	for v := coding.Version(coding.MinVersion); v <= coding.MaxVersion; v++ {
		if words.Bits(v) > v.DataBytes(coding.M)*8 {
			continue
		}
		plan, err := coding.NewPlan(v, coding.M, 0)
		if err != nil {
			return nil, fault.From(fault.Internal, err, "plan a QR code")
		}
		code, err := plan.Encode(words)
		if err != nil {
			return nil, fault.From(fault.Internal, err, "make a QR code")
		}
		rows := make([][]bool, code.Size)
		for y := range rows {
			rows[y] = make([]bool, code.Size)
			for x := range rows[y] {
				rows[y][x] = code.Black(x, y)
			}
		}
		return rows, nil
	}
	return nil, fault.New(fault.TooLarge, "%d bytes are too many for a QR code", len(text))
}

// drawn is a QR code as a drawing. What it says stands beside it as text, so that it is
// hidden from whoever cannot see it.
func drawn(rows [][]bool) string {
	var path strings.Builder
	for y, row := range rows {
		for x := 0; x < len(row); x++ {
			from := x
			for x < len(row) && row[x] {
				x++
			}
			if n := strconv.Itoa(x - from); n != "0" {
				path.WriteString("M" + strconv.Itoa(from) + " " + strconv.Itoa(y) + "h" + n + "v1h-" + n + "z")
			}
		}
	}
	edge, size := strconv.Itoa(-quiet), strconv.Itoa(len(rows)+2*quiet)
	return `<svg class="qr" viewBox="` + edge + " " + edge + " " + size + " " + size +
		`" shape-rendering="crispEdges" aria-hidden="true" focusable="false"><path d="` + path.String() + `"/></svg>`
}

// checking says how the paper is checked, with the code that leads there.
func (p *page) checking() {
	mark, err := p.r.Mark()
	if err != nil {
		p.keep(err)
		return
	}
	rows, err := Squares(mark)
	if err != nil {
		p.keep(err)
		return
	}
	p.raw(`<div class="check">`, drawn(rows), "<div><h3>", p.word(p.label("check")), "</h3>\n<p>")
	if p.r.VerifyAt != "" {
		p.raw(p.word(p.say("page.check.at", with{"address": p.r.VerifyAt})), "</p>\n<p>")
	}
	p.raw(p.word(p.say("page.check.digest", with{"id": p.r.ID, "file": p.records[0].Name})), "</p>\n<p>", p.digest(p.records[0].SHA256),
		"</p></div></div>\n")
}

// margins are what stands above and below every sheet of paper: the report's number,
// whether it is a draft, and which sheet this is.
func (p *page) margins() string {
	status := quoted(p.label("status." + string(p.r.Status)))
	return "@page { @top-left { content: " + quoted(p.r.ID) + " } @top-right { content: " + status + " } @bottom-left { content: " +
		quoted(p.label("footer")) + " }\n" +
		"@bottom-right { content: " + quoted(p.label("sheet")+" ") + " counter(page) " + quoted(" "+p.label("sheets")+" ") +
		" counter(pages) } }\n"
}

// quoted is a text as a style sheet quotes it.
func quoted(s string) string {
	var b strings.Builder
	for _, c := range s {
		if c < ' ' || strings.ContainsRune(`"\<>&`, c) {
			hex := strconv.FormatInt(int64(c), 16)
			b.WriteString(`\` + strings.Repeat("0", 6-len(hex)) + hex)
			continue
		}
		b.WriteRune(c)
	}
	return `"` + b.String() + `"`
}
