// Package gate is the app at a gate: it opens in the camera, answers a code in a word, takes the photo, and works without a network.
//
// What runs is in the folder app, plain modules that the browser loads as they are: main.js shows, gate.js knows and does, judge.js
// is rule/offline in the browser, book.js signs what was let through. Read gate.js first. The server hands them out, with
// the worker that keeps them on the device, and knows nothing of what a gate does but by the API.
package gate

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed app
var files embed.FS

// At is where the app is.
const At = "/gatepass/gate"

// policy is the console's, and what a gate needs besides: its worker and manifest, photos that it took, and WebAssembly to read codes with.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; manifest-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; media-src 'self' blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; " +
	"frame-ancestors 'none'"

// mediaTypes are those of the files.
var mediaTypes = map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml",
	".wasm": "application/wasm"}

// Nav is the app's line of the rail, for who works at a gate.
func Nav() []web.NavItem {
	return []web.NavItem{{Section: store.Name + "/gate", Key: "gatepass.gate.nav", Path: At, Icon: "pass", Act: store.ActScan}}
}

// An App is the files of the app as they are handed out.
type App struct {
	site   *web.Site
	byName map[string][]byte
	names  []string
	sum    string // of all of them
}

// Routes registers the page, its files, its manifest and its worker.
func Routes(m *web.Mux) {
	a := &App{site: m.Site(), byName: map[string][]byte{}}
	a.load()
	nothing := web.Public("the files of the app, the same for all")
	m.Handle("GET "+At, a.page, web.Needs(store.ActScan))
	m.Handle("GET "+At+"/file/{name...}", a.file, nothing)
	m.Handle("GET "+At+"/app.webmanifest", a.manifest, nothing)
	m.Handle("GET "+At+"/worker.js", a.worker, nothing)
}

// load reads the files that the app has on the device.
func (a *App) load() {
	sum := sha256.New()
	err := fs.WalkDir(files, "app", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || mediaTypes[path.Ext(name)] == "" {
			return err
		}
		body, err := fs.ReadFile(files, name)
		short := strings.TrimPrefix(name, "app/")
		a.names, a.byName[short] = append(a.names, short), body
		_, _ = sum.Write(append([]byte(short+"\x00"), body...))
		return err
	})
	if err != nil {
		panic(err) // they are compiled in
	}
	slices.Sort(a.names)
	a.sum = hex.EncodeToString(sum.Sum(nil))[:16]
}

// page is the document. It holds nothing about anybody: the device keeps it.
func (a *App) page(w http.ResponseWriter, r *http.Request) error {
	p := a.site.Page(r)
	text, err := json.Marshal(words(p))
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := document(p, string(text)).Render(r.Context(), &out); err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Permissions-Policy", "camera=(self), microphone=(), geolocation=(), payment=()")
	return a.send(w, r, "text/html; charset=utf-8", out.Bytes())
}

// words are the texts of the app in every language, by their keys without the prefix.
func words(p *web.Page) map[web.Lang]map[string]string {
	all := map[web.Lang]map[string]string{}
	for _, lang := range web.Languages() {
		said := *p
		said.Lang, all[lang] = lang, map[string]string{}
		for _, key := range Keys {
			all[lang][key] = said.T("gatepass.gate." + key)
		}
	}
	return all
}

func (a *App) file(w http.ResponseWriter, r *http.Request) error {
	name := r.PathValue("name")
	body, ok := a.byName[name]
	if !ok || name == "worker.js" {
		return fault.New(fault.NotFound, "the app has no such file")
	}
	w.Header().Set("Content-Security-Policy", policy) // of the worker that decodes, too
	return a.send(w, r, mediaTypes[path.Ext(name)], body)
}

func (a *App) manifest(w http.ResponseWriter, r *http.Request) error {
	p := a.site.Page(r)
	body, err := json.Marshal(map[string]any{"id": At, "name": p.T("gatepass.gate.nav"),
		"short_name": p.T("gatepass.gate.title"), "start_url": At,
		"scope": At, "display": "standalone", "lang": p.Lang, "background_color": "#f5f4f0", "theme_color": "#1f4b8f",
		"icons": []map[string]string{{"src": At + "/file/icon.svg", "sizes": "any", "type": "image/svg+xml", "purpose": "any"}}})
	if err != nil {
		return err
	}
	return a.send(w, r, "application/manifest+json", body)
}

// worker is what keeps the app on the device: the file, with what it keeps and by which name.
func (a *App) worker(w http.ResponseWriter, r *http.Request) error {
	p := a.site.Page(r)
	keeps := []string{At, At + "/app.webmanifest"}
	for _, name := range []string{"gavel.css", "vendor/noto-sans-devanagari-5.3.0.woff2", "vendor/noto-sans-devanagari-latin-5.3.0.woff2"} {
		keeps = append(keeps, p.Asset(name))
	}
	for _, name := range a.names {
		if name != "worker.js" {
			keeps = append(keeps, At+"/file/"+name)
		}
	}
	said, err := json.Marshal(words(p))
	if err != nil {
		return err
	}
	list, err := json.Marshal(keeps)
	if err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(a.sum + string(list) + string(said)))
	head := "const VERSION = \"gate-" + hex.EncodeToString(sum[:8]) + "\", FILES = " + string(list) + ";\n"
	w.Header().Set("Content-Security-Policy", policy)
	w.Header().Set("Service-Worker-Allowed", At)
	return a.send(w, r, mediaTypes[".js"], append([]byte(head), a.byName["worker.js"]...))
}

// send answers with a body that is asked for again each time, and seldom sent.
func (a *App) send(w http.ResponseWriter, r *http.Request, media string, body []byte) error {
	w.Header().Set("Content-Type", media)
	w.Header().Set("Cache-Control", "no-cache")
	if web.NotModified(w, r, web.Tag(body)) {
		return nil
	}
	_, err := w.Write(body)
	return err
}
