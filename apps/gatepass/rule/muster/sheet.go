package muster

import (
	"html"
	"strconv"
	"strings"
	"time"
)

// A Sheet is a list on paper, and as a copy that needs no server and no network.
type Sheet struct {
	List
	Site string
	Zone *time.Location
}

// words are the labels in both languages: whoever calls the names reads one of them.
var words = map[string][2]string{
	"title": {"Evacuation list", "निकासी सूची"}, "as_of": {"As of", "समय"}, "name": {"Name", "नाम"}, "pass": {"Pass", "पास"},
	"since": {"Since", "कब से"}, "due": {"Back by", "वापसी तक"}, "seen": {"Seen", "मिले"}, "unknown": {"Not known", "पता नहीं"},
	"in": {"On the site", "परिसर में"}, "out": {"Out", "बाहर"},
	"foot": {"Made of gate passes. Who has no pass today is not on it.", "गेट पासों से बनी सूची। जिनका आज पास नहीं, वे इसमें नहीं हैं।"},
}

// HTML is the sheet. It brings everything it needs.
func (s Sheet) HTML() []byte {
	var b strings.Builder
	b.Grow(1024 + 160*len(s.People))
	b.WriteString("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">" +
		"<title>" + esc(words["title"][0]+", "+s.Site) + "</title>\n<style>" + style + "</style></head>\n<body><main>\n<h1>" +
		both("title") +
		"</h1>\n<p><b>" + esc(s.Site) + "</b> · " + both("as_of") + " " + s.when(s.At) + " " +
		esc(s.At.In(s.Zone).Format("MST")) + "</p>\n")
	i := 0
	for _, w := range Wheres() {
		b.WriteString("<h2>" + both(string(w)) + ": " + strconv.Itoa(s.Counts[w]) + "</h2>\n")
		if s.Counts[w] == 0 {
			continue
		}
		b.WriteString("<table><thead><tr>")
		for _, head := range []string{"seen", "name", "pass", "since", "due"} {
			b.WriteString("<th>" + both(head) + "</th>")
		}
		b.WriteString("</tr></thead><tbody>\n")
		for ; i < len(s.People) && s.People[i].Where == w; i++ {
			s.row(&b, s.People[i])
		}
		b.WriteString("</tbody></table>\n")
	}
	b.WriteString("<p class=\"foot\">" + both("foot") + "</p>\n</main></body></html>\n")
	return []byte(b.String())
}

func (s Sheet) row(b *strings.Builder, p Person) {
	name := esc(p.Name)
	if p.Ref != "" {
		name += " <small>" + esc(p.Ref) + "</small>"
	}
	b.WriteString("<tr><td class=\"box\"></td><td>" + name + "</td><td>" + esc(string(p.Number)) + "</td><td>" + s.when(p.Since) +
		"</td><td>" +
		s.when(p.Due) + "</td></tr>\n")
}

func (s Sheet) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Zone).Format("2 Jan 15:04")
}

func both(key string) string { return esc(words[key][0]) + " / " + esc(words[key][1]) }

func esc(s string) string { return html.EscapeString(s) }

const style = "*{box-sizing:border-box}body{margin:0;padding:4mm;font:11pt/1.35 'Noto Sans','Noto Sans Devanagari',sans-serif;" +
	"color:#000;background:#fff}h1{font-size:1.3em;margin:0}h2{font-size:1.1em;margin:4mm 0 1mm}table{width:100%;border-collapse:collapse}" +
	"th,td{border:1px solid #888;padding:1mm 2mm;text-align:left}thead{display:table-header-group}tr{break-inside:avoid}" +
	".box{width:14mm}.foot{font-size:.85em}@page{size:210mm 297mm;margin:10mm}"
