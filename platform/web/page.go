package web

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Cookies that keep a visitor's choices. They hold no secret.
const (
	langCookie  = "gavel_lang"
	themeCookie = "gavel_theme"
	keysCookie  = "gavel_keys"
)

// A Page is what one page needs while it is written: who reads it, in which
// language and zone, and where it stands in the rail.
type Page struct {
	Title   string
	Section string // the NavItem it belongs to
	Actor   identity.Actor
	Org     Organisation
	Lang    Lang
	Theme   string // light, dark, or empty to follow the reader's system
	Keys    bool   // single keys act as shortcuts; the reader can turn them off
	Frame   Frame
	Now     time.Time

	site    *Site
	request string // request id
	path    string // this page's own address, with its query
	pinned  bool   // the language came from the address and must go along in links
}

// Page begins a page for a request.
func (s *Site) Page(r *http.Request) *Page {
	actor := s.Actor(r)
	org := s.organisation(r.Context(), actor.Org)
	choice := s.lang(r)
	return &Page{
		Actor: actor, Org: org, Lang: choice.Lang, Theme: theme(r), Keys: keys(r), Now: s.cfg.Now().In(org.Zone),
		site: s, request: RequestID(r.Context()), path: LocalPath(r.URL.RequestURI()), pinned: choice.pinned,
	}
}

type langChoice struct {
	Lang
	pinned bool
}

// lang chooses the language: the address, then the cookie, then the browser.
func (s *Site) lang(r *http.Request) langChoice {
	if l, ok := ParseLang(r.URL.Query().Get("lang")); ok {
		return langChoice{Lang: l, pinned: true}
	}
	if c, err := r.Cookie(langCookie); err == nil {
		if l, ok := ParseLang(c.Value); ok {
			return langChoice{Lang: l}
		}
	}
	l, _ := acceptLang(r.Header.Get("Accept-Language"))
	return langChoice{Lang: l}
}

func theme(r *http.Request) string {
	c, err := r.Cookie(themeCookie)
	if err != nil || (c.Value != "light" && c.Value != "dark") {
		return ""
	}
	return c.Value
}

// keys reports whether single keys are shortcuts for this visitor: unless they
// turned them off (WCAG 2.1.4).
func keys(r *http.Request) bool {
	c, err := r.Cookie(keysCookie)
	return err != nil || c.Value != "off"
}

// T is the text for a key in the page's language.
func (p *Page) T(key string, pairs ...string) string {
	return p.site.catalogue.Text(p.Lang, key, pairs...)
}

// Word is the text for a key made from data, such as a state or kind, and the
// data itself, its underscores made spaces, where there is none.
func (p *Page) Word(prefix, value string) string {
	if p.site.catalogue.Has(prefix + value) {
		return p.T(prefix + value)
	}
	return strings.ReplaceAll(value, "_", " ")
}

// Href is a local address that keeps a language chosen by the address.
func (p *Page) Href(path string) string {
	if !p.pinned {
		return path
	}
	path, fragment, hasFragment := strings.Cut(path, "#")
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	path += sep + "lang=" + string(p.Lang)
	if hasFragment {
		path += "#" + fragment
	}
	return path
}

// Pinned reports whether the language came from the address: a form that is sent
// by GET must then carry it along, as Href does for links.
func (p *Page) Pinned() bool { return p.pinned }

// Asset is the address of a static file.
func (p *Page) Asset(name string) string { return p.site.assets.address(name) }

// May reports whether this reader may do an act, so that a page leaves out what
// would be refused.
func (p *Page) May(act string) bool { return p.site.may(p.Actor, act) }

// nav is the part of the rail this reader may see.
func (p *Page) nav() []NavItem {
	var seen []NavItem
	for _, item := range p.site.cfg.Nav {
		if p.May(item.Act) {
			seen = append(seen, item)
		}
	}
	return seen
}

// home is where the mark leads: the site's home, or the first line of the rail
// for a reader whose rail leaves the home out.
func (p *Page) home() string {
	if seen := p.nav(); len(seen) > 0 && !p.homeOpen() {
		return seen[0].Path
	}
	return p.site.cfg.Home
}

// homeOpen reports whether the rail does not keep the site's home from this
// reader.
func (p *Page) homeOpen() bool {
	at := func(item NavItem) bool { return item.Path == p.site.cfg.Home }
	return !slices.ContainsFunc(p.site.cfg.Nav, at) || slices.ContainsFunc(p.nav(), at)
}

// Initials stand for a person in a small circle: the first letters of the
// first and last word of a name, what stands in brackets left out.
func Initials(name string) string {
	name, _, _ = strings.Cut(name, "(")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	if len(words) == 0 {
		return "?"
	}
	first := firstLetter(words[0])
	if len(words) == 1 {
		return first
	}
	return first + firstLetter(words[len(words)-1])
}

func firstLetter(word string) string {
	for _, r := range word {
		return string(unicode.ToUpper(r))
	}
	return ""
}

const maxLocalPath = 1024

// LocalPath is s when it is an address on this site, and / when it is anything
// else: another host, a scheme, or a trick of slashes that a browser would take
// for one.
func LocalPath(s string) string {
	if len(s) == 0 || len(s) > maxLocalPath || s[0] != '/' || strings.HasPrefix(s, "//") || strings.ContainsAny(s, "\\\t\r\n") {
		return "/"
	}
	u, err := url.Parse(s)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return "/"
	}
	return s
}

// ParseForm reads a form that was sent, into r.Form and r.PostForm. One over the
// route's bound is TooLarge and names the bound.
func ParseForm(r *http.Request) error {
	err := r.ParseForm()
	if err == nil {
		return nil
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return known(large)
	}
	return fault.From(fault.Invalid, err, "the form could not be read").Because("form_unreadable")
}

// preferences keeps a choice of language, theme or keys in a cookie and goes back
// to the page it was made on.
func (s *Site) preferences(w http.ResponseWriter, r *http.Request) error {
	if err := ParseForm(r); err != nil {
		return err
	}
	next := LocalPath(r.PostForm.Get("next"))
	if tag := r.PostForm.Get("lang"); tag != "" {
		lang, ok := ParseLang(tag)
		if !ok {
			return fault.New(fault.Invalid, "there are no pages in language %.20q", tag).Because("no_choice", "value", tag)
		}
		s.keep(w, langCookie, string(lang))
		next = withoutLang(next)
	}
	if theme := r.PostForm.Get("theme"); theme != "" {
		if theme != "light" && theme != "dark" && theme != "system" {
			return fault.New(fault.Invalid, "there is no theme %.20q", theme).Because("no_choice", "value", theme)
		}
		s.keep(w, themeCookie, theme)
	}
	if keys := r.PostForm.Get("keys"); keys != "" {
		if keys != "on" && keys != "off" {
			return fault.New(fault.Invalid, "keys can be on or off, not %.20q", keys).Because("no_choice", "value", keys)
		}
		s.keep(w, keysCookie, keys)
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// withoutLang takes the language out of an address, so that a choice just made
// is not overruled by the link that led here.
func withoutLang(path string) string {
	u, err := url.Parse(path)
	if err != nil {
		return "/"
	}
	q := u.Query()
	q.Del("lang")
	u.RawQuery = q.Encode()
	return u.String()
}

func (s *Site) keep(w http.ResponseWriter, name, value string) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: "/", MaxAge: 365 * 24 * 3600,
		HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
	})
}
