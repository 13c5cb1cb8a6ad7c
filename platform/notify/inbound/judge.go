package inbound

import (
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

// A Place is a case that a mail may belong to.
type Place struct {
	Org  identity.Org
	Case casefile.CaseID
}

// A Match is by what a mail was matched to a case, the strongest first.
type Match string

// The matches.
const (
	ByToken Match = "token" // the address it came to, with a token of ours
	ByID    Match = "id"    // the id of a mail of ours that it answers
	ByTag   Match = "tag"   // the reference in its subject, and a sender known in that case
	Nowhere Match = ""
)

// A State is what becomes of a mail that came in.
type State string

// The states. Held and Quarantined wait for a person; the others are ends.
const (
	Accepted    State = "accepted"    // it is an entry of its case, whose workflow was told
	Held        State = "held"        // its case is known, but not that it is to be believed
	Quarantined State = "quarantined" // no case is known
	Dropped     State = "dropped"     // no person wrote it; kept, and read by nobody
	Discarded   State = "discarded"   // a person decided that it is nothing
)

// A Reason is why a mail was not simply accepted.
type Reason string

// The reasons, beside the kinds of package letter for what no person wrote.
const (
	ReasonNoMatch   Reason = "no_match"    // nothing in it leads to a case
	ReasonToken     Reason = "wrong_token" // an address of ours with a token that is not
	ReasonAmbiguous Reason = "ambiguous"   // it leads to several cases
	ReasonTag       Reason = "tag_only"    // only the subject says which case
	ReasonStranger  Reason = "stranger"    // whoever sent it is not known in the case
	ReasonUnproven  Reason = "unproven"    // nothing proves that it is from whom it says
	ReasonMalformed Reason = "malformed"   // its form leaves in doubt what it says
	ReasonNothing   Reason = "nothing_new" // without what it quotes it says nothing
	ReasonClosed    Reason = "closed_case" // its case is closed
	ReasonReused    Reason = "id_reused"   // another mail came with the same id
	ReasonErased    Reason = "erased"      // it is about somebody who was erased
	ReasonTooMany   Reason = "too_many"    // its sender wrote too often in too short a time
)

// Rules are what mails are judged by.
type Rules struct {
	Book       address.Book
	From       []string // the addresses we send from
	AuthServer string   // what the server that takes mail in for us calls itself; empty: nobody's identity is ever proven
}

func (r Rules) own() letter.Own {
	return letter.Own{Domain: r.Book.Domain, Inbound: r.Book.Inbound, From: r.From}
}

// Keys are the routes to be looked for: by the addresses a mail came to, and by
// the ids it refers to.
func (r Rules) Keys(l letter.Letter, kind letter.Kind) (keys []string) {
	for _, addr := range r.ours(l.To) {
		keys = append(keys, notify.ReplyKey(addr))
	}
	for _, id := range answered(l, kind) {
		keys = append(keys, notify.IDKey(id))
	}
	return keys
}

// ours are the addresses that have the form of a reply address of ours.
func (r Rules) ours(all []string) (out []string) {
	for _, addr := range all {
		_, domain, _ := strings.Cut(addr, "@")
		if _, _, ok := address.Split(addr); ok && strings.EqualFold(domain, r.Book.Inbound) {
			out = append(out, addr)
		}
	}
	return out
}

// answered are the ids of mails that a mail is about: what a report reports on,
// else what it answers, the nearest first.
func answered(l letter.Letter, kind letter.Kind) (ids []string) {
	if report := l.About(); report != nil && kind != letter.Written {
		ids = append(ids, report.About...)
	}
	ids = append(ids, l.InReplyTo...)
	for _, id := range slices.Backward(l.References) {
		ids = append(ids, id)
	}
	var once []string
	for _, id := range ids {
		if !slices.Contains(once, id) {
			once = append(once, id)
		}
	}
	return once
}

// A Finding is where a mail leads.
type Finding struct {
	Place      Place // zero if nowhere, or to several
	Match      Match
	Orgs       []identity.Org // whose routes it has, each once
	WrongToken bool
	Several    bool
	Traced     bool // the token stands only in fields that servers write, and whoever passes a signed mail on can add those
	Reported   bool // an id that a report names leads to the place
}

// Find says where a mail leads, given the routes that there are. First the
// address it came to, whose token must be ours; then the ids it refers to. Two
// addresses of two cases are no answer, and neither are two mails it answers at
// once; of a chain of references the nearest that leads anywhere counts.
func (r Rules) Find(l letter.Letter, kind letter.Kind, routes []notify.Route) Finding {
	var f Finding
	byKey := map[string]Place{}
	for _, route := range routes {
		byKey[route.Key] = Place{route.Org, route.Case}
		if !slices.Contains(f.Orgs, route.Org) {
			f.Orgs = append(f.Orgs, route.Org)
		}
	}
	var tokens []Place
	named := false
	for _, addr := range r.ours(l.To) {
		place, known := byKey[notify.ReplyKey(addr)]
		ref, _, _ := address.Split(addr)
		if !known || !r.Book.Verify(string(place.Org), string(place.Case), ref, addr) {
			f.WrongToken = true
			continue
		}
		named = named || slices.Contains(l.Named, addr)
		if !slices.Contains(tokens, place) {
			tokens = append(tokens, place)
		}
	}
	switch len(tokens) {
	case 0:
		r.byID(&f, l, kind, byKey)
	case 1:
		f.Place, f.Match, f.Traced = tokens[0], ByToken, !named
	default:
		f.Several = true
	}
	f.Reported = f.Match != Nowhere && reportedOn(l, kind, f.Place, byKey)
	return f
}

// reportedOn reports whether a bounce names a mail that we sent in a case.
func reportedOn(l letter.Letter, kind letter.Kind, in Place, byKey map[string]Place) bool {
	report := l.About()
	return kind == letter.Bounced && report != nil && slices.ContainsFunc(report.About, func(id string) bool {
		place, ok := byKey[notify.IDKey(id)]
		return ok && place == in
	})
}

// byID finds the case by the ids that a mail refers to.
func (r Rules) byID(f *Finding, l letter.Letter, kind letter.Kind, byKey map[string]Place) {
	var direct []Place
	for _, id := range l.InReplyTo {
		if place, ok := byKey[notify.IDKey(id)]; ok && !slices.Contains(direct, place) {
			direct = append(direct, place)
		}
	}
	if len(direct) > 1 {
		f.Several = true
		return
	}
	for _, id := range answered(l, kind) {
		if place, ok := byKey[notify.IDKey(id)]; ok {
			f.Place, f.Match = place, ByID
			return
		}
	}
}

var tagForm = regexp.MustCompile(`\[([A-Za-z][A-Za-z0-9]{0,11}(?:-[A-Za-z0-9]{1,16}){1,5})\]`)

const maxTags = 5

// Tags are the references that a subject names in brackets, in capitals.
func Tags(subject string) (tags []string) {
	for _, m := range tagForm.FindAllStringSubmatch(subject, maxTags) {
		if tag := strings.ToUpper(m[1]); !slices.Contains(tags, tag) {
			tags = append(tags, tag)
		}
	}
	return tags
}

// A Verdict is what becomes of a mail, as code decides it.
type Verdict struct {
	State  State
	Reason Reason
	Kind   letter.Kind
	Place  Place // zero if no case is known
	Match  Match
}

// Judge decides what becomes of a mail that leads somewhere or nowhere. known
// says that its sender was written to in that case, or of a bounce whoever it says
// was not reached.
//
// A person's mail is accepted only if it was matched by a token or an id, its
// sender is known in the case, and the sender's domain stands behind it.
// Anything less waits for a person, with the first reason that holds. So does a
// bounce, which anybody can write, unless it names a mail of ours in the case and
// somebody whom we wrote to there.
func (r Rules) Judge(l letter.Letter, kind letter.Kind, f Finding, known bool) Verdict {
	v := Verdict{Kind: kind, Place: f.Place, Match: f.Match}
	switch kind {
	case letter.Written:
		v.State, v.Reason = r.trust(l, f, known)
	case letter.Bounced:
		switch {
		case f.Match == Nowhere:
			v.State, v.Reason = Quarantined, ReasonNoMatch
		case !f.Reported:
			v.State, v.Reason = Held, ReasonUnproven
		case !known:
			v.State, v.Reason = Held, ReasonStranger
		default:
			v.State = Accepted
		}
	case letter.Spam, letter.Automatic:
		v.State, v.Reason = Held, Reason(kind)
		if f.Match == Nowhere {
			v.State = Quarantined
		}
	case letter.Delayed, letter.Delivered, letter.Receipt, letter.Loop, letter.AutoReply, letter.List, letter.Calendar:
		v.State, v.Reason = Dropped, Reason(kind)
	}
	return v
}

// trust is how far a person's mail is believed.
func (r Rules) trust(l letter.Letter, f Finding, known bool) (State, Reason) {
	if f.Match == Nowhere {
		switch {
		case l.Broken():
			return Quarantined, ReasonMalformed
		case f.Several:
			return Quarantined, ReasonAmbiguous
		case f.WrongToken:
			return Quarantined, ReasonToken
		}
		return Quarantined, ReasonNoMatch
	}
	switch {
	case l.Broken():
		return Held, ReasonMalformed
	case f.Match == ByTag:
		return Held, ReasonTag
	case f.WrongToken:
		return Held, ReasonToken
	case !known:
		return Held, ReasonStranger
	case f.Traced || !l.Authentic(r.AuthServer):
		return Held, ReasonUnproven
	case letter.Fresh(l.Text).Fresh == "":
		return Held, ReasonNothing
	}
	return Accepted, ""
}
