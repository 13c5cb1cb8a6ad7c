// Package manual serves the project's documents as pages under /docs, in the
// shell of every other page, and finds what they say.
//
// Read library.go first: it is what was read, once, on the first request. Then
// tree.go makes a page of a Markdown file, render.go writes it as HTML, and
// index.go and query.go find words in it. docs/design/manual.md has the reasons.
package manual

import (
	"bytes"
	"embed"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed messages
var messages embed.FS

// Messages is the text around the documents, by language. The documents
// themselves are in English.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// Path is where the contents stand, and with q what was found.
const Path = "/docs"

// pictures is the folder of the documents' pictures.
const pictures = "docs/pictures"

// A Manual is the documents of a project. It is safe for concurrent use.
type Manual struct {
	files fs.FS
	read  func() (*library, error)
}

// New makes a manual of the Markdown files at the root of files and in the
// folders of its docs. They are read when somebody first asks.
func New(files fs.FS) *Manual {
	return &Manual{files: files, read: sync.OnceValues(func() (*library, error) { return readLibrary(files) })}
}

// Routes registers the pages.
func (m *Manual) Routes(mux *web.Mux) {
	open := web.Public("the documents are the project's, and hold nothing about anybody")
	site := mux.Site()
	mux.Handle("GET "+Path, func(w http.ResponseWriter, r *http.Request) error { return m.contents(site, w, r) }, open)
	mux.Handle("GET "+Path+"/{folder}/{page}", func(w http.ResponseWriter, r *http.Request) error { return m.page(site, w, r) }, open)
	mux.Handle("GET "+Path+"/pictures/{name}", m.picture, open)
}

// contents lists every page, or what was found where words were asked for.
func (m *Manual) contents(site *web.Site, w http.ResponseWriter, r *http.Request) error {
	lib, err := m.read()
	if err != nil {
		return err
	}
	p := site.Page(r)
	p.Title = p.T("manual.title")
	asked, err := parseQuery(r.URL.Query().Get("q"))
	switch {
	case err != nil:
		v := searchView{text: asked.text, fault: err}
		return site.Render(w, r, web.Status(fault.KindOf(err)), p, searchBody(p, v))
	case asked.text != "":
		p.Title = p.T("manual.search_title", "q", asked.text)
		return site.Kept(w, r, p, searchBody(p, searchView{text: asked.text, found: lib.index.find(asked)}))
	}
	return site.Kept(w, r, p, contentsBody(p, lib))
}

// page is one document.
func (m *Manual) page(site *web.Site, w http.ResponseWriter, r *http.Request) error {
	lib, err := m.read()
	if err != nil {
		return err
	}
	pg, ok := lib.byPath[Path+"/"+r.PathValue("folder")+"/"+r.PathValue("page")]
	if !ok {
		return fault.New(fault.NotFound, "the documentation has no such page").
			WithNext("see %s, which lists the pages there are, and searches them", Path)
	}
	p := site.Page(r)
	p.Title = pg.title
	text, err := pg.html(p.Href)
	if err != nil {
		return err
	}
	return site.Kept(w, r, p, pageBody(p, pageView{page: pg, text: text, before: lib.beside(pg, -1), after: lib.beside(pg, 1)}))
}

// picture is a picture of a document. Its name says nothing about its version,
// so that a browser asks again after a day.
func (m *Manual) picture(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	kind := mime.TypeByExtension(path.Ext(name))
	body, err := fs.ReadFile(m.files, pictures+"/"+name)
	if err != nil || !strings.HasPrefix(kind, "image/") {
		return fault.New(fault.NotFound, "the documentation has no such picture")
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "public, max-age=86400")
	w.Header().Set("ETag", web.Tag(body))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
	return nil
}
