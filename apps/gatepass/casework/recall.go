package casework

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Recalled is what a proposal to delete a pass says on which somebody is out: which version of it, and why.
type Recalled struct {
	Number  number.Number `json:"number"`
	Version int           `json:"version"`
	Reason  string        `json:"reason"`
}

// recallShown is what a person decides on, in the form that pages know.
type recallShown struct {
	Tool    string          `json:"tool"`
	Line    string          `json:"line"`
	Effect  string          `json:"effect"`
	Args    Recalled        `json:"args"`
	By      string          `json:"by"`
	Via     string          `json:"via"`
	Taint   bool            `json:"taint"`
	Case    string          `json:"case"`
	Finding finding.Finding `json:"finding"`
}

// recallLasts is how long a second administrator has.
const recallLasts = 24 * time.Hour

// AskRecall asks a second administrator to delete a pass on which somebody is out, and says where that is decided. Asked again about the
// same version it is the same question.
func (d *Desk) AskRecall(ctx context.Context, who identity.Actor, ref store.Ref, reason string) (k store.Kept, proposal string, err error) {
	if err := d.store.May(who, store.ActChange); err != nil {
		return k, "", err
	}
	if who.Way == identity.ByAgent {
		return k, "", fault.New(fault.Refused, "an agent asks in your name; you ask for this on the page of the pass")
	}
	err = d.store.In(ctx, who.Org, func(tx pgx.Tx) error {
		if k, err = store.Hold(ctx, tx, ref); err != nil {
			return notThere(pass.Delete, err)
		}
		setup, err := store.SetupIn(ctx, tx, who.Org)
		if err != nil {
			return err
		}
		if err := d.recallable(k, who, reason, rules(setup)); err != nil {
			return err
		}
		site, known := setup.Site(k.SiteID)
		if !known {
			site, _ = setup.Site("")
		}
		proposal, err = d.proposeRecall(ctx, tx, who, k, strings.TrimSpace(reason), site)
		return err
	})
	return k, proposal, err
}

// agreed stands for the second administrator where it is only asked whether one could agree.
const agreed = "somebody else"

// recallable refuses what no second administrator could delete, too: a pass that has ended, or one that only one of them is needed for.
func (d *Desk) recallable(k store.Kept, who identity.Actor, reason string, r pass.Rules) error {
	q := pass.Request{Event: pass.Delete, By: As(who, pass.Admin), At: d.store.Now(), Via: via(who, pass.Admin),
		Reason: reason, Force: true, Second: agreed}
	if _, err := r.Apply(k.Pass, q); err != nil {
		return err
	}
	if k.Status != pass.Exited || k.Ended() {
		return &pass.Refusal{Code: pass.InvalidState, Event: pass.Delete, Status: 403, Current: k.Status,
			Allowed: r.Allowed(k.Pass, q.By, q.At)}
	}
	return nil
}

func (d *Desk) proposeRecall(ctx context.Context, tx pgx.Tx, who identity.Actor, k store.Kept, reason string, site store.Site) (string,
	error) {
	args := Recalled{Number: k.Number, Version: k.Version, Reason: reason}
	found := recallFinding(who, k, reason, site)
	if err := found.Check(); err != nil {
		return "", err
	}
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	doc, err := json.Marshal(recallShown{Tool: "recall_gate_pass", Line: "Delete gate pass " + string(k.Number) + " while it is used",
		Effect: "write", Args: args, By: who.ID, Via: store.Name, Taint: true, Case: k.Case, Finding: found})
	if err != nil {
		return "", err
	}
	now := d.store.Now()
	until := now.Add(recallLasts)
	p := review.Proposal{Org: who.Org, Case: k.Case, Kind: store.RecallKind, App: store.Name,
		Key:  store.Name + "/recall/" + k.ID + "/" + strconv.Itoa(k.Version),
		Gate: review.ByAnother, Args: text, ArgsSHA256: act.Digest(text), Shown: doc, ShownSHA256: act.Digest(doc), RequestedBy: who.ID,
		OnBehalfOf: who.ID, Makers: []string{who.ID}, Deciders: []identity.Role{identity.PassAdmin},
		Allowed: []review.Verdict{review.Approve, review.Reject}, CreatedAt: now, ExpiresAt: until}
	if err := d.reviews.CheckGate(ctx, tx, p); err != nil {
		return "", err
	}
	err = review.Ask(ctx, tx, who, &p)
	return p.ID, err
}

// recallFinding is what the second administrator reads first.
func recallFinding(who identity.Actor, k store.Kept, reason string, site store.Site) finding.Finding {
	out := k.ExitTime.In(site.Location()).Format("2 Jan 2006 15:04")
	return finding.Finding{
		Subject: finding.Subject{Kind: finding.Person, Name: finding.Short(k.PersonName), Of: string(k.Number),
			Link: "/gatepass/passes/" + string(k.Number)},
		Brief: finding.Words{En: "is out on a pass that is to be deleted", Hi: "जिस पास पर बाहर हैं उसे हटाने का अनुरोध है"},
		Says: finding.Words{En: "Out on this pass since " + out + ". Deleting it does not bring anybody back.",
			Hi: out + " से इस पास पर बाहर। इसे हटाने से कोई वापस नहीं आता।"},
		Value: finding.NotApplicable(finding.Words{En: "Nothing is measured.", Hi: "कुछ मापा नहीं जाता।"}),
		Limit: finding.NotApplicable(finding.Words{En: "No limit is exceeded.", Hi: "कोई सीमा पार नहीं हुई।"}),
		Sure:  finding.NotApplicable(finding.Words{En: "It is what the record says.", Hi: "यह वही है जो दर्ज है।"}),
		For: []finding.Point{finding.Say("Asked for by "+finding.Brief(nameOf(who))+": "+finding.Brief(reason),
			"अनुरोध: "+finding.Brief(nameOf(who))+" – "+finding.Brief(reason))},
		Change:   finding.Words{En: "The person's return.", Hi: "व्यक्ति की वापसी।"},
		Plain:    finding.Words{En: "A gate pass in use is to be deleted.", Hi: "उपयोग में एक गेट पास हटाने का अनुरोध है।"},
		Personal: true,
	}
}

// recallKind is the proposal to delete a pass that is in use: two administrators agree on it, and it follows at once.
func (d *Desk) recallKind() review.Kind {
	return review.Kind{Name: store.RecallKind, Class: func(review.Proposal) review.Class { return review.Weighty },
		Foresee: func(ctx context.Context, tx pgx.Tx, p review.Proposal, by identity.Actor, at time.Time) error {
			_, err := d.recalled(ctx, tx, p, by, at)
			return err
		}, Then: func(ctx context.Context, tx pgx.Tx, p review.Proposal, r review.Ruled) error {
			if r.Decision.Verdict != review.Approve {
				return nil
			}
			change, err := d.recalled(ctx, tx, p, r.By, r.At)
			if err != nil {
				return err
			}
			return store.Save(ctx, tx, p.Org, store.Step{Change: change, By: r.By, Decision: r.Decision.ID})
		}}
}

// recalled is what becomes of the pass where a second administrator agrees.
func (d *Desk) recalled(ctx context.Context, tx pgx.Tx, p review.Proposal, by identity.Actor, at time.Time) (pass.Change, error) {
	var args Recalled
	if err := json.Unmarshal(p.Args, &args); err != nil {
		return pass.Change{}, fault.From(fault.Internal, err, "what was asked cannot be read")
	}
	k, err := store.Hold(ctx, tx, store.Ref{Number: args.Number})
	if err != nil {
		return pass.Change{}, err
	}
	setup, err := store.SetupIn(ctx, tx, p.Org)
	if err != nil {
		return pass.Change{}, err
	}
	return rules(setup).Apply(k.Pass, pass.Request{Event: pass.Delete, By: As(by, pass.Admin), At: at, Via: via(by, pass.Admin),
		Version: args.Version, Reason: args.Reason, Force: true, Second: p.RequestedBy})
}
