package casework

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Scanning is a guard with somebody before them.
type Scanning struct {
	Event    pass.Event // ScanExit or ScanReturn
	Scanned  string     // a code that was scanned, a number, or a short code
	Photo    []byte     // nil where there is none
	Key      string     // the device's own name for the event; empty where it has none
	Gate     string
	Device   string
	Captured time.Time
	Override string
	Version  int
	Items    []item.Back
}

// purposes are what photos are sealed as.
const (
	photoPurpose = "gatepass_photo"
	drawnPurpose = "gatepass_drawn"
)

// subjectOf is whom the photos of a pass are about: one person, known by the pass.
func subjectOf(passID string) seal.Subject { return seal.Subject{Type: store.HolderType, ID: passID} }

// ofPhoto is what a photo is sealed as: whom it shows, and itself, so that it can go before the name does.
func ofPhoto(passID, caseID, photoID, purpose string) seal.Matter {
	return seal.Matter{Subjects: []seal.Subject{subjectOf(passID), {Type: store.PhotoType, ID: photoID}}, Case: caseID, Purpose: purpose}
}

// An attempt is one scan under way.
type attempt struct {
	*Desk
	Scanning
	who   identity.Actor
	setup store.Setup
	q     pass.Request // as the rule is asked
	photo *store.Photo // nil where there is none
}

// Scan lets somebody out or in. The photo is kept first, and then everything else is one transaction.
func (d *Desk) Scan(ctx context.Context, who identity.Actor, s Scanning) (k store.Kept, err error) {
	if err := d.store.May(who, store.ActScan); err != nil {
		return k, err
	}
	ref, err := d.Scanned(ctx, who.Org, s.Scanned)
	if err != nil {
		return k, err
	}
	a := &attempt{Desk: d, Scanning: s, who: who}
	k, done, err := a.look(ctx, ref)
	if err != nil || done {
		return k, err
	}
	if err := a.ask(k); err != nil {
		return k, err
	}
	if err := a.keepPhoto(ctx, k); err != nil {
		return k, err
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		k, err = a.in(ctx, tx, k)
		return err
	})
	if err != nil && s.Key != "" { // perhaps the same event, sent twice at this very moment
		if now, done, failed := a.look(ctx, ref); failed == nil && done {
			return now, nil
		}
	}
	return k, err
}

// Scanned is the pass that was scanned or typed.
func (d *Desk) Scanned(ctx context.Context, org identity.Org, text string) (store.Ref, error) {
	s, err := token.Read(text)
	if err != nil {
		if ref, err := store.ParseRef(text); err == nil {
			return ref, nil
		}
		return store.Ref{}, err
	}
	if s.Token == "" {
		return store.Ref{Number: s.Number, Code: s.Code}, nil
	}
	keys, err := d.store.Keys(ctx, org)
	if err != nil {
		return store.Ref{}, err
	}
	t, err := keys.Verify(s.Token)
	if err != nil {
		return store.Ref{}, fault.From(fault.Invalid, err, "this code was not made here").On("pass_number", token.Forged, "")
	}
	if t.Org != token.Tag(org) {
		return store.Ref{}, fault.New(fault.Invalid, "this code is another organisation's").On("pass_number", "other_organisation", "")
	}
	return store.Ref{Number: t.Pass}, nil
}

// look reads a pass for a scan; done says that this very event has been let through before.
func (a *attempt) look(ctx context.Context, ref store.Ref) (k store.Kept, done bool, err error) {
	err = a.store.In(ctx, a.who.Org, func(tx pgx.Tx) error {
		if a.setup, err = store.SetupIn(ctx, tx, a.who.Org); err != nil {
			return err
		}
		if k, err = store.Load(ctx, tx, ref); err != nil {
			return notThere(a.Event, err)
		}
		if a.Key == "" {
			return nil
		}
		of, kind, found, err := store.ScanOf(ctx, tx, a.Key)
		if err == nil && found && (of != k.ID || kind != a.Event) {
			return fault.New(fault.Invalid, "the event %.80q was another", a.Key).On("event_id", "reused", "")
		}
		done = found
		return err
	})
	return k, done, err
}

// ask puts the scan to the rule before anything is kept: what speaks against it, but for what only its transaction can know.
func (a *attempt) ask(k store.Kept) error {
	a.q = pass.Request{Event: a.Event, By: As(a.who, pass.Gate), At: a.store.Now(), Via: pass.AtGate, Version: a.Version,
		Override: a.Override,
		Items:    a.Items, SiteID: k.SiteID}
	if a.Gate != "" && slices.ContainsFunc(a.setup.Sites, func(one store.Site) bool { return len(one.Gates) > 0 }) {
		site, known := a.setup.SiteOfGate(a.Gate)
		if !known {
			return &pass.Refusal{Code: pass.Validation, Event: a.Event, Status: 422,
				Fields: []pass.FieldError{{Field: "gate_id", Code: "unknown"}}}
		}
		a.q.SiteID = site
	}
	q := a.q
	if a.Photo != nil {
		q.Photo = "to be checked"
	}
	_, err := rules(a.setup).Apply(k.Pass, q)
	return err
}

// keepPhoto checks a photo and keeps it, sealed.
func (a *attempt) keepPhoto(ctx context.Context, k store.Kept) error {
	if a.Photo == nil {
		return nil
	}
	bounds := photo.Standard()
	bounds.Bytes = a.setup.PhotoBytes
	info, err := photo.Check(a.Photo, bounds)
	if err != nil {
		return err
	}
	if a.vault == nil {
		return fault.New(fault.Unavailable, "photos cannot be kept on this server")
	}
	id := store.NewID(a.q.At)
	kept, err := a.vault.SealBlob(ctx, a.who.Org, ofPhoto(k.ID, k.Case, id, photoPurpose), a.Photo)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(a.Photo)
	a.photo = &store.Photo{ID: id, PassID: k.ID, Kind: "exit", Format: info.Format, Bytes: int64(len(a.Photo)),
		Width: info.Width, Height: info.Height, SHA256: hex.EncodeToString(sum[:]), Sealed: kept.Ciphertext.String(), TakenBy: a.who.ID,
		Gate: a.Gate, Device: a.Device}
	if a.Event == pass.ScanReturn {
		a.photo.Kind = "return"
	}
	return nil
}

// in is the scan: one transaction, in which the pass is held, the rule asked, and everything written down.
func (a *attempt) in(ctx context.Context, tx pgx.Tx, k store.Kept) (store.Kept, error) {
	k, err := store.Hold(ctx, tx, store.Ref{ID: k.ID})
	if err != nil {
		return k, notThere(a.Event, err)
	}
	known, err := store.HistoryOf(ctx, tx, k.Pass)
	if err != nil {
		return k, err
	}
	q := a.q
	if a.Event == pass.ScanExit {
		seen, err := store.Screen(ctx, tx, k.PersonName, q.At)
		if err != nil {
			return k, err
		}
		q.Watched = seen.Verdict == watchlist.Refuse
	}
	q.At = known.DateOf(k.Number, q.At)
	step := store.Step{By: a.who}
	if a.photo != nil {
		q.Photo, step.Photo, a.photo.TakenAt = a.photo.ID, a.photo.SHA256, q.At
	}
	if step.Change, err = rules(a.setup).Apply(k.Pass, q); err != nil {
		return k, err
	}
	k.Pass, k.Answers = step.Change.Pass, append(slices.Clone(k.Answers), "")
	return k, a.write(ctx, tx, k, step)
}

// write writes a scan down that nothing speaks against.
func (a *attempt) write(ctx context.Context, tx pgx.Tx, k store.Kept, step store.Step) error {
	org := a.who.Org
	if err := store.Save(ctx, tx, org, step); err != nil {
		return err
	}
	if a.photo != nil {
		if err := store.AddPhoto(ctx, tx, org, *a.photo); err != nil {
			return err
		}
	}
	key := a.Key
	if key == "" {
		key = store.NewID(a.q.At)
	}
	err := store.AddScan(ctx, tx, org, store.Scan{Key: key, PassID: k.ID, Kind: a.Event, At: k.Since(), Received: a.q.At,
		Captured: a.Captured,
		Site:     a.q.SiteID, Gate: a.Gate, Device: a.Device, Guard: a.who.ID, Session: a.who.Session, Photo: step.Photo,
		Reason: a.Override, Items: a.Items})
	if err != nil {
		return err
	}
	return a.rouse(ctx, tx, org, k)
}

// A View is a pass as a guard sees it before anything is done.
type View struct {
	store.Kept
	Up    pass.Event // the scan that it is up for
	Why   pass.Code  // why that would be refused; empty where it would not be
	Photo string     // the last that was taken; may be empty
}

// View looks at a pass for a guard.
func (d *Desk) View(ctx context.Context, who identity.Actor, ref store.Ref) (v View, err error) {
	if err := d.store.May(who, store.ActLook); err != nil {
		return v, err
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		if v.Kept, err = store.Load(ctx, tx, ref); err != nil {
			return err
		}
		if v.Deleted() {
			return fault.New(fault.NotFound, "there is no pass %s", ref)
		}
		setup, err := store.SetupIn(ctx, tx, who.Org)
		if err != nil {
			return err
		}
		seen, err := store.Screen(ctx, tx, v.PersonName, d.store.Now())
		v.Up, v.Why = rules(setup).Look(v.Pass, As(who, pass.Gate), d.store.Now(), seen.Verdict == watchlist.Refuse)
		return err
	})
	v.Photo = v.ExitPhoto
	if v.BackPhoto != "" {
		v.Photo = v.BackPhoto
	}
	return v, err
}
