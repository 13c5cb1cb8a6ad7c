package rest

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/web"
)

// TestEveryErrorHasAStatusThatTheFirstDesignKnows promises that whatever goes wrong is told with 400, 401, 403, 404, 422, 429 or 500, and a
// code that says which it was; and that what a client may send again, because nothing was begun, is no error of the server's.
func TestEveryErrorHasAStatusThatTheFirstDesignKnows(t *testing.T) {
	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{fault.From(fault.Unavailable, api.ErrBusy, "too many requests wait"), 429, "busy"},
		{fault.New(fault.Unavailable, "a part did not answer in time"), 500, "unavailable"},
		{errors.New("nobody thought of it"), 500, "internal"},
		{fault.From(fault.Conflict, idempotency.ErrInFlight, "it is being run"), 403, "in_progress"},
		{fault.From(fault.Invalid, idempotency.ErrOther, "the key is another's"), 422, "idempotency_conflict"},
		{fault.New(fault.TooLarge, "too much"), 422, "too_large"},
		{fault.New(fault.Stale, "somebody changed it"), 403, "stale_version"},
		{fault.New(fault.Conflict, "not now"), 403, "conflict"},
		{fault.New(fault.Unconfirmed, "say which"), 403, "precondition_required"},
		{fault.New(fault.Refused, "not you"), 403, "role_forbidden"},
		{fault.New(fault.NotFound, "no such pass"), 404, "not_found"},
		{fault.New(fault.TooMany, "too often"), 429, "too_many"},
		{fault.New(fault.SignIn, "who are you"), 401, "sign_in_needed"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, Base+"/hr/gatepass/create", http.NoBody)
		kind := fault.KindOf(tt.err)
		status, body := fails(r, tt.err, web.Problem{Status: web.Status(kind), Code: kind.Code(), Retryable: kind.Retryable()})
		got, ok := body.(ProblemBody)
		if !ok || status != tt.status || got.Status != status || got.Code != tt.code || got.Type != "urn:gavel:problem:"+tt.code {
			t.Errorf("%v: got %d %+v, want %d %s", tt.err, status, body, tt.status, tt.code)
		}
		if status == http.StatusTooManyRequests && !got.Retryable {
			t.Errorf("%v: nobody is told to come again", tt.err)
		}
	}
}
