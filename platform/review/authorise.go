package review

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// The acts that policy is asked about here.
const (
	actRead      = "proposal.read"
	actDecide    = "proposal.decide"
	actAssign    = "proposal.assign"
	actDelegate  = "delegation.change"
	actPeople    = "person.change"
	actSeePeople = "person.read"
	actInbox     = "inbox.read"
	actOversee   = "audit.read"
)

// authorise finds by what right a person decides a proposal: their own, or that
// of somebody who has delegated it to them. The database looks at it again.
func (s *Store) authorise(ctx context.Context, r *ruling) error {
	if err := s.rules.May(r.actor, actDecide); err != nil {
		return err
	}
	if err := barredFrom(r.actor, r.p); err != nil {
		return err
	}
	own := ownRight(r.actor, r.p)
	if own == nil && r.d.For == "" {
		return nil
	}
	under, heard, err := s.delegated(ctx, r)
	switch {
	case err != nil:
		return err
	case under.ID != "":
		r.under = under
		return nil
	case heard:
		return fault.New(fault.Conflict, "%s has been approved by the one you decide for, or on their behalf; it needs others, too",
			r.p.ID).Because("signed_by_giver", "id", r.p.ID)
	case r.d.For != "":
		return no("nobody called %.60q has delegated %s to you", r.d.For, r.p.ID).Because("not_delegated", "id", r.p.ID)
	}
	return own
}

func no(format string, args ...any) *fault.Error {
	return fault.New(fault.Refused, format, args...).WithNext("ask somebody who may decide it")
}

// barredFrom refuses who may not decide a proposal under anybody's leave.
func barredFrom(a identity.Actor, p Proposal) error {
	switch {
	case a.Kind != identity.Person:
		return no("only a person decides a proposal").Because("persons_only")
	case a.Viewing != "":
		return no("you are viewing as another role and can't decide").Because("viewing")
	case a.Way == identity.ByTools:
		return no("this sign-in is for tools; you decide on the page, signed in as yourself").Because("tools_only")
	case a.Way == identity.ByAgent && (p.Gate == ByOneself || a.Leave() == ""):
		return no("an agent asks in your name; you decide on the page, signed in as yourself").Because("tools_only")
	case p.Gate == ByOneself && a.ID != p.OnBehalfOf:
		return no("only the person it is done for can confirm %s", p.ID).Because("confirm_only", "id", p.ID)
	case p.Gate == ByOneself && p.Run == "" && a.Way != identity.ByBrowser: // their own program asked, and may hold their terminal
		return no("a program of yours asked for %s; confirm it on its page, in a browser", p.ID).Because("confirm_on_page", "id", p.ID)
	case p.Gate == ByOneself:
		return nil
	case a.ID == p.RequestedBy || a.ID == p.OnBehalfOf:
		return no("you asked for %s, or somebody asked in your name; somebody else decides it", p.ID).Because("own_request", "id", p.ID)
	case slices.Contains(p.Makers, a.ID):
		return no("%s is about something you made; somebody else decides it", p.ID).Because("own_work", "id", p.ID)
	}
	return nil
}

// barred reports whether somebody asked for a proposal, or made the thing.
func (p Proposal) barred(id string) bool {
	return id == p.RequestedBy || id == p.OnBehalfOf || slices.Contains(p.Makers, id)
}

// ownRight refuses who holds no role that decides a proposal.
func ownRight(a identity.Actor, p Proposal) error {
	if p.Gate == ByOneself || p.Gate == ByAnother && slices.ContainsFunc(p.Deciders, a.Has) {
		return nil
	}
	return no("you don't have access to decide %s", p.ID).Because("no_access_decide", "id", p.ID)
}

// delegated finds the delegation under which a person may decide a proposal, if
// there is one. heard says that there was, from somebody who has had their voice.
func (s *Store) delegated(ctx context.Context, r *ruling) (under Delegation, heard bool, err error) {
	if r.p.Gate != ByAnother {
		return Delegation{}, false, nil
	}
	all, err := lockInForce(ctx, r.tx, r.p.Org, r.actor.ID, r.at)
	if err != nil {
		return Delegation{}, false, err
	}
	for _, d := range all {
		if r.d.For != "" && d.From != r.d.For {
			continue
		}
		covers, err := s.covers(ctx, r.tx, d, r.p)
		if err != nil {
			return Delegation{}, false, err
		}
		if !covers {
			continue
		}
		if r.d.Verdict == Undo || !slices.Contains(r.voices, d.From) && !slices.Contains(r.behalf, d.From) {
			return d, false, nil
		}
		heard = true
	}
	return Delegation{}, heard, nil
}

// covers reports whether a delegation's giver could decide a proposal, by what it
// says of them and by the roles they hold to this day.
func (s *Store) covers(ctx context.Context, tx pgx.Tx, d Delegation, p Proposal) (bool, error) {
	if !d.covers(p) {
		return false, nil
	}
	still, err := s.stillHolds(ctx, tx, d)
	return slices.ContainsFunc(still, func(role identity.Role) bool { return slices.Contains(p.Deciders, role) }), err
}

// stillHolds are the roles of a delegation that its giver holds to this day.
func (s *Store) stillHolds(ctx context.Context, tx pgx.Tx, d Delegation) ([]identity.Role, error) {
	if s.person == nil {
		return d.Roles, nil
	}
	giver, err := s.person(ctx, tx, d.Org, d.From)
	if fault.Is(err, fault.NotFound) {
		return nil, nil // who has left delegates nothing
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(d.Roles), func(role identity.Role) bool { return !giver.Has(role) }), nil
}
