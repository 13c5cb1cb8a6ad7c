package console

import (
	"context"
	"io"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/signin"
)

// recognise says how a file that is no bundle stands: it left from here as it
// is, or it says it is a report that did, or it is not known.
func (c *Console) recognise(ctx context.Context, v *verifyView, file io.ReaderAt, size int64, given []audit.Verifier) error {
	v.is = isNotKnown
	if c.Log == nil {
		return nil
	}
	sum, err := blob.Parse(v.report.SHA256)
	if err != nil {
		return err
	}
	entry, left, err := c.Log.FindExport(ctx, sum)
	if fault.Is(err, fault.NotFound) || err == nil && guessable(left) && signin.From(ctx).Org != entry.Record.Actor.Org {
		return c.compare(ctx, v, file, size, given)
	}
	if f, ok := damage(err); ok {
		v.is, v.said = isBroken, []string{f.Text + "."}
		return nil
	}
	if err != nil {
		return err
	}
	v.is = isFiled
	if err := c.prove(ctx, v, entry, left, given); err != nil {
		return err
	}
	if v.is == isFiled && left.File == audit.Drafted {
		v.is = isDraft
	}
	return nil
}

// guessable reports whether somebody could make up a file without having had it: a
// list with few rows, or none, has the same bytes wherever it comes from. That one
// left is told only where it did. A bundle and a report have a random part, and so
// has each record; what is filed, and its draft, name the digests of what they rest on.
func guessable(d audit.Departure) bool {
	switch d.File {
	case "bundle", "report", audit.Filed, audit.Rehearsed, audit.Drafted:
		return false
	}
	return d.File != "records" || d.Rows == 0
}

// compare holds a copy of a report against the one that left.
func (c *Console) compare(ctx context.Context, v *verifyView, file io.ReaderAt, size int64, given []audit.Verifier) error {
	if c.Reports == nil || size > report.MaxBytes {
		return nil
	}
	page, err := io.ReadAll(io.NewSectionReader(file, 0, size))
	if err != nil {
		return err
	}
	found, err := c.Reports.Compare(ctx, page)
	if fault.Is(err, fault.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	v.is, v.said, v.more = isDiffering, found.Differences, found.More
	if len(v.said) == 0 {
		v.said = []string{"Every tagged number is the one that left. Something else in the file was changed: its words, its look, or a " +
			"number without a tag."}
	}
	return c.prove(ctx, v, found.Entry, found.Left, given)
}

// prove adds the record of a file that left with the steps that show it to be
// genuine. A file is never better than its record: where a step fails or is
// open, that is what is said.
func (c *Console) prove(ctx context.Context, v *verifyView, entry audit.Entry, left audit.Departure, given []audit.Verifier) error {
	checked, err := c.Log.Verify(ctx, entry.Record.Actor.Org, entry.ID, given)
	waits := fault.Is(err, fault.Unavailable) && checked.Entry.ID != ""
	if err != nil && !waits {
		return err
	}
	v.left = &leftFile{Departure: left, Verification: checked}
	switch {
	case checked.Failed() > 0:
		return c.blame(ctx, v, given)
	case v.is != isFiled || checked.OK() && !waits:
		return nil
	case waits:
		v.said = append(v.said, "Its record is committed, and the log has not taken it in yet: that takes seconds.")
	}
	v.is = isUnproven
	v.sayUnheld()
	return nil
}

// blame tells a log that contradicts itself from one that is only not signed
// with the key that the person brought.
func (c *Console) blame(ctx context.Context, v *verifyView, given []audit.Verifier) error {
	alone := v.left.Verification
	if len(given) > 0 {
		var err error
		if alone, err = c.Log.Verify(ctx, alone.Entry.Record.Actor.Org, alone.Entry.ID, nil); err != nil {
			return err
		}
	}
	switch {
	case alone.Failed() > 0:
		v.is = isBroken
	case v.is == isFiled:
		v.is = isOtherKey
	}
	v.sayUnheld()
	return nil
}

// sayUnheld lists the steps that do not hold.
func (v *verifyView) sayUnheld() {
	for _, s := range v.left.Steps {
		if !s.OK {
			v.said = append(v.said, sentence(s.Found))
		}
	}
}
