//go:build browser

package console_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestPagesKeepTheirBudgets promises that a full inbox, a case and a proposal are
// light and quick on a slow phone, HTML 60 kB and
// script 40 kB as gzip has them, the largest paint within 2 s and an answer to a
// key or a finger within 200 ms, with the processor slowed down four times.
func TestPagesKeepTheirBudgets(t *testing.T) {
	s := newStage(t)
	file := s.sampleFile(t)
	s.fullInbox(t)
	for i := range 55 { // a page is full, and there is another
		s.offer(t, file, "send_letter", due(time.Now().Add(time.Duration(i)*time.Hour)),
			verdictOf(t, file, fmt.Sprintf("Send letter %d about van 14, night shift", i), 0.5, 0.3, 0.7))
	}
	p := s.offer(t, file, "send_letter", verdictOf(t, file, "Send 3 e-mails about van 14, night shift", 0.78, 0.64, 0.87))
	s.node(t, "budget.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer),
		"inbox@/inbox", "case@/cases/"+string(file.ID), "decision@/proposals/"+p.ID)
}
