// Package pdf prints pages on paper: HTML that needs nothing from outside becomes
// a PDF, by the Chromium of this machine.
//
// A Printer starts a browser for one page and ends it afterwards. The page is handed
// over through a pipe and the PDF comes back the same way: no file holds either, no
// port is opened, and nothing stays for the next page. The browser runs no script,
// reaches no network and no file of the machine, and what it is given is all it can
// print. The same page gives the same bytes, as long as browser and fonts are the same.
//
// Read Print first, then talk.go. An installation without a browser has no Printer;
// its pages are handed out as HTML with the styles for paper.
package pdf

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// The bounds of a page, in bytes.
const (
	MaxPage  = 16 << 20 // of HTML
	MaxPrint = 64 << 20 // of the PDF
)

// A Page is what is printed.
type Page struct {
	HTML []byte    // all of it: styles inside, drawings as SVG
	Made time.Time // the moment the PDF says it was made at: the document's, not the clock's
}

// A Config is what a Printer is made of.
type Config struct {
	Browser string        // path of the program, as Find gives it
	Waiting int           // pages that may wait for their turn; 8 unless set
	Limit   time.Duration // for one page, once it is its turn; a minute unless set
}

// A Printer prints one page at a time: each takes a browser of some 200 MB. Nil is
// an installation that cannot print.
type Printer struct {
	browser string
	limit   time.Duration
	turn    chan struct{} // holds one: whoever has it prints
	room    chan struct{} // who prints or waits
}

// Cure is how to come by a browser, for whoever has none.
const Cure = "install Chromium (apt-get install chromium fonts-noto-core), or name it with GAVEL_BROWSER"

// New makes a Printer, and starts nothing.
func New(c Config) *Printer {
	if c.Waiting <= 0 {
		c.Waiting = 8
	}
	if c.Limit <= 0 {
		c.Limit = time.Minute
	}
	return &Printer{browser: c.Browser, limit: c.Limit, turn: make(chan struct{}, 1), room: make(chan struct{}, c.Waiting+1)}
}

// Find is the path of the browser that is named, or of the first that is on the
// PATH where none is.
func Find(named string) (string, error) {
	names := []string{named}
	if named == "" {
		names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err == nil {
			return path, nil
		}
		if named != "" && !errors.Is(err, exec.ErrNotFound) && !errors.Is(err, fs.ErrNotExist) {
			return "", fault.From(fault.Invalid, err, "%s cannot be run as a browser", named).WithNext(Cure)
		}
	}
	return "", fault.New(fault.NotFound, "there is no browser on this machine that could print").WithNext(Cure)
}

// Available reports whether pages can be printed.
func (p *Printer) Available() bool { return p != nil }

// Print makes a PDF of a page. Who finds too many waiting is told to come again.
func (p *Printer) Print(ctx context.Context, page Page) ([]byte, error) {
	switch {
	case p == nil:
		return nil, fault.New(fault.Unavailable, "this installation makes no PDF").WithNext("print the page from a browser, or " + Cure)
	case len(page.HTML) == 0:
		return nil, fault.New(fault.Invalid, "there is nothing to print")
	case len(page.HTML) > MaxPage:
		return nil, fault.New(fault.TooLarge, "a page to print has at most %d MB", MaxPage>>20)
	case page.Made.IsZero():
		return nil, fault.New(fault.Invalid, "a PDF says when it was made")
	}
	select {
	case p.room <- struct{}{}:
		defer func() { <-p.room }()
	default:
		return nil, fault.New(fault.TooMany, "too many pages are waiting to be printed").WithNext("try again in a minute")
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, stop := context.WithTimeout(ctx, p.limit)
	defer stop()
	raw, err := p.once(ctx, page.HTML)
	if err != nil {
		return nil, err
	}
	return dated(raw, page.Made)
}

// once starts a browser, has it print, and leaves nothing of it.
func (p *Printer) once(ctx context.Context, html []byte) (raw []byte, err error) {
	home, err := os.MkdirTemp("", "gavel-print-")
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "make a folder for the browser").WithNext("look at the disk: gavel doctor")
	}
	defer func() { err = errors.Join(err, remove(home)) }()
	b, err := start(ctx, p.browser, home)
	if err != nil {
		return nil, err
	}
	raw, err = b.print(html)
	said := b.end()
	switch {
	case err == nil:
		return raw, nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fault.From(fault.Unavailable, ctx.Err(), "the page was not printed within %s", p.limit).
			WithNext("try again, once the machine is less busy")
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	return nil, fault.From(fault.Unavailable, errors.Join(err, said), "the browser did not print the page").WithNext("gavel doctor")
}
