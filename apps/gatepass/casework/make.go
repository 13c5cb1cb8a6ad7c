package casework

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Make makes a pass that waits for approval: its number, the pass, the case in which its clock runs, and the proposal that
// asks for its approval are one transaction.
func (d *Desk) Make(ctx context.Context, who identity.Actor, draft pass.Draft) (k store.Kept, err error) {
	return d.MakeOnce(ctx, who, draft, "")
}

// MakeOnce is Make for a form, by whose name a pass is made once however often it is sent; empty: each time.
func (d *Desk) MakeOnce(ctx context.Context, who identity.Actor, draft pass.Draft, form string) (k store.Kept, err error) {
	if err := d.store.May(who, store.ActMake); err != nil {
		return k, err
	}
	for range 5 {
		err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
			var there bool
			if k, there, err = store.ByForm(ctx, tx, who.ID, form); there || err != nil {
				return err
			}
			k, err = d.makeIn(ctx, tx, who, draft, form)
			return err
		})
		if !postgres.Violates(err, "pass_code") && !postgres.Violates(err, "pass_form_once") {
			break // a code that somebody drew at the same moment is drawn again
		}
	}
	return k, err
}

func (d *Desk) makeIn(ctx context.Context, tx pgx.Tx, who identity.Actor, draft pass.Draft, form string) (k store.Kept, err error) {
	setup, err := store.SetupIn(ctx, tx, who.Org)
	if err != nil {
		return k, err
	}
	site, ok := setup.Site(draft.SiteID)
	if !ok {
		return k, &pass.Refusal{Code: pass.Validation, Event: pass.Create, Status: 422, Fields: []pass.FieldError{{Field: "site_id",
			Code: "unknown"}}}
	}
	draft.SiteID = site.ID
	now := d.store.Now()
	seen, err := store.Screen(ctx, tx, draft.PersonName, now)
	if err != nil {
		return k, err
	}
	m := pass.Making{ID: store.NewID(now), By: As(who, pass.HR), At: now, Via: via(who, pass.HR), Zone: site.Location(),
		Watched: seen.Verdict == watchlist.Refuse}
	if _, err := rules(setup).Create(draft, m); err != nil {
		return k, err // before anybody waits for the number
	}
	if m.Code, err = freeCode(ctx, tx); err != nil {
		return k, err
	}
	if m.Number, err = store.NextNumber(ctx, tx, who.Org, number.Year(now, m.Zone)); err != nil {
		return k, err
	}
	made, err := rules(setup).Create(draft, m)
	if err != nil {
		return k, err
	}
	k.Pass, k.Answers, k.Form = made.Pass, []string{""}, form
	if seen.Verdict == watchlist.Look {
		made.Notices = append(made.Notices, notice.New(notice.Watchlist, m.Number, made.Pass.Version))
	}
	if err := d.store.WakeKeeper(ctx, tx, who.Org); err != nil {
		return k, err
	}
	return d.file(ctx, tx, who, k, made, terms{seen, site, setup.ApprovalWithin()})
}

// terms are what an approval is asked for under.
type terms struct {
	seen   watchlist.Finding
	site   store.Site
	within time.Duration // it may take, in the hours of the site
}

// file opens the case of a new pass, asks for its approval and writes it down.
func (d *Desk) file(ctx context.Context, tx pgx.Tx, who identity.Actor, k store.Kept, made pass.Change, t terms) (store.Kept, error) {
	c, opened, err := d.cases.OpenIn(ctx, tx, who, casefile.Opening{App: store.Name, Key: string(k.Number), Title: "Gate pass " +
		string(k.Number),
		Subjects: []seal.Subject{subjectOf(k.ID)}})
	if err == nil && !opened {
		err = fault.New(fault.Conflict, "there is a case of pass %s already", k.Number)
	}
	if err != nil {
		return k, err
	}
	k.Case = string(c.ID)
	p, err := proposalOf(who, k, t)
	if err != nil {
		return k, err
	}
	if err := d.reviews.CheckGate(ctx, tx, p); err != nil {
		return k, err
	}
	if err := review.Ask(ctx, tx, who, &p); err != nil {
		return k, err
	}
	k.Proposal = p.ID
	return k, store.Insert(ctx, tx, who.Org, k, store.Step{Change: made, By: who})
}

// freeCode draws a code that no live pass has.
func freeCode(ctx context.Context, tx pgx.Tx) (number.Code, error) {
	for {
		var b [4]byte
		_, _ = rand.Read(b[:]) // never fails
		c := number.CodeOf(binary.BigEndian.Uint32(b[:]))
		taken, err := store.CodeTaken(ctx, tx, c)
		if err != nil || !taken {
			return c, err
		}
	}
}

// Approval is what a proposal to approve a pass is about: the pass as it was when it was asked, and its times, which
// whoever decides may change.
type Approval struct {
	Number           number.Number `json:"number"`
	Version          int           `json:"version"`
	ValidFrom        time.Time     `json:"valid_from"`
	ValidUntil       time.Time     `json:"valid_until"`
	ExpectedReturnAt time.Time     `json:"expected_return_at,omitzero"`
}

// shown is what a person decides on, in the form that pages know.
type shown struct {
	Tool    string          `json:"tool"`
	Line    string          `json:"line"`
	Effect  string          `json:"effect"`
	Args    Approval        `json:"args"`
	By      string          `json:"by"`
	Via     string          `json:"via"`
	Taint   bool            `json:"taint"`
	Case    string          `json:"case"`
	Finding finding.Finding `json:"finding"`
}

// proposalOf is what administrators are asked about a new pass.
func proposalOf(who identity.Actor, k store.Kept, t terms) (review.Proposal, error) {
	args := Approval{Number: k.Number, Version: k.Version, ValidFrom: k.ValidFrom, ValidUntil: k.ValidUntil,
		ExpectedReturnAt: k.ExpectedReturnAt}
	found := findingOf(k, t.seen, t.site)
	if err := found.Check(); err != nil {
		return review.Proposal{}, err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return review.Proposal{}, err
	}
	doc, err := json.Marshal(shown{Tool: "approve_gate_pass", Line: "Approve gate pass " + string(k.Number), Effect: "write", Args: args,
		By:  who.ID,
		Via: store.Name, Taint: true, Case: k.Case, Finding: found})
	if err != nil {
		return review.Proposal{}, err
	}
	p := review.Proposal{Org: who.Org, Case: k.Case, Kind: store.ApproveKind, App: store.Name, Key: store.Name + "/" + k.ID,
		Gate: review.ByAnother,
		Args: text, ArgsSHA256: act.Digest(text), Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: who.ID, OnBehalfOf: who.ID,
		Makers:   []string{who.ID},
		Deciders: []identity.Role{identity.PassAdmin}, Allowed: []review.Verdict{review.Approve, review.Edit,
			review.Reject}, CreatedAt: k.CreatedAt}
	if due := t.site.Hours().After(k.CreatedAt, t.within); due.After(k.CreatedAt) {
		p.DueAt = due
	}
	return p, nil
}
