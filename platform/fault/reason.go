package fault

import "errors"

// A Reason is why something was not done, by a code. Pages and the API have words for each
// code in every language, so that both say the same: the messages reason.<code>, and
// reason.<code>.next for what to do.
type Reason struct {
	Code   string   // fixed, and never shown as it is
	Places []string // names and values for the places of its words
}

// Because adds the reason's code, with names and values for the places of its words, and
// returns the same error.
func (e *Error) Because(code string, places ...string) *Error {
	e.Why = Reason{Code: code, Places: places}
	return e
}

// ReasonOf is why err happened; false where nobody gave it a code. An Internal error has no
// reason that people are told.
func ReasonOf(err error) (Reason, bool) {
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Kind == Internal || e.Why.Code == "" {
		return Reason{}, false
	}
	return e.Why, true
}
