package bundle

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Config says what an exporter works with.
type Config struct {
	DB       *postgres.DB
	System   *postgres.System // reads the installation's own records of its keys, nothing else
	Vault    *seal.Vault      // notes what left, for erasures
	Rules    *policy.Rules    // who may take a case out; nil lets nobody
	Signer   string           // the log's secret key, as audit.NewKey made it
	Program  string           // names this program and its version
	Now      func() time.Time // the installation's clock
	Wait     func(context.Context, time.Duration) error
	Sections []Section
}

// An Exporter makes bundles. It is safe for use by many goroutines.
type Exporter struct {
	db       *postgres.DB
	system   *postgres.System
	vault    *seal.Vault
	rules    *policy.Rules
	signer   signingKey
	program  string
	now      func() time.Time
	wait     func(context.Context, time.Duration) error
	sections []Section
}

// NewExporter checks what it is given.
func NewExporter(c Config) (*Exporter, error) {
	if c.DB == nil || c.System == nil || c.Vault == nil || c.Now == nil || c.Wait == nil {
		return nil, fault.New(fault.Internal, "making bundles needs a database, its system's door, a vault and a clock")
	}
	if c.Program == "" || len(c.Program) > 100 {
		return nil, fault.New(fault.Internal, "making bundles needs the program's name, up to 100 characters")
	}
	signer, err := parseSigner(c.Signer)
	if err != nil {
		return nil, err
	}
	e := &Exporter{db: c.DB, system: c.System, vault: c.Vault, rules: c.Rules, signer: signer, program: c.Program, now: c.Now, wait: c.Wait}
	e.sections = withLog(c.Sections, e)
	return e, checkSections(e.sections)
}

// Sections are those the exporter puts in, the log's last.
func (e *Exporter) Sections() []Section { return slices.Clone(e.sections) }

// A Bundle is ready to leave: its export is on record.
type Bundle struct {
	SHA256 blob.Digest
	Size   int64
	Name   string // a good name for the file
	Record audit.RecordID
	files  []source
	method uint16
}

// Export makes the bundle of a case for an actor, and puts on record that it
// leaves: in the log, by its digest, and in the list that an erasure reads, with
// who it is for. Only then can it be written out. It is not kept here: a bundle
// is for people to read, and what is kept must be sealed.
//
// Records that the log has not taken in are waited for, up to five seconds;
// longer is Unavailable.
func (e *Exporter) Export(ctx context.Context, actor identity.Actor, caseID, to string) (*Bundle, error) {
	if err := e.rules.May(actor, "case.export"); err != nil {
		return nil, err
	}
	if !caseForm.MatchString(caseID) {
		return nil, fault.New(fault.NotFound, "no case is called %.60q", caseID)
	}
	if to = strings.TrimSpace(to); to == "" {
		to = actor.ID
	}
	req := Request{Org: actor.Org, Case: caseID, At: e.now().UTC().Truncate(time.Microsecond)}
	d, err := e.gather(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", caseID, err)
	}
	b, err := e.finish(ctx, req, d)
	if err != nil {
		return nil, fmt.Errorf("export %s: %w", caseID, err)
	}
	return b, e.record(ctx, actor, req, to, d, b)
}

// attempts is how often a case that changes while it is read is read again.
const attempts = 3

// gather lets every section put its files in. Sections read in transactions of
// their own; a case about which something was recorded meanwhile is read again,
// so that its facts and its records are of one moment.
func (e *Exporter) gather(ctx context.Context, req Request) (*draft, error) {
	for range attempts {
		before, err := e.moment(ctx, req)
		if err != nil {
			return nil, err
		}
		d := newDraft()
		for _, s := range e.sections {
			if err := s.Export(ctx, &Writer{d: d, section: s.Name}, req); err != nil {
				return nil, fmt.Errorf("section %s: %w", s.Name, err)
			}
		}
		after, err := e.moment(ctx, req)
		if err != nil {
			return nil, err
		}
		if slices.Equal(before, after) {
			return d, nil
		}
	}
	return nil, fault.New(fault.Unavailable, "the case changes faster than it can be read").WithNext("try again in a moment")
}

// moment is the records about the case, and what sections say of states that
// have none.
func (e *Exporter) moment(ctx context.Context, req Request) ([]string, error) {
	records, err := e.onRecord(ctx, req)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, id := range records {
		all = append(all, string(id))
	}
	for _, s := range e.sections {
		if s.Moment == nil {
			continue
		}
		now, err := s.Moment(ctx, req)
		if err != nil {
			return nil, fmt.Errorf("section %s: %w", s.Name, err)
		}
		all = append(all, now)
	}
	return all, nil
}

// onRecord lists the records about the case, in order.
func (e *Exporter) onRecord(ctx context.Context, req Request) ([]audit.RecordID, error) {
	entries, err := e.entries(ctx, req, newDraft())
	ids := make([]audit.RecordID, len(entries))
	for i, one := range entries {
		ids[i] = one.ID
	}
	slices.Sort(ids)
	return ids, err
}

// finish adds what belongs to the bundle as a whole, signs it and weighs it.
func (e *Exporter) finish(ctx context.Context, req Request, d *draft) (*Bundle, error) {
	m := Manifest{Format: Format, Case: req.Case, Org: req.Org, MadeAt: req.At, Program: e.program,
		Origin: e.signer.note.Name(), Key: e.signer.public}
	for _, s := range e.sections {
		m.Sections = append(m.Sections, Part{s.Name, s.Title, s.Version})
	}
	files, err := complete(m, d, e.signer)
	if err != nil {
		return nil, err
	}
	b := &Bundle{Name: "gavel-" + req.Case + ".zip", files: files}
	var unpacked int64
	for _, f := range files {
		unpacked += f.Size
	}
	for _, b.method = range []uint16{zip.Deflate, zip.Store} {
		sum := sha256.New()
		weigh := &tally{hash: sum}
		if err := assemble(ctx, weigh, files, b.method); err != nil {
			return nil, err
		}
		b.SHA256, b.Size = blob.Digest(sum.Sum(nil)), weigh.n
		if !tooDense(unpacked, b.Size) {
			return b, nil
		}
	}
	return nil, fault.New(fault.TooLarge, "the case cannot be packed into a bundle that others would open")
}

// complete adds the bundle's own files and returns all of them, in order.
func complete(m Manifest, d *draft, key signingKey) ([]source, error) {
	w := &Writer{d: d, section: own}
	_, public, err := publicKey(key.public)
	if err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name string
		text func() ([]byte, error)
	}{
		{viewerFile, func() ([]byte, error) { return viewerOf(m, d) }},
		{readmeFile, func() ([]byte, error) { return guide("README.md", m, d) }},
		{byHandFile, func() ([]byte, error) { return guide("VERIFY.md", m, d) }},
		{keyFile, func() ([]byte, error) { return pemOf(public) }},
		{sumsFile, func() ([]byte, error) { return sums(d.listed()), nil }},
	} {
		text, err := f.text()
		if err != nil {
			return nil, err
		}
		if err := w.Text(f.name, text); err != nil {
			return nil, err
		}
	}
	m.Files = d.listed()
	text, err := m.encode()
	if err != nil {
		return nil, err
	}
	signed, raw, err := key.sign(text)
	if err != nil {
		return nil, err
	}
	for i, name := range unlisted() {
		if err := w.Text(name, [][]byte{text, signed, raw}[i]); err != nil {
			return nil, err
		}
	}
	return d.ordered(), nil
}

// record puts on record that the bundle leaves.
func (e *Exporter) record(ctx context.Context, actor identity.Actor, req Request, to string, d *draft, b *Bundle) error {
	err := e.db.InOrg(ctx, req.Org, func(tx pgx.Tx) (err error) {
		body := map[string]any{"bundle": b.SHA256, "size": b.Size, "files": len(b.files), "sealed": len(d.sealed)}
		b.Record, err = audit.Append(ctx, tx, audit.Record{At: req.At, Kind: audit.Export, Actor: actor, Subject: req.Case, Body: body})
		if err != nil {
			return err
		}
		_, err = e.vault.NoteExport(ctx, tx, req.Org, seal.Export{Bundle: b.SHA256, Case: req.Case, To: to, Objects: d.sealed})
		return err
	})
	if err != nil {
		return fmt.Errorf("put the export of %s on record: %w", req.Case, err)
	}
	return nil
}

// Write writes the bundle out: exactly the bytes that are on record, or an
// error.
func (b *Bundle) Write(ctx context.Context, w io.Writer) error {
	sum := sha256.New()
	if err := assemble(ctx, io.MultiWriter(w, sum), b.files, b.method); err != nil {
		return err
	}
	if blob.Digest(sum.Sum(nil)) != b.SHA256 {
		return fault.New(fault.Internal, "the bundle of record %s came out different", b.Record)
	}
	return nil
}
