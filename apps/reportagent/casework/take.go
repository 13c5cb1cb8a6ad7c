package casework

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	rules "github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Brought report is what somebody brings in.
type Brought struct {
	Title   string
	Outline []byte
	Map     []byte // may be empty
	Run     Run
}

// A Run is the files of a model run: a zip of its folder, or the name of a folder of the server.
type Run struct {
	Name   string
	Zip    []byte
	Folder string
}

// Bring takes in an outline and the run it is to be written from.
func (d *Desk) Bring(ctx context.Context, actor identity.Actor, b Brought) (r store.Report, err error) {
	if err := d.store.May(actor, store.ActWrite); err != nil {
		return r, err
	}
	doc, err := outline.Parse(b.Outline)
	if err != nil {
		return r, err
	}
	if len(doc.Sections) == 0 {
		return r, fault.New(fault.Invalid, "the outline has no headings, and so no sections").
			WithNext("begin each section with a line like: # Title")
	}
	if len(b.Map) > 0 {
		if _, err := curated(string(b.Map)); err != nil {
			return r, err
		}
	}
	data, err := d.take(ctx, actor, b.Run)
	if err != nil {
		return r, err
	}
	sum := sha256.Sum256(b.Outline)
	title := cmp.Or(strings.TrimSpace(b.Title), doc.Sections[0].Title, "Report")
	return d.store.AddReport(ctx, actor, store.Report{Title: title, Outline: string(b.Outline), SHA256: hex.EncodeToString(sum[:]),
		Map: string(b.Map)}, data)
}

// GiveData takes in a newer run for a report. The same files again are the run that it has.
func (d *Desk) GiveData(ctx context.Context, actor identity.Actor, report string, run Run) (store.Dataset, error) {
	if err := d.store.May(actor, store.ActWrite); err != nil {
		return store.Dataset{}, err
	}
	v, err := d.View(ctx, actor, report)
	if err != nil {
		return store.Dataset{}, err
	}
	data, err := d.take(ctx, actor, run)
	if err != nil {
		return data, err
	}
	cat, err := d.library.open(ctx, actor.Org, data.Pack)
	if err != nil {
		return data, err
	}
	c, err := rules.Compare(v.Ledger, cat)
	if err != nil {
		return data, err
	}
	changed := map[string]int{}
	for _, n := range c.Numbers {
		changed[n.Section]++
	}
	why := map[string]string{}
	for section, n := range changed {
		why[section] = fmt.Sprintf("a newer run changes %d of its numbers", n)
	}
	return d.store.GiveData(ctx, actor, report, data, why)
}

// take keeps the files of a run, all in one. The tables in it are kept when something is first drafted from them (keepTables).
func (d *Desk) take(ctx context.Context, actor identity.Actor, run Run) (data store.Dataset, err error) {
	kept, err := d.store.Kept()
	if err != nil {
		return data, err
	}
	body := run.Zip
	if run.Folder != "" {
		if body, err = d.packed(run.Folder); err != nil {
			return data, err
		}
	}
	p, err := openPack(body)
	if err != nil {
		return data, err
	}
	cat, err := catalogue.Discover(p)
	if err != nil {
		return data, err
	}
	charts := 0
	for _, ch := range cat.Charts {
		if ch.Citable() {
			charts++
		}
	}
	if charts == 0 {
		return data, fault.New(fault.Invalid, "the run has no chart with a table").
			WithNext("give each chart a CSV file, in a folder for its category")
	}
	sum := sha256.Sum256(body)
	data = store.Dataset{Name: cmp.Or(strings.TrimSpace(run.Name), run.Folder, "run"), Pack: hex.EncodeToString(sum[:]),
		Catalogue: cat.Version, Charts: charts}
	_, err = kept.Take(ctx, actor, evidence.Receipt{Source: store.RunSource, Once: once(data, "pack"), ContentType: "application/zip",
		Place: data.Name}, bytes.NewReader(body))
	return data, err
}

// packed is a folder of the server as a zip: the same files make the same bytes.
func (d *Desk) packed(name string) ([]byte, error) {
	if d.Folders == "" {
		return nil, fault.New(fault.Unavailable, "this server has no folder of runs").WithNext("send a zip, or have the operator set %s",
			SettingFolders)
	}
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, "/") {
		return nil, fault.New(fault.Invalid, "run %.80q: name one folder, without a path", name)
	}
	root, err := os.OpenRoot(d.Folders)
	if err != nil {
		return nil, fault.From(fault.Unavailable, err, "the folder of runs cannot be opened")
	}
	defer root.Close()
	run, err := root.OpenRoot(name)
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "there is no run called %.80q in the folder of runs", name)
	}
	defer run.Close()
	return zipped(run.FS())
}

// zipped packs the files of a folder; links are not followed.
func zipped(folder fs.FS) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	err := fs.WalkDir(folder, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		if out.Len() > store.MostPack {
			return fault.New(fault.TooLarge, "the run has more than %d MB, packed", store.MostPack>>20)
		}
		f, err := folder.Open(name)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }() // it was only read
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = io.Copy(w, f)
		}
		return err
	})
	if err == nil {
		err = z.Close()
	}
	return out.Bytes(), err
}
