package pass

import (
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Code says why something is refused. It is the API's word for it, and never translated.
type Code string

// The codes. One that is refused by the table has 403, because the first design's clients know no other for it.
const (
	RoleForbidden Code = "role_forbidden" // not with this role
	InvalidState  Code = "invalid_state"  // the pass is not where this can be done
	SelfApproval  Code = "self_approval"  // nobody decides on what they made
	InUse         Code = "pass_in_use"    // somebody is out on it
	NotReturnable Code = "not_returnable" // nobody was to come back on it
	NotYetValid   Code = "not_yet_valid"
	Expired       Code = "expired"
	WrongSite     Code = "wrong_site"
	StaleVersion  Code = "stale_version" // it was changed since it was read
	NoQR          Code = "qr_not_available"
	OnWatchlist   Code = "watchlist_hit"
	NotFound      Code = "not_found"
	Validation    Code = "validation"
	ActorMismatch Code = "actor_mismatch" // the name that was sent is not the caller's
	PhotoRequired Code = "photo_required"
)

// kinds is what a code means to a caller, and its status over HTTP.
var kinds = map[Code]struct {
	kind   fault.Kind
	status int
}{
	RoleForbidden: {fault.Refused, 403}, SelfApproval: {fault.Refused, 403},
	OnWatchlist: {fault.Refused, 403}, WrongSite: {fault.Refused, 403},
	InvalidState: {fault.Conflict, 403}, InUse: {fault.Conflict, 403}, NotReturnable: {fault.Conflict, 403},
	NotYetValid: {fault.Conflict, 403}, Expired: {fault.Conflict, 403}, NoQR: {fault.Conflict, 403},
	StaleVersion: {fault.Stale, 403}, NotFound: {fault.NotFound, 404},
	Validation: {fault.Invalid, 422}, ActorMismatch: {fault.Invalid, 422}, PhotoRequired: {fault.Invalid, 422},
}

// A FieldError is one field that is wrong, and by a code what is wrong with it.
type FieldError struct {
	Field string
	Code  string
}

// A Refusal is an event that does not happen, and what helps whoever asked for it: where the pass stands, and what they
// could do instead.
type Refusal struct {
	Code    Code
	Event   Event
	Status  int // over HTTP
	Current Status
	Allowed []Event // to this caller, now; nil where the pass is not theirs to know of
	Fields  []FieldError
}

// Error says what was refused, for logs and for people who have nothing better.
func (r *Refusal) Error() string {
	s := string(r.Event) + " is refused: " + string(r.Code)
	if r.Current != None {
		s += ", the pass is " + string(r.Current)
	}
	for i, f := range r.Fields {
		s += []string{"; ", ", "}[min(i, 1)] + f.Field + " " + strings.ReplaceAll(f.Code, "_", " ")
	}
	return s
}

// Unwrap is the refusal as a fault, so that everybody above knows its kind.
func (r *Refusal) Unwrap() error {
	f := fault.New(kinds[r.Code].kind, "%s", r.Error())
	if len(r.Fields) > 0 {
		f = f.On(r.Fields[0].Field, r.Fields[0].Code, "")
	}
	return f
}

func refuse(e Event, c Code, fields ...FieldError) *Refusal {
	return &Refusal{Code: c, Event: e, Status: kinds[c].status, Fields: fields}
}
