// Package catalogue is for knowing what a model run has handed over: which charts there are, in which categories, with which
// scenarios, dimensions and units, and under which digest each file is cited.
//
// Discover looks at a folder that it is handed, and at nothing else. A catalogue has a version, the digest of everything
// in it, so that a report can say on exactly which files it rests.
package catalogue

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/plotspec"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Catalogue is a folder of charts.
type Catalogue struct {
	Root        string          `json:"data_root"` // the folder that was handed in, or the one child of it that has the specs
	Version     string          `json:"catalog_version"`
	Categories  []string        `json:"categories"`
	Charts      []Chart         `json:"charts"`
	Scenarios   []string        `json:"scenarios"` // as most files spell them, in order of their names
	Views       []View          `json:"views"`
	Skipped     []string        `json:"skipped"` // titles of specs that no chart was found for
	Files       []File          `json:"files"`
	Diagnostics diagnostic.List `json:"diagnostics"`
}

// A Chart is what is known of one chart.
type Chart struct {
	Key         string          `json:"key"` // category/id
	ID          string          `json:"id"`
	Category    string          `json:"category"`
	Title       string          `json:"title"`
	CSV         string          `json:"path_csv,omitempty"`
	PNG         string          `json:"path_png,omitempty"`
	JSON        string          `json:"path_json,omitempty"`
	Attachments []string        `json:"attachments,omitempty"`
	Dimensions  []string        `json:"dimensions"`
	Measures    []string        `json:"measures"`
	Scenarios   []string        `json:"scenarios"`
	Units       []string        `json:"units"`
	Digest      string          `json:"sha256,omitempty"` // of the table's file
	Diagnostics diagnostic.List `json:"diagnostics,omitempty"`

	Spec  *plotspec.Spec `json:"-"` // nil where there is none
	Table *table.Table   `json:"-"` // nil where there is none: nothing of the chart can be cited
}

// A View is a raw table of the model beside the charts, and the file that says what its columns mean.
type View struct {
	Path       string `json:"path"`
	Dictionary string `json:"dictionary,omitempty"`
	SHA256     string `json:"sha256,omitempty"`
	Size       int64  `json:"size"`
}

var notName = regexp.MustCompile(`[^a-z0-9_]+`)

// Name is what a question calls the table: its file's name, in small letters, digits and underscores.
func (v View) Name() string {
	stem := strings.TrimSuffix(path.Base(v.Path), path.Ext(v.Path))
	return notName.ReplaceAllString(strings.ToLower(stem), "_")
}

// A File is one file under its digest.
type File struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// Citable reports whether numbers of the chart can be cited: those of a picture cannot.
func (c Chart) Citable() bool { return c.Table != nil }

// Decimals is how many a number of the chart is shown with: as many as its maker rounded to.
func (c Chart) Decimals() int {
	if c.Spec != nil && c.Spec.Precision >= 0 {
		return min(c.Spec.Precision, 12)
	}
	if c.Table != nil {
		return c.Table.Decimals
	}
	return 0
}

// Find is the chart that is meant by category/id, or by its id alone where only one category has it.
func (c *Catalogue) Find(name string) (*Chart, error) {
	var found []*Chart
	var keys []string
	for i := range c.Charts {
		switch name {
		case c.Charts[i].Key:
			return &c.Charts[i], nil
		case c.Charts[i].ID:
			found, keys = append(found, &c.Charts[i]), append(keys, c.Charts[i].Key)
		}
	}
	switch len(found) {
	case 0:
		return nil, fault.New(fault.NotFound, "there is no chart %.80q", name)
	case 1:
		return found[0], nil
	}
	return nil, fault.New(fault.Invalid, "%q is the name of several charts: say %s", name, strings.Join(keys, " or "))
}

// In lists the charts of a category; of all for "".
func (c *Catalogue) In(category string) []Chart {
	if category == "" {
		return slices.Clone(c.Charts)
	}
	var out []Chart
	for _, ch := range c.Charts {
		if ch.Category == category {
			out = append(out, ch)
		}
	}
	return out
}

// All is every diagnostic: the catalogue's own, and those of the charts under their files.
func (c *Catalogue) All() diagnostic.List {
	out := slices.Clone(c.Diagnostics)
	for _, ch := range c.Charts {
		out = append(out, ch.Diagnostics...)
	}
	return out
}
