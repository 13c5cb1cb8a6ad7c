package casework

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds on a run, as it is unpacked.
const (
	mostFiles    = 60_000
	mostUnpacked = 2 << 30
	mostRead     = 4 // runs that are remembered
)

// An opened pack is the files of a run. What is read of it is counted, because the sizes a zip states are only what it states.
type opened struct {
	*zip.Reader
	left atomic.Int64
}

// openPack reads the list of files of a pack.
func openPack(body []byte) (*opened, error) {
	r, err := zip.NewReader(bytes.NewReader(body), int64(len(body)))
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the run's files are no zip: %v", err).WithNext("pack the folder of the run as a zip")
	}
	if len(r.File) > mostFiles {
		return nil, fault.New(fault.TooLarge, "the run has %d files: at most %d are read", len(r.File), mostFiles)
	}
	p := &opened{Reader: r}
	p.left.Store(mostUnpacked)
	return p, nil
}

// Open opens a file, and counts what is read of it.
func (p *opened) Open(name string) (fs.File, error) {
	f, err := p.Reader.Open(name)
	if err != nil {
		return nil, err
	}
	if list, is := f.(fs.ReadDirFile); is {
		return list, nil
	}
	return counted{f, p}, nil
}

type counted struct {
	fs.File
	of *opened
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.File.Read(b)
	if c.of.left.Add(int64(-n)) < 0 {
		return n, fault.New(fault.TooLarge, "the run's files have more than %d MB together", mostUnpacked>>20)
	}
	return n, err
}

// A library reads runs as they were kept. A catalogue is only read, so that everybody may have the same. Who asks for a run that is
// being read waits for it; who asks for another does not.
type library struct {
	store *store.Store
	mu    sync.Mutex
	shelf map[string]*volume // by organisation and digest
	order []string           // who was asked for last stands last
}

// A volume is a run that is read, once.
type volume struct {
	mu   sync.Mutex
	read *catalogue.Catalogue // nil until it was read
}

func newLibrary(s *store.Store) *library { return &library{store: s, shelf: map[string]*volume{}} }

// open is the catalogue of a run.
func (l *library) open(ctx context.Context, org identity.Org, digest string) (*catalogue.Catalogue, error) {
	v := l.volume(string(org) + " " + digest)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.read != nil {
		return v.read, nil
	}
	p, err := l.pack(ctx, org, digest)
	if err != nil {
		return nil, err
	}
	v.read, err = catalogue.Discover(p)
	return v.read, err
}

// volume is the place of a run; the one that nobody asked for longest makes room for a new one.
func (l *library) volume(key string) *volume {
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.order, key); i >= 0 {
		l.order = slices.Delete(l.order, i, i+1)
	}
	if l.order = append(l.order, key); l.shelf[key] == nil {
		l.shelf[key] = &volume{}
	}
	if len(l.order) > mostRead {
		delete(l.shelf, l.order[0])
		l.order = l.order[1:]
	}
	return l.shelf[key]
}

// pack is the files of a run.
func (l *library) pack(ctx context.Context, org identity.Org, digest string) (*opened, error) {
	d, err := blob.Parse(digest)
	if err != nil {
		return nil, err
	}
	body, err := l.store.BytesOf(ctx, org, d, store.MostPack)
	if err != nil {
		return nil, err
	}
	return openPack(body)
}

// curated is the map of a report; one that says nothing where it has none.
func curated(text string) (*mapping.Map, error) {
	if text == "" {
		return &mapping.Map{}, nil
	}
	return mapping.Parse([]byte(text))
}

// plan is which charts each section of a report has. It is worked out once for an outline, a map and a run: of 500 sections and 5,000
// charts that takes longer than writing one of them.
func (d *Desk) plan(org identity.Org, st store.Standing, doc *outline.Document, cat *catalogue.Catalogue) (*mapping.Plan, error) {
	key := string(org) + " " + st.ID + " " + st.SHA256 + " " + st.Data.Pack // the map of a report never changes
	return d.plans.of(key, func() (*mapping.Plan, error) {
		m, err := curated(st.Map)
		if err != nil {
			return nil, err
		}
		p := mapping.Assign(m, doc, cat, mapping.StandardAliases())
		return &p, nil
	})
}

// Catalogue is what a run that was kept holds.
func (d *Desk) Catalogue(ctx context.Context, org identity.Org, pack string) (*catalogue.Catalogue, error) {
	return d.library.open(ctx, org, pack)
}

// File reads a file of a run that was kept, of at most so many bytes.
func (d *Desk) File(ctx context.Context, org identity.Org, digest, name string, most int64) ([]byte, error) {
	p, err := d.library.pack(ctx, org, digest)
	if err != nil {
		return nil, err
	}
	f, err := p.Open(name)
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "the run has no file %.200q", name)
	}
	defer func() { _ = f.Close() }() // it was only read
	body, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(body)) > most {
		err = fault.New(fault.TooLarge, "%.200q has more than %d kB", name, most>>10)
	}
	return body, err
}
