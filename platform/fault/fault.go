// Package fault names the kinds of error by what a caller can do about them.
//
// A fault is made where something first goes wrong, with New. Every package
// above may wrap it with fmt.Errorf and %w; KindOf still finds it. People are
// shown the fault's own words and its next step; logs get the whole chain. An
// error that carries no fault is Internal, and its text is never shown to a
// person.
package fault

import (
	"errors"
	"fmt"
)

// A Kind says what a caller can do about an error.
type Kind uint8

// The kinds. The zero value is the one that promises least.
const (
	Internal    Kind = iota // our mistake: report it with the request id
	Invalid                 // the input is wrong: correct it
	NotFound                // there is no such thing, or it is not yours to see
	SignIn                  // nobody is signed in: sign in
	Refused                 // policy or role says no: ask someone who may
	Conflict                // the thing is not in a state that allows this
	Stale                   // it changed since you read it: read it again
	Unconfirmed             // the request must say which version it read
	TooLarge                // over a stated bound: send less
	TooMany                 // over a stated rate: wait
	Unavailable             // a part we need does not answer: try again later
)

var kinds = [...]struct {
	code, sentence string
}{
	Internal:    {"internal", "Something went wrong on our side."},
	Invalid:     {"invalid", "Something in the request is wrong."},
	NotFound:    {"not_found", "There is nothing here under that name."},
	SignIn:      {"sign_in_needed", "You need to sign in first."},
	Refused:     {"refused", "You don't have access."},
	Conflict:    {"conflict", "This can't be done now."},
	Stale:       {"stale", "This changed since you opened it."},
	Unconfirmed: {"precondition_required", "Say which version you are deciding on."},
	TooLarge:    {"too_large", "This is larger than we accept."},
	TooMany:     {"too_many", "Too many requests for now."},
	Unavailable: {"unavailable", "A part of the system is not answering."},
}

// Kinds lists every kind, for tables that must cover all of them.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range kinds {
		all[i] = Kind(i)
	}
	return all
}

// Code is the kind's stable name in the API and the command line. It is never
// translated.
func (k Kind) Code() string { return kinds[k].code }

// Sentence says the kind to a person who knows nothing more.
func (k Kind) Sentence() string { return kinds[k].sentence }

// String is Code, so that a Kind reads well in a log.
func (k Kind) String() string { return k.Code() }

// Retryable reports whether the same request may succeed later, unchanged.
func (k Kind) Retryable() bool {
	return k == Internal || k == TooMany || k == Unavailable
}

// An Error is a failure that knows its kind.
type Error struct {
	Kind Kind
	Text string // what was tried and what is wrong; safe to show to a person
	Next string // what to do about it: a command, an address, a person; may be empty
	At   Place  // the field it is about; the zero Place for none
	Why  Reason // the reason by its code; the zero Reason where it has none
	err  error  // the cause, for logs only
}

// A Place is the field of what somebody sent that is wrong, for a page that shows
// fields and has words of its own for it.
type Place struct {
	Field string // its name in what was sent
	Code  string // what is wrong with it; fixed, and never shown as it is
	Given string // what the words are about: an id, a bound; may be empty
}

// New makes an error of a kind. The text is shown to people: it names things
// by the ids they know and holds no secret. A %w verb keeps the cause for logs
// without showing it.
func New(kind Kind, format string, args ...any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Text: err.Error(), err: errors.Unwrap(err)}
}

// From gives an outside error a kind and words of our own; the cause stays in
// the chain for logs and is not shown.
func From(kind Kind, cause error, format string, args ...any) *Error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...), err: cause}
}

// WithNext adds what to do next and returns the same error.
func (e *Error) WithNext(format string, args ...any) *Error {
	e.Next = fmt.Sprintf(format, args...)
	return e
}

// On adds which field it is about, and by a code what is wrong with it, and returns
// the same error.
func (e *Error) On(field, code, given string) *Error {
	e.At = Place{Field: field, Code: code, Given: given}
	return e
}

// PlaceOf is the field that err is about; false where it is about none.
func PlaceOf(err error) (Place, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.At.Field == "" {
		return Place{}, false
	}
	return e.At, true
}

// Error is the text and, for logs, the cause.
func (e *Error) Error() string {
	if e.err != nil {
		return e.Text + ": " + e.err.Error()
	}
	return e.Text
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.err }

// KindOf is the kind of the outermost fault in err's chain, Internal where
// there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of a kind. A nil error is of none.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Words is what a person may be told about err: its text and next step. For an
// error without a fault, or an Internal one, the text is the kind's sentence
// and nothing of the chain is shown.
func Words(err error) (text, next string) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind == Internal {
		return Internal.Sentence(), "Try again; if it stays, report the request id."
	}
	return e.Text, e.Next
}
