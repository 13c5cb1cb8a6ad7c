package report

import (
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/qrcode"
)

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

// drawn is a QR code as a drawing. What it says stands beside it as text, so that it is
// hidden from whoever cannot see it.
func drawn(rows [][]bool) string {
	return `<svg class="qr" viewBox="` + qrcode.ViewBox(rows) +
		`" shape-rendering="crispEdges" aria-hidden="true" focusable="false"><path d="` + qrcode.Path(rows) + `"/></svg>`
}

// checking says how the paper is checked, with the code that leads there.
func (p *page) checking() {
	mark, err := p.r.Mark()
	if err != nil {
		p.keep(err)
		return
	}
	rows, err := qrcode.Squares(mark)
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
