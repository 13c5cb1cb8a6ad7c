package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed static
var staticFiles embed.FS

// stylesheet is the name of all parts under css, joined; devanagari is the
// font pages in Hindi need first.
const (
	stylesheet = "gavel.css"
	devanagari = "vendor/noto-sans-devanagari-5.3.0.woff2"
)

// mediaTypes are named here because the machine's own list differs from one
// machine to the next.
var mediaTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".json":  "application/json",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// assets are the static files, each under an address that holds the hash of
// its content and may therefore be kept for ever.
type assets struct {
	byName map[string]string // name to address
	byPath map[string]asset  // what follows /static/ to content
}

type asset struct {
	body, zipped []byte
	kind         string // media type
}

// loadAssets reads the files of this package and those of others whose pages are
// served with it.
func loadAssets(others []fs.FS) (*assets, error) {
	a := &assets{byName: map[string]string{}, byPath: map[string]asset{}}
	own, err := fs.Sub(staticFiles, "static")
	if err != nil {
		return nil, err
	}
	var css, last bytes.Buffer
	err = a.load(own, func(part string) *bytes.Buffer {
		if part >= lastParts {
			return &last
		}
		return &css
	})
	css.WriteString(chart.Style())
	for _, files := range others {
		if err == nil {
			err = a.load(files, func(string) *bytes.Buffer { return &css })
		}
	}
	if err != nil {
		return nil, err
	}
	css.Write(last.Bytes())
	return a, a.add(stylesheet, a.addressed(css.Bytes()))
}

// lastParts is where the names of those parts of the stylesheet begin that come after
// everybody's: small screens, touch, motion and print have the last word.
const lastParts = "7"

// load takes in files. Those under css are parts of the stylesheet and go where join
// says; WalkDir goes in order of name, which is the order of the parts.
func (a *assets) load(files fs.FS, join func(part string) *bytes.Buffer) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if path.Dir(name) != "css" {
			return a.add(name, body)
		}
		join(path.Base(name)).Write(body)
		return nil
	})
}

var cssURL = regexp.MustCompile(`url\("([^"]+)"\)`)

// addressed puts the addresses of files in the place of their names in a
// stylesheet, so that those carry the hash of their content, too.
func (a *assets) addressed(css []byte) []byte {
	return cssURL.ReplaceAllFunc(css, func(found []byte) []byte {
		name := string(cssURL.FindSubmatch(found)[1])
		return []byte(`url("` + a.address(name) + `")`)
	})
}

func (a *assets) add(name string, body []byte) error {
	if _, taken := a.byName[name]; taken {
		return fmt.Errorf("two static files are called %s", name)
	}
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	hashed := strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext
	var zipped bytes.Buffer
	zip, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := zip.Write(body); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	kind, ok := mediaTypes[ext]
	if !ok {
		kind = "text/plain; charset=utf-8"
	}
	a.byName[name] = "/static/" + hashed
	a.byPath[hashed] = asset{body: body, zipped: zipped.Bytes(), kind: kind}
	return nil
}

// address is where a file is served. An unknown name is a slip in a template;
// its address answers 404, which the browser tests take for a fault.
func (a *assets) address(name string) string {
	if addr, ok := a.byName[name]; ok {
		return addr
	}
	return "/static/" + name
}

func (s *Site) static(w http.ResponseWriter, r *http.Request) error {
	file, ok := s.assets.byPath[r.PathValue("name")]
	if !ok {
		return fault.New(fault.NotFound, "no static file has this address").Because("no_page")
	}
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	h.Set("Content-Type", file.kind)
	h.Set("Vary", "Accept-Encoding")
	body := file.body
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(file.zipped) < len(body)*9/10 { // fonts are packed already
		h.Set("Content-Encoding", "gzip")
		body = file.zipped
	}
	_, _ = w.Write(body) // the visitor may have gone; there is nobody to tell
	return nil
}
