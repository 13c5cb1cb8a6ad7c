package casework

import (
	"bufio"
	"context"
	"encoding/csv"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A shelf holds the raw table that was asked last as a file, for the program that answers reads files. One question is asked at a time, as
// its client asks it.
type shelf struct {
	mu   sync.Mutex
	file string
	of   string // digest of what the file holds
}

// AskRaw asks a raw table of a run that was kept. What is not a SELECT over that table is refused by who answers.
func (d *Desk) AskRaw(ctx context.Context, org identity.Org, data store.Dataset, name, sql string, rows int) (v query.View, a query.Answer,
	err error) {
	cat, err := d.library.open(ctx, org, data.Pack)
	if err != nil {
		return v, a, err
	}
	i := slices.IndexFunc(cat.Views, func(one catalogue.View) bool { return one.Name() == name })
	if i < 0 {
		return v, a, fault.New(fault.NotFound, "the run has no raw table %.80q", name).
			WithNext("ask one of: %s", strings.Join(RawNames(cat), ", "))
	}
	if d.Duck == nil { // said by who would be asked
		_, err = d.Duck.Ask(ctx, query.Question{})
		return v, a, err
	}
	d.shelf.mu.Lock()
	defer d.shelf.mu.Unlock()
	if err := d.lay(ctx, org, data.Pack, cat, cat.Views[i]); err != nil {
		return v, a, err
	}
	v = query.View{Name: name, File: d.shelf.file, SHA256: cat.Views[i].SHA256}
	if v.Columns, err = columnsOf(v.File); err != nil {
		return v, a, err
	}
	a, err = d.Duck.Ask(ctx, query.Question{Views: []query.View{v}, SQL: sql, Rows: rows})
	return v, a, err
}

// RawNames are what questions call the raw tables of a run.
func RawNames(cat *catalogue.Catalogue) []string {
	out := []string{}
	for _, v := range cat.Views {
		out = append(out, v.Name())
	}
	return out
}

// lay puts a raw table on the shelf, unless it lies there.
func (d *Desk) lay(ctx context.Context, org identity.Org, pack string, cat *catalogue.Catalogue, v catalogue.View) error {
	if d.shelf.of == v.SHA256 {
		if _, err := os.Stat(d.shelf.file); err == nil {
			return nil
		}
	}
	if d.shelf.file != "" {
		_ = os.Remove(d.shelf.file) // whether it was there or not, it is not any more
		d.shelf.file, d.shelf.of = "", ""
	}
	p, err := d.library.pack(ctx, org, pack)
	if err != nil {
		return err
	}
	from, err := p.Open(path.Join(cat.Root, v.Path))
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }() // it was only read
	dir := filepath.Join(os.TempDir(), "gavel-raw")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	to, err := os.CreateTemp(dir, "*.csv")
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	if closed := to.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = os.Remove(to.Name()) // it is not whole
		return err
	}
	d.shelf.file, d.shelf.of = to.Name(), v.SHA256
	return nil
}

// columnsOf reads the header of a table.
func columnsOf(file string) ([]query.Column, error) {
	f, err := os.Open(file) //nolint:gosec // it was written a moment ago, under a name that was drawn
	if err != nil {
		return nil, err
	}
	defer f.Close()
	header, err := csv.NewReader(bufio.NewReader(io.LimitReader(f, 1<<20))).Read()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the raw table has no header")
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff")
	return query.Columns(header)
}
