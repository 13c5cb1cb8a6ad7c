package gatepass_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestTheRegisterIsTakenOnItsPage promises that days the wrong way round are not taken, that the file has what happened to each pass, that
// it left is on record, and that who makes passes does not take it.
func TestTheRegisterIsTakenOnItsPage(t *testing.T) {
	r := newRig(t, durable.Clock{})
	all := r.lived(t)
	today, before := time.Now().UTC().Format(time.DateOnly), time.Now().UTC().AddDate(0, 0, -2).Format(time.DateOnly)
	after := time.Now().UTC().AddDate(0, 0, 2).Format(time.DateOnly)
	r.Get(t, identity.PassAdmin, "/gatepass/register").Holds(t, http.StatusOK, today[:8]+"01")
	for _, bad := range []url.Values{{"from": {after}, "to": {before}}, {"from": {"once"}, "to": {after}}} {
		r.Post(t, identity.PassAdmin, "/gatepass/register", bad).Holds(t, http.StatusUnprocessableEntity, "not before the first")
	}
	file := r.Post(t, identity.PassAdmin, "/gatepass/register", url.Values{"from": {before}, "to": {after}})
	file.Holds(t, http.StatusOK, all[pass.LaneOut], all[pass.LaneRefused])
	if got := file.Header.Get("Content-Type"); got != "application/x-ndjson" {
		t.Errorf("the file is %q", got)
	}
	if n := r.Number(t, `select count(*)::int from gavel.record where kind = 'export'`); n != 1 {
		t.Errorf("that the register left is on record %d times, want 1", n)
	}
	r.Post(t, identity.HR, "/gatepass/register", url.Values{"from": {before}, "to": {after}}).Holds(t, http.StatusForbidden)
	if a := r.Get(t, identity.PassAdmin, "/gatepass/sites"); a.Status != http.StatusSeeOther ||
		a.Header.Get("Location") != "/gatepass/sites/main/onsite" {
		t.Errorf("the only site is not opened: %d, %s", a.Status, a.Header.Get("Location"))
	}
}
