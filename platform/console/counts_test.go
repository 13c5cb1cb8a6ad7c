package console_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

var headForm = regexp.MustCompile(`(?s)<h2 class="group-head[^"]*">.*?<span class="count">(\d+)</span>\s*</h2>`)

// heads are the counts of a page's groups, each beside how many rows follow it.
func heads(body string) (out [][2]int) {
	at := headForm.FindAllStringSubmatchIndex(body, -1)
	for i, m := range at {
		end := len(body)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		n, _ := strconv.Atoi(body[m[2]:m[3]])
		out = append(out, [2]int{n, strings.Count(body[m[1]:end], `<li class="item`)})
	}
	return out
}

// TestTheCountOfAHeadIsItsRows promises that every head of the inbox counts the rows under it,
// in every view and under every filter, that the way to another view counts what stands there,
// and that a search counts what it lists.
func TestTheCountOfAHeadIsItsRows(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "counted", "Counted <matter>", 0)
	late := func(p *review.Proposal) { p.DueAt = time.Now().Add(-time.Hour) }
	soon := func(p *review.Proposal) { p.DueAt = time.Now().Add(time.Hour) }
	for _, edit := range []func(*review.Proposal){late, late, soon, func(*review.Proposal) {}, about(t, "Ekta Demo")} {
		s.offer(t, c, "place_order", edit)
	}
	asleep := s.offer(t, c, "place_order")
	if err := s.Reviews.Snooze(t.Context(), person(postgrestest.North, identity.Officer), asleep.ID, time.Now().
		Add(30*time.Hour)); err != nil {
		t.Fatal(err)
	}
	done := s.offer(t, c, "place_order")
	s.answer(t, identity.Officer, done, review.Approve, "")
	away := regexp.MustCompile(`(?s)<a href="(/inbox\?[^"]*view=[^"]*)">\s*[^<]*<span class="count">(\d+)</span>`)
	for _, path := range []string{"/inbox", "/inbox?app=general", "/inbox?app=poolpatrol", "/inbox?group=overdue", "/inbox?view=snoozed",
		"/inbox?view=done", "/inbox?view=waiting"} {
		page := s.ask(t, path, nil)
		if page.status != http.StatusOK {
			t.Fatalf("%s: %d", path, page.status)
		}
		all := heads(page.body)
		if len(all) == 0 && strings.Contains(page.body, `<li class="item`) {
			t.Errorf("%s has rows and no head", path)
		}
		for _, h := range all {
			if h[0] != h[1] {
				t.Errorf("%s: a head counts %d, and %d rows follow", path, h[0], h[1])
			}
		}
		for _, m := range away.FindAllStringSubmatch(page.body, -1) {
			there := s.ask(t, strings.ReplaceAll(m[1], "&amp;", "&"), nil)
			if n := strings.Count(there.body, `<li class="item`); strconv.Itoa(n) != m[2] {
				t.Errorf("%s counts %s in %s, where %d stand", path, m[2], m[1], n)
			}
		}
	}
	found := s.ask(t, "/search?q=counted", nil)
	for _, part := range strings.Split(found.body, `<section class="panel found"`)[1:] {
		n := regexp.MustCompile(`<span class="count">(\d+)</span>`).FindStringSubmatch(part)[1]
		if rows := strings.Count(part, `<li class="item">`); strconv.Itoa(rows) != n {
			t.Errorf("the search counts %s of a kind and lists %d", n, rows)
		}
	}
}
