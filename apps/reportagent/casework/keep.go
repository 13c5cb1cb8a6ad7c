package casework

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"path"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

// keepTables keeps every file of a run that a number can be cited from by itself, before the first is: so that the page of a number opens
// its row. Of 5,000 charts that takes longer than the request may which brings the run in. It is done once; repeated after a failure, it
// goes on where it was.
func (d *Desk) keepTables(ctx context.Context, org identity.Org, report string, data store.Dataset) error {
	if data.Kept {
		return nil
	}
	kept, err := d.store.Kept()
	if err != nil {
		return err
	}
	p, err := d.library.pack(ctx, org, data.Pack)
	if err != nil {
		return err
	}
	cat, err := d.library.open(ctx, org, data.Pack)
	if err != nil {
		return err
	}
	k := keeper{kept: kept, by: identity.Gavel(org), files: p, cat: cat, data: data, begun: map[string]bool{}}
	if err := k.tables(ctx); err != nil {
		return err
	}
	return d.store.TablesKept(ctx, org, report, data.N)
}

// A keeper keeps the tables of one run.
type keeper struct {
	kept  *evidence.Store
	by    identity.Actor
	files fs.FS
	cat   *catalogue.Catalogue
	data  store.Dataset
	begun map[string]bool // by digest: two charts may have the same bytes
}

// sideBySide is how many tables are kept at once.
const sideBySide = 8

// tables keeps the tables of charts, what drew them object by object, and the raw tables.
func (k keeper) tables(ctx context.Context) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(sideBySide)
	for i := range k.cat.Charts {
		ch := &k.cat.Charts[i]
		if !ch.Citable() {
			continue
		}
		k.take(ctx, all, ch.Digest, "text/csv", ch.CSV, k.file(ch.CSV))
		if ch.Spec != nil && len(ch.Spec.ExtraPoints) > 0 {
			k.take(ctx, all, ch.Spec.SHA256(), "application/json", "plot_specs.json", func() (io.ReadCloser, error) {
				return io.NopCloser(bytes.NewReader(ch.Spec.Raw)), nil
			})
		}
	}
	for _, v := range k.cat.Views {
		k.take(ctx, all, v.SHA256, "text/csv", v.Path, k.file(v.Path))
	}
	return all.Wait()
}

// file opens a file of the run.
func (k keeper) file(name string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return k.files.Open(path.Join(k.cat.Root, name)) }
}

// take keeps one file beside the others.
func (k keeper) take(ctx context.Context, all *errgroup.Group, digest, kind, place string, open func() (io.ReadCloser, error)) {
	if k.begun[digest] {
		return
	}
	k.begun[digest] = true
	all.Go(func() error {
		f, err := open()
		if err != nil {
			return err
		}
		_, err = k.kept.Take(ctx, k.by, evidence.Receipt{Source: store.RunSource, Once: once(k.data, digest[:24]), ContentType: kind,
			Place: place}, f)
		_ = f.Close() // it was only read
		return err
	})
}

// once is the key under which something of a run is kept once.
func once(data store.Dataset, what string) string { return data.Pack[:24] + ":" + what }
