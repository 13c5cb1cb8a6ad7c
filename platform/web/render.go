package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"net/http"
	"strings"

	"github.com/a-h/templ"
)

// regionHeader is sent by live.js when a region fetches itself again, and comes
// back on everything that stands in a page: forms.js lets htmx put in nothing
// else, such as the error page of a proxy.
const regionHeader = "Gavel-Region"

func markRegion(w http.ResponseWriter) { w.Header().Set(regionHeader, "1") }

// WantsRegion reports whether only a region of a page is wanted, by live.js or
// by htmx.
func WantsRegion(r *http.Request) bool {
	return r.Header.Get(regionHeader) != "" || r.Header.Get("HX-Request") == "true"
}

// Render writes a whole page around a body.
func (s *Site) Render(w http.ResponseWriter, r *http.Request, status int, p *Page, body templ.Component) error {
	return s.write(w, r, status, layout(p, body))
}

// Kept writes a whole page that is the same until the program changes. Somebody
// who is not signed in may keep it and ask with its ETag; the page of anybody
// else has their name on it and is kept nowhere.
func (s *Site) Kept(w http.ResponseWriter, r *http.Request, p *Page, body templ.Component) error {
	if p.Actor.Known() {
		return s.Render(w, r, http.StatusOK, p, body)
	}
	var buf bytes.Buffer
	if err := layout(p, body).Render(r.Context(), &buf); err != nil {
		return err
	}
	w.Header().Add("Vary", "Cookie, Accept-Language")
	w.Header().Set("Cache-Control", "private, no-cache")
	if NotModified(w, r, Tag(buf.Bytes())) {
		return nil
	}
	return send(w, http.StatusOK, buf.Bytes())
}

// A Region is a part of a page that live.js keeps current: it has one owner and
// one address.
type Region struct {
	ID       string // of its element
	Class    string // of its element; may be empty
	Object   string // what it shows: an object's id, or a prefix and * for a list
	Version  int64  // of that object, as shown
	Src      string // its address
	Announce bool   // tell readers of the screen when it changed
	Hold     bool   // a list: never move its rows under a pointer
	Body     templ.Component
}

// Live is a region inside a page. The body is rendered first, so that the
// element can carry its ETag and fetching it again costs nothing while it is
// the same.
func (p *Page) Live(reg Region) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		body, tag, err := reg.render(ctx)
		if err != nil {
			return err
		}
		return regionRoot(p, reg, tag, templ.Raw(body)).Render(ctx, w)
	})
}

func (reg Region) render(ctx context.Context) (body, tag string, err error) {
	var buf bytes.Buffer
	if err := reg.Body.Render(ctx, &buf); err != nil {
		return "", "", err
	}
	return buf.String(), Tag(buf.Bytes()), nil
}

// Region writes a region alone when a region was asked for, and as a whole page
// otherwise, so that its address works in any browser. An alone region carries
// an ETag of its body and answers If-None-Match with 304.
func (s *Site) Region(w http.ResponseWriter, r *http.Request, p *Page, reg Region) error {
	w.Header().Add("Vary", regionHeader+", HX-Request, Cookie, Accept-Language")
	if !WantsRegion(r) {
		return s.Render(w, r, http.StatusOK, p, regionPage(p, p.Live(reg)))
	}
	body, tag, err := reg.render(r.Context())
	if err != nil {
		return err
	}
	markRegion(w)
	w.Header().Set("Cache-Control", "private, no-cache")
	if NotModified(w, r, tag) {
		return nil
	}
	return s.write(w, r, http.StatusOK, regionRoot(p, reg, tag, templ.Raw(body)))
}

// Answer writes a region alone with a status of its own, never cached, and what
// belongs elsewhere on the page after it: the answer to a form that htmx sent.
func (s *Site) Answer(w http.ResponseWriter, r *http.Request, status int, p *Page, reg Region, elsewhere templ.Component) error {
	markRegion(w)
	return s.write(w, r, status, templ.Join(p.Live(reg), elsewhere))
}

// write renders before it sends, so that a template that fails becomes an error
// page and not half a page.
func (s *Site) write(w http.ResponseWriter, r *http.Request, status int, c templ.Component) error {
	var buf bytes.Buffer
	if err := c.Render(r.Context(), &buf); err != nil {
		return err
	}
	return send(w, status, buf.Bytes())
}

func send(w http.ResponseWriter, status int, body []byte) error {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the visitor may have gone; there is nobody to tell
	return nil
}

// Tag is the strong ETag of some bytes.
func Tag(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + base64.RawURLEncoding.EncodeToString(sum[:18]) + `"`
}

// NotModified sets the ETag and, when the caller already holds that version,
// answers 304 and reports true.
func NotModified(w http.ResponseWriter, r *http.Request, tag string) bool {
	w.Header().Set("ETag", tag)
	if !matches(r.Header.Get("If-None-Match"), tag) {
		return false
	}
	w.WriteHeader(http.StatusNotModified)
	return true
}

// matches compares weakly, as RFC 9110 asks of If-None-Match.
func matches(header, tag string) bool {
	for _, candidate := range strings.Split(header, ",") {
		candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
		if candidate == "*" || candidate == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
