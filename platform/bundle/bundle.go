// Package bundle is for handing a case to a stranger who trusts nobody here: one
// zip with everything the case rests on, that can be checked without a server,
// a network or a setting, with this program or by hand with sha256sum and
// openssl.
//
// A bundle is made of sections. A Section is one value: what it puts in, and how
// to check it from the bytes alone. Packages offer theirs, program lists them,
// and Export, Verify and Reperform take the list; package content has those that
// every case has. The log's own section is here, because the log's key signs the
// manifest.
//
// Read Section, then Exporter.Export, then Verify. docs/design/bundle.md says
// why it is a zip and not a signed PDF, and how to check one by hand.
package bundle

import (
	"context"
	"regexp"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Format names the form of the bundles that this program writes. It reads the form
// before it, too, which did not say what a bundle must have.
const (
	Format       = "gavel-bundle/2"
	formerFormat = "gavel-bundle/1"
)

// Mandatory are the sections that every bundle has, be there anything in them or not:
// what is left out can only be missed where something must be.
func Mandatory() []string {
	return []string{"case", "history", "facts", "snapshots", "decisions", "acts", logName}
}

// A Section is one part of a bundle: a folder of files under its name. Adding
// one to the list that Export and Verify take is all it needs: its files are
// hashed, signed, embedded in the viewer and tried by the tamper test.
type Section struct {
	Name    string // its folder: lower case letters
	Title   string // what people call it
	Version int    // of the form of its files, from 1

	// Kinds are those of the log's records that the section tells of: a bundle with
	// such a record has the section.
	Kinds []audit.Kind

	// Export puts the section's files in.
	Export func(ctx context.Context, w *Writer, req Request) error

	// Moment, where it is set, names the state that Export would read: two equal
	// answers mean that nothing changed between them. A section needs one for what
	// can change without a record about the case itself.
	Moment func(ctx context.Context, req Request) (string, error)

	// Verify checks the section's files, which are those of the manifest by
	// then, and adds its checks to the report. It works from the bytes alone: no
	// network, no database, no clock.
	Verify func(r *Reader, rep *Report)

	// Reperform does the section's numbers again; nil where it has none. It works
	// from the bytes alone, too.
	Reperform func(r *Reader, again *Reperformance)
}

// A Request is what sections are asked to put in.
type Request struct {
	Org  identity.Org
	Case string
	At   time.Time // when the bundle was asked for, on the installation's clock
}

var (
	sectionForm = regexp.MustCompile(`^[a-z][a-z_]{1,39}$`)
	caseForm    = regexp.MustCompile(`^case_[0-9A-HJKMNP-TV-Z]{26}$`)
)

// own is the section of the files that belong to the bundle as a whole.
const own = "bundle"

// checkSections refuses a list of sections that cannot work.
func checkSections(sections []Section) error {
	seen := map[string]bool{own: true}
	for _, s := range sections {
		switch {
		case !sectionForm.MatchString(s.Name) || s.Title == "" || s.Version < 1:
			return fault.New(fault.Internal, "section %.40q has no proper name, title or version", s.Name)
		case seen[s.Name]:
			return fault.New(fault.Internal, "two sections are called %s", s.Name)
		case s.Export == nil || s.Verify == nil:
			return fault.New(fault.Internal, "section %s cannot be put in or cannot be checked", s.Name)
		}
		seen[s.Name] = true
	}
	return nil
}
