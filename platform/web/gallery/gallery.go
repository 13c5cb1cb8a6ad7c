// Package gallery shows every piece pages are made of in every state it has, on
// one page. People look there before they draw something a second time, and its
// screenshots are what a change of the stylesheet is held against. Only a
// demonstration or a development server serves it.
package gallery

import (
	"embed"
	"io/fs"
	"net/http"

	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text of the gallery, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// Path is where the gallery stands.
const Path = "/components"

// Routes registers the gallery. The caller leaves it out in production.
func Routes(m *web.Mux) {
	site := m.Site()
	m.Handle("GET "+Path, func(w http.ResponseWriter, r *http.Request) error {
		p := site.Page(r)
		p.Title, p.Section = p.T("gallery.title"), "components"
		return site.Render(w, r, http.StatusOK, p, body(p))
	}, web.Public("it shows samples and nothing of anybody's"))
}
