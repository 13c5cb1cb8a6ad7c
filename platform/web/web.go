// Package web serves Gavel's pages and carries its API: one server, one place
// that turns errors into answers, one layout, and open pages that stay current.
//
// Read Site first: it holds what every page shares. A Mux takes handlers that
// return an error; Site.Fail is the one place that answers for them. Site.Render
// and Site.Region write pages and the live regions inside them. A Hub tells
// open browsers which object is now at which version; static/live.js fetches
// again what that makes stale. Server runs it all and drains it.
//
// The package knows no application and no sign-in: who is asking comes in as a
// function.
package web

import (
	"context"
	"embed"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // organisations choose any zone; the machine may have none installed

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

//go:embed messages
var messages embed.FS

// Messages is the text of this package's own pages, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// A NavItem is one line of the rail.
type NavItem struct {
	Section string // the Page.Section it stands for
	Key     string // message key of its label
	Path    string // local address
	Icon    string // name of its icon, or its drawing
	Act     string // who may do it sees the line; empty means everybody

	// Count is how much waits there for somebody, shown beside the label; nil shows
	// nothing. It is asked on every page, so it must be cheap, and stop counting
	// where nobody reads the difference.
	Count func(context.Context, identity.Actor) (int, error)
	Live  string // the object whose notices change Count
}

// A Config is what a Site is made from. Everything but Log may be left out.
type Config struct {
	Log     *slog.Logger
	Actor   func(context.Context) identity.Actor          // who is asking; nil: nobody
	Require func(context.Context) (identity.Actor, error) // the same, or why it is nobody; nil: Actor
	// whether who began a stream is still let in as they were; nil: yes
	Still        func(context.Context) error
	May          func(identity.Actor, string) error                        // whether somebody may do an act; nil: nobody may do any
	Refused      func(ctx context.Context, v Refusal)                      // is told of everybody who was turned away by May; may be nil
	Organisation func(context.Context, identity.Org) (Organisation, error) // nil: the short name, DefaultZone
	Now          func() time.Time                                          // nil: time.Now
	Speed        float64                                                   // how many of its days pass in a real one; 0 is 1
	Messages     []fs.FS                                                   // catalogues of the packages whose pages are served
	// their static files; those under css are parts of the stylesheet
	Assets    []fs.FS
	Nav       []NavItem
	Banners   func(context.Context, identity.Actor) []Banner // what every page of somebody must say now; asked on every page; may be nil
	Home      string                                         // where the mark leads; default /cases
	Search    string                                         // address of the search, which reads q; empty: no search box
	SearchAct string                                         // who may do it sees the search box; empty means everybody
	SignIn    string                                         // page to sign in at; empty: pages say that sign-in is not set up
	SignOut   string                                         // address a POST to which signs out; empty: no such button
	Account   string                                         // page about one's own sign-in; empty: no such link
	Manual    string                                         // the documentation; empty: no link to it
	LeaveView string                                         // address a POST to which ends looking as another role does
	PublicURL string                                         // the address people use; https makes cookies Secure
	Demo      bool                                           // every page says DEMO
}

// A Site is what all pages share. It is made once and safe for concurrent use.
type Site struct {
	cfg       Config
	catalogue *Catalogue
	assets    *assets
	zone      *time.Location
	csrf      *http.CrossOriginProtection
	faces     faces
	closing   chan struct{}
	closeOnce sync.Once
}

// New makes a site. It fails when a message catalogue is incomplete, two static files
// have one name, or the public address is not one.
func New(cfg Config) (*Site, error) {
	if cfg.Actor == nil {
		cfg.Actor = func(context.Context) identity.Actor { return identity.Actor{} }
	}
	if cfg.May == nil {
		cfg.May = func(identity.Actor, string) error {
			return fault.New(fault.Refused, "nobody may do this: no policies are set up").Because("no_access_at_all")
		}
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Speed <= 0 {
		cfg.Speed = 1
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Home == "" {
		cfg.Home = "/cases"
	}
	catalogue, err := LoadCatalogue(append([]fs.FS{Messages()}, cfg.Messages...)...)
	if err != nil {
		return nil, err
	}
	assets, err := loadAssets(cfg.Assets)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(DefaultZone)
	if err != nil {
		return nil, err
	}
	csrf, err := crossOrigin(cfg.PublicURL)
	if err != nil {
		return nil, err
	}
	return &Site{
		cfg: cfg, catalogue: catalogue, assets: assets, zone: zone, csrf: csrf,
		faces: faces{seen: map[identity.Org]face{}}, closing: make(chan struct{}),
	}, nil
}

// crossOrigin guards writes against other sites. The public address is trusted
// because a proxy in front may change the Host we see.
func crossOrigin(public string) (*http.CrossOriginProtection, error) {
	csrf := http.NewCrossOriginProtection()
	if public == "" {
		return csrf, nil
	}
	u, err := url.Parse(public)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return nil, fault.New(fault.Invalid, "public address %.200q: write it as https://host", public)
	}
	if err := csrf.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fault.From(fault.Invalid, err, "public address %.200q cannot be an origin", public)
	}
	return csrf, nil
}

// secure reports whether people reach us over https, so that cookies may say so.
func (s *Site) secure() bool { return strings.HasPrefix(s.cfg.PublicURL, "https://") }

// close tells streams and the readiness page that the server is going away.
func (s *Site) close() { s.closeOnce.Do(func() { close(s.closing) }) }
