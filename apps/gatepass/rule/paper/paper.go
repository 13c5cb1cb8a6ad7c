// Package paper is a pass on paper: a page of HTML that needs nothing from outside, for a sheet of A4 or A6, or a strip of
// 80 mm. What it says is escaped, whoever wrote it.
package paper

import (
	"html"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Size is a size of paper.
type Size string

// The sizes.
const (
	A4    Size = "A4"
	A6    Size = "A6"
	Strip Size = "80mm"
)

// sheets are the sizes as style sheets take them: by their lengths, because names of them and "auto" print on other paper.
var sheets = map[Size]string{A4: "210mm 297mm", A6: "105mm 148mm", Strip: "80mm 160mm"}

// ParseSize reads a size; A4 where none is said.
func ParseSize(s string) (Size, error) {
	if s == "" {
		return A4, nil
	}
	if _, ok := sheets[Size(s)]; !ok {
		return "", fault.New(fault.Invalid, "there is no paper %.20q: use A4, A6 or 80mm", s).On("size", "choice", "")
	}
	return Size(s), nil
}

// A Sheet is what is printed.
type Sheet struct {
	Pass pass.Pass
	Site string
	Zone *time.Location
	Code string // the SVG of its QR; empty where it has none
	Size Size
}

// words are the labels in both languages: a guard reads one of them.
var words = map[string][2]string{
	"title": {"Gate pass", "गेट पास"}, "person": {"Name", "नाम"}, "purpose": {"Purpose", "उद्देश्य"}, "site": {"Site", "स्थल"},
	"from": {"Valid from", "कब से"}, "until": {"Valid until", "कब तक"}, "back": {"Back by", "वापसी तक"}, "status": {"Status", "स्थिति"},
	"approved": {"Approved by", "स्वीकृति"}, "code": {"Code", "कोड"}, "items": {"Items", "सामान"}, "none": {"does not come back",
		"वापसी नहीं"},
	"uncoded": {"This pass has no code: it is not approved, or was taken back.",
		"इस पास का कोड नहीं है: यह स्वीकृत नहीं है, या वापस लिया गया।"},
}

// HTML is the page.
func (s Sheet) HTML() []byte {
	var b strings.Builder
	p := s.Pass
	b.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + esc(string(p.Number)) + "</title>\n<style>" +
		s.style() +
		"</style></head>\n<body class=\"s" + esc(string(s.Size)) + "\"><main>\n<h1>" + both("title") + "</h1>\n<p class=\"number\">" +
		esc(string(p.Number)) + "</p>\n")
	if s.Code != "" {
		b.WriteString(s.Code + "\n")
	} else {
		b.WriteString("<p class=\"uncoded\">" + both("uncoded") + "</p>\n")
	}
	back := both("none")
	if p.IsReturnable {
		back = esc(s.when(p.DueBack()))
	}
	b.WriteString("<dl>")
	for _, row := range [][2]string{{"person", esc(p.PersonName)}, {"purpose", esc(p.Description)}, {"site", esc(s.Site)}, {"from",
		esc(s.when(p.ValidFrom))},
		{"until", esc(s.when(p.ValidUntil))}, {"back", back}, {"status", esc(string(p.Status))}, {"approved", esc(p.ApprovedBy)}, {"code",
			esc(string(p.Code))}} {
		if row[1] != "" {
			b.WriteString("<dt>" + both(row[0]) + "</dt><dd>" + row[1] + "</dd>\n")
		}
	}
	b.WriteString("</dl>\n" + s.items() + "</main></body></html>\n")
	return []byte(b.String())
}

func (s Sheet) items() string {
	if len(s.Pass.Items) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("<h2>" + both("items") + "</h2><ul>")
	for _, it := range s.Pass.Items {
		b.WriteString("<li>" + esc(it.Quantity.String()+" "+it.Unit+" "+it.Name))
		if it.Serial != "" {
			b.WriteString(" · " + esc(it.Serial))
		}
		b.WriteString("</li>")
	}
	return b.String() + "</ul>\n"
}

func (s Sheet) when(t time.Time) string { return t.In(s.Zone).Format("2 Jan 2006 15:04") }

func both(key string) string { return esc(words[key][0]) + " / " + esc(words[key][1]) }

func esc(s string) string { return html.EscapeString(s) }

func (s Sheet) style() string {
	text, code, rows := "11pt", "60mm", ""
	if s.Size != A4 { // a label stands beside its value: a strip is short, and the things belong on it
		text, code = "9pt", "44mm"
		rows = "dl{display:grid;grid-template-columns:max-content 1fr;gap:.5mm 2mm;align-items:baseline}dt{margin:0}"
	}
	return "@page{size:" + sheets[s.Size] + ";margin:4mm}*{box-sizing:border-box}body{margin:0;font:" + text +
		"/1.35 'Noto Sans','Noto Sans " +
		"Devanagari',sans-serif;color:#000;background:#fff}h1{font-size:1.2em;margin:0}" +
		"h2{font-size:1em;margin:2mm 0 0;break-after:avoid}" +
		".number{font-size:1.7em;font-weight:700;margin:0}.qr{display:block;width:" + code + ";height:" + code + ";margin:2mm auto}" +
		"dl{margin:0}dt{font-size:.8em;margin-top:1mm}dd{margin:0;font-weight:600;overflow-wrap:anywhere}ul{margin:0;padding-left:5mm}" + rows
}
