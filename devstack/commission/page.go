package commission

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"slices"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// page lists for people what was received, the newest first.
func (d *Desk) page(w http.ResponseWriter, _ *http.Request) {
	all := d.Reports()
	slices.Reverse(all)
	var page bytes.Buffer
	if err := pageTemplate.Execute(&page, all); err != nil {
		refuse(w, http.StatusInternalServerError, "the page cannot be made: %v", err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	_, _ = w.Write(page.Bytes()) // nobody is left to be told
}
