package program

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// TestTermsAreProposedAndDecidedByAnother promises the way of a threshold: its manager sees
// what would follow, proposes it, may not decide it, and another manager does. It holds from
// the next audit; a case that was open keeps what it began with, and each says which version.
func TestTermsAreProposedAndDecidedByAnother(t *testing.T) {
	const address = "/v1/settings/poolpatrol/terms"
	p := newProgramme(t, 2, "GAVEL_CLOCK_SPEED=720")
	p.sql(`update poolpatrol.assignment set shift_id = 'SHIFT_DAY' where employee_id = 'EMP-1205'`)
	p.audit()
	p.comes("VP-101", "pending_reply")
	var now struct {
		Version int64
		Value   map[string]any
	}
	status, text, header := p.send("GET", address, nil, &now)
	if status != http.StatusOK || now.Version != 0 || now.Value["patience_days"] != 7.0 {
		t.Fatalf("%d %s", status, text)
	}
	now.Value["patience_days"], now.Value["shift_share_percent"] = 3, 80
	status, text = p.call("POST", address+"/preview", map[string]any{"value": now.Value}, nil)
	if status != http.StatusOK || !strings.Contains(text, "next_vans") {
		t.Errorf("the preview says %d %s", status, text)
	}
	status, text, _ = p.send("PUT", address, map[string]any{"value": now.Value}, nil, "If-Match", header.Get("ETag"))
	if status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	var proposal string
	p.until("the proposal", func() bool {
		open := p.one(`select id from gavel.proposal where tool = 'set_terms' and state = 'open'`)
		if len(open) == 1 {
			proposal = open[0]
		}
		return proposal != ""
	})
	if status, text := p.tryDecide(proposal, "approve", "I asked for it", nil); status != http.StatusForbidden {
		t.Errorf("who proposed it decides it: %d %s", status, text)
	}
	first := p.token
	p.token = secondManager(t)
	p.decide(proposal, "approve", "")
	p.token = first
	p.until("the terms are in force", func() bool {
		p.call("GET", address, nil, &now)
		return now.Version == 1 && now.Value["patience_days"] == 3.0
	})

	p.sql(`update poolpatrol.assignment set shift_id = 'SHIFT_NIGHT' where employee_id = 'EMP-1205'`)
	p.audit()
	p.comes("VP-102", "pending_reply")
	const of = `select c.vanpool_id || ' ' || c.rules || ' ' || (v->>'policy_version')
		from poolpatrol.case c join poolpatrol.audit_run r on r.id = c.audit_run, jsonb_array_elements(r.verdicts) v
		where v->>'check' = 'shift' order by 1`
	want := []string{"VP-101 case-2026-1 shift-2026-1", "VP-102 case-2026-1/v1 shift-2026-1/v1"}
	if got := p.one(of); !slices.Equal(got, want) {
		t.Errorf("the cases are %q, want %q", got, want)
	}
}

// secondManager is the token of another programme manager.
func secondManager(t *testing.T) string {
	t.Helper()
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i) // testKey is the base64 of these
	}
	token, err := signin.SecondDevToken(key, postgrestest.North, identity.ProgrammeManager)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
