package catalogue

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/plotspec"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fault"
)

const specsName = "plot_specs.json"

// Bounds on files, by what they are. What is larger is told and not used; a view is not read here, only named.
const (
	maxCSV   = table.MaxBytes
	maxPNG   = 20 << 20
	maxOther = 64 << 20
)

// Discover lists what a folder holds. The error is for a folder that cannot be listed, or of which it is not clear where the
// charts are.
func Discover(folder fs.FS) (*Catalogue, error) {
	root, err := dataRoot(folder)
	if err != nil {
		return nil, err
	}
	sub, err := fs.Sub(folder, root)
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "folder %s cannot be opened", root)
	}
	d := &discovery{fsys: sub, c: &Catalogue{Root: root}, charts: map[string]*Chart{}}
	if err := d.top(); err != nil {
		return nil, err
	}
	d.skipped()
	d.spell()
	d.finish()
	return d.c, nil
}

// dataRoot is the folder itself if the specs are in it, else the only child that has them.
func dataRoot(folder fs.FS) (string, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return "", fault.From(fault.NotFound, err, "the data root cannot be listed")
	}
	var children []string
	for _, e := range entries {
		if e.Name() == specsName && e.Type().IsRegular() {
			return ".", nil
		}
		if !e.IsDir() || hidden(e.Name()) {
			continue
		}
		if info, err := fs.Stat(folder, path.Join(e.Name(), specsName)); err == nil && info.Mode().IsRegular() {
			children = append(children, e.Name())
		}
	}
	switch len(children) {
	case 0:
		return ".", nil
	case 1:
		return children[0], nil
	}
	return "", fault.New(fault.Invalid, "several folders have a %s: say which of %s is meant", specsName, strings.Join(children, ", "))
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// A discovery is one look at a folder.
type discovery struct {
	fsys   fs.FS
	c      *Catalogue
	specs  []plotspec.Spec
	byName map[string]*plotspec.Spec // by their titles, as files are called
	charts map[string]*Chart
	order  []string // keys
}

func (d *discovery) tell(code string, s diagnostic.Severity, file, format string, args ...any) {
	d.c.Diagnostics = append(d.c.Diagnostics, diagnostic.Item{Code: code, Severity: s, File: file, Message: fmt.Sprintf(format, args...)})
}

// top looks at the root: specs, views, and the folders of the categories.
func (d *discovery) top() error {
	entries, err := fs.ReadDir(d.fsys, ".")
	if err != nil {
		return fault.From(fault.NotFound, err, "the data root cannot be listed")
	}
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == specsName && e.Type().IsRegular() }) {
		d.readSpecs(specsName) // before the charts that they are of
	}
	var dictionaries []string
	for _, e := range entries {
		name := e.Name()
		switch {
		case hidden(name):
		case e.Type()&fs.ModeSymlink != 0:
			d.tell("C006", diagnostic.Warning, name, "links are not followed")
		case e.IsDir():
			if err := d.category(name); err != nil {
				return err
			}
		case strings.HasSuffix(name, ".schema.csv"):
			dictionaries = append(dictionaries, name)
			d.file(name, maxOther)
		case strings.HasPrefix(name, "project_view_") && path.Ext(name) == ".csv":
			d.view(name)
		}
	}
	d.explain(dictionaries)
	return nil
}

func (d *discovery) readSpecs(name string) {
	content, ok := d.file(name, plotspec.MaxBytes)
	if !ok {
		return
	}
	specs, told, err := plotspec.Parse(content)
	if err != nil {
		d.tell("C010", diagnostic.Error, name, "%v", err)
	}
	d.specs, d.byName = specs, map[string]*plotspec.Spec{}
	for i := range specs {
		d.byName[plotspec.Normal(specs[i].Title)] = &specs[i]
	}
	d.c.Diagnostics = append(d.c.Diagnostics, told.In(name)...)
}

// view names a raw table. Its digest is taken as it streams by: such a file may be larger than memory.
func (d *discovery) view(name string) {
	f, err := d.fsys.Open(name)
	if err != nil {
		d.tell("C010", diagnostic.Error, name, "it cannot be opened: %v", err)
		return
	}
	defer func() { _ = f.Close() }() // it was only read
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	if err != nil {
		d.tell("C010", diagnostic.Error, name, "it cannot be read: %v", err)
		return
	}
	v := View{Path: name, SHA256: hex.EncodeToString(sum.Sum(nil)), Size: n}
	d.c.Views = append(d.c.Views, v)
	d.c.Files = append(d.c.Files, File{Path: name, SHA256: v.SHA256, Size: n})
}

// explain puts dictionaries beside their views: x.schema.csv is for x.csv, and the only one for the only view.
func (d *discovery) explain(dictionaries []string) {
	for i := range d.c.Views {
		v := &d.c.Views[i]
		own := strings.TrimSuffix(v.Path, ".csv") + ".schema.csv"
		if slices.Contains(dictionaries, own) {
			v.Dictionary = own
		} else if len(dictionaries) == 1 && len(d.c.Views) == 1 {
			v.Dictionary = dictionaries[0]
		}
	}
}

// category looks at one folder of charts. A chart is a stem that has a table, a picture or a figure.
func (d *discovery) category(name string) error {
	entries, err := fs.ReadDir(d.fsys, name)
	if err != nil {
		return fault.From(fault.NotFound, err, "folder %s cannot be listed", name)
	}
	attached := map[string][]string{}
	before := len(d.order)
	for _, e := range entries {
		file := path.Join(name, e.Name())
		ext := strings.ToLower(path.Ext(e.Name()))
		stem := strings.TrimSuffix(e.Name(), path.Ext(e.Name()))
		switch {
		case hidden(e.Name()) || e.IsDir() || e.Name() == specsName: // another run below this one
		case e.Type()&fs.ModeSymlink != 0:
			d.tell("C006", diagnostic.Warning, file, "links are not followed")
		case slices.Contains([]string{".csv", ".vd", ".png", ".json"}, ext):
			d.part(name, stem, ext, file)
		case slices.Contains([]string{".html", ".xlsx", ".vde", ".vds", ".vdt"}, ext):
			if _, ok := d.file(file, maxOther); ok {
				attached[name+"/"+stem] = append(attached[name+"/"+stem], file)
			}
		}
	}
	for _, key := range d.order[before:] {
		ch := d.charts[key]
		ch.Attachments = attached[key]
		if ch.CSV == "" {
			ch.tell("C004", diagnostic.Warning, "it has no table: it can be shown, and none of its numbers cited")
		}
	}
	if len(d.order) > before {
		d.c.Categories = append(d.c.Categories, name)
	}
	return nil
}

// part adds a file to the chart it belongs to.
func (d *discovery) part(category, stem, ext, file string) {
	limit := map[string]int64{".csv": maxCSV, ".vd": maxCSV, ".png": maxPNG, ".json": maxOther}[ext]
	content, ok := d.file(file, limit)
	if !ok {
		return
	}
	key := category + "/" + stem
	ch := d.charts[key]
	if ch == nil {
		ch = d.newChart(key, stem, category, file)
		d.charts[key] = ch
		d.order = append(d.order, key)
	}
	switch {
	case ext == ".vd" && ch.CSV != "": // the table of this name comes before it in the folder
		ch.tell("C013", diagnostic.Warning, "%s is of the same name as its table, and is not used", file)
	case ext == ".csv" || ext == ".vd":
		ch.CSV, ch.Digest = file, d.c.Files[len(d.c.Files)-1].SHA256
		ch.read(content)
	case ext == ".png":
		ch.PNG = file
	default:
		ch.JSON = file
	}
}

// file reads a file within a bound and enters its digest.
func (d *discovery) file(name string, limit int64) ([]byte, bool) {
	f, err := d.fsys.Open(name)
	if err != nil {
		d.tell("C010", diagnostic.Error, name, "it cannot be opened: %v", err)
		return nil, false
	}
	defer func() { _ = f.Close() }() // it was only read
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		d.tell("C010", diagnostic.Error, name, "it cannot be read: %v", err)
		return nil, false
	}
	if int64(len(content)) > limit {
		d.tell("C005", diagnostic.Error, name, "it has more than %d MB and is not used", limit>>20)
		return nil, false
	}
	sum := sha256.Sum256(content)
	d.c.Files = append(d.c.Files, File{Path: name, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(content))})
	return content, true
}

// finish orders everything and gives the catalogue its version.
func (d *discovery) finish() {
	slices.Sort(d.order)
	for _, key := range d.order {
		d.c.Charts = append(d.c.Charts, *d.charts[key])
	}
	slices.SortFunc(d.c.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	var all bytes.Buffer
	for _, f := range d.c.Files {
		all.WriteString(f.Path + "\x00" + f.SHA256 + "\n")
	}
	sum := sha256.Sum256(all.Bytes())
	d.c.Version = hex.EncodeToString(sum[:])
}
