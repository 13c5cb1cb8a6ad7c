package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A click is one answer of one person, to what they have before them.
type click struct {
	proposal string
	sheet    sheet
	verdict  review.Verdict
	id       string // of the decision; it is the request's key, too
	page     bool
	blind    bool   // it does not say what was read
	inStead  string // of whom
}

func (p proposed) click(s sheet, v review.Verdict, name string) click {
	return click{proposal: p.id, sheet: s, verdict: v, id: fmt.Sprintf("bench-%s-%s", p.word(), name)}
}

// see sees one proposal through, as its plan says and as it then turns out.
func (c *crowd) see(ctx context.Context, p proposed, plan plan) error {
	other := c.people[plan.other]
	mine, err := c.read(ctx, c.people[plan.who], plan.server, p.id)
	if err != nil {
		return err
	}
	theirs := mine
	if plan.stale || plan.rival {
		if theirs, err = c.read(ctx, other, 1-plan.server, p.id); err != nil {
			return err
		}
	}
	if plan.blind {
		if err := c.decideBlindly(ctx, p, plan, mine); err != nil {
			return err
		}
	}
	if err := c.decide(ctx, p, plan, mine, theirs); err != nil {
		return err
	}
	if err := c.settle(ctx, p, plan); err != nil {
		return err
	}
	decided := time.Now()
	if plan.again {
		c.tally.again.Add(1)
		if _, err := c.press(ctx, p.click(mine, plan.verdict, "again"), plan.server); err != nil {
			return err
		}
	}
	if plan.stale {
		if err := c.answerLate(ctx, p, plan, theirs); err != nil {
			return err
		}
	}
	if plan.undo && p.tool() == letter {
		return c.undo(ctx, p, plan, decided)
	}
	return nil
}

// decideBlindly sends an answer that does not say to what.
func (c *crowd) decideBlindly(ctx context.Context, p proposed, plan plan, mine sheet) error {
	k := p.click(mine, plan.verdict, "blind")
	k.blind = true
	r, err := c.press(ctx, k, plan.server)
	if err == nil && r.status == http.StatusPreconditionRequired {
		c.tally.blind.Add(1)
	}
	return err
}

// decide is the answer itself, with whatever happens at the same moment.
func (c *crowd) decide(ctx context.Context, p proposed, plan plan, mine, theirs sheet) error {
	var rival sync.WaitGroup
	var rivalErr error
	if plan.rival {
		c.tally.rivals.Add(1)
		rival.Go(func() { _, rivalErr = c.press(ctx, p.click(theirs, plan.opposite(), "rival"), 1-plan.server) })
	}
	err := c.decideMine(ctx, p, plan, mine)
	rival.Wait()
	if err != nil {
		return err
	}
	return rivalErr
}

func (c *crowd) decideMine(ctx context.Context, p proposed, plan plan, mine sheet) error {
	k := p.click(mine, plan.verdict, "mine")
	switch {
	case plan.inStead:
		return c.decideInStead(ctx, p, plan)
	case plan.page:
		return c.decideOnPage(ctx, k, plan)
	case plan.lost:
		c.tally.lost.Add(1)
		hasty, stop := context.WithTimeout(ctx, plan.giveUp)
		sent := time.Now()
		r, err := c.request(hasty, func() (reply, error) { return c.deliver(hasty, k, plan.server) })
		stop()
		if err == nil && r.final() {
			c.hear(k, r, sent)
		}
		_, err = c.press(ctx, k, 1-plan.server)
		return err
	case plan.twice:
		return c.pressTwice(ctx, k)
	}
	_, err := c.press(ctx, k, plan.server)
	return err
}

// pressTwice sends the same thing to both servers at once.
func (c *crowd) pressTwice(ctx context.Context, k click) error {
	c.tally.twice.Add(1)
	var second sync.WaitGroup
	var secondErr error
	second.Go(func() { _, secondErr = c.press(ctx, k, 1) })
	_, err := c.press(ctx, k, 0)
	second.Wait()
	if err != nil {
		return err
	}
	return secondErr
}

var (
	shownField = regexp.MustCompile(`name="shown" value="([0-9a-f]{64})"`)
	idField    = regexp.MustCompile(`name="id" value="([^"]+)"`)
)

// decideOnPage opens the proposal's page and sends its form, with the id that the
// page gave the decision.
func (c *crowd) decideOnPage(ctx context.Context, k click, plan plan) error {
	path := web.ProposalPath(k.proposal, "")
	if k.verdict != review.Approve {
		path += "?answer=" + string(k.verdict)
	}
	page, err := insist(ctx, plan.server, func(server int) (reply, error) {
		return c.request(ctx, func() (reply, error) {
			return c.g.visit(ctx, c.g.bases[server]+path, sessionCookie+"="+k.sheet.reader.cookie)
		})
	})
	if err != nil {
		return err
	}
	shown, id := shownField.FindSubmatch(page.body), idField.FindSubmatch(page.body)
	if page.status != http.StatusOK || id == nil {
		return fmt.Errorf("the page of %s answers %d and has no form", k.proposal, page.status)
	}
	if shown == nil {
		return nil // somebody else was quicker, and the page says so
	}
	c.tally.page.Add(1)
	k.page, k.id, k.sheet.Shown = true, string(id[1]), string(shown[1])
	if plan.twice {
		return c.pressTwice(ctx, k)
	}
	_, err = c.press(ctx, k, plan.server)
	return err
}

// decideInStead has a delegate decide, who may have lost their leave a moment ago.
func (c *crowd) decideInStead(ctx context.Context, p proposed, plan plan) error {
	delegate, owner := c.leave.pair(plan.who)
	sheet, err := c.read(ctx, delegate, plan.server, p.id)
	if err != nil {
		return err
	}
	k := p.click(sheet, plan.verdict, "stead")
	k.inStead = owner.id
	if plan.twice {
		return c.pressTwice(ctx, k)
	}
	r, err := c.press(ctx, k, plan.server)
	if err == nil && r.status == http.StatusForbidden {
		c.tally.noLeave.Add(1)
	}
	return err
}

// answerLate has somebody answer what they read before it was decided.
func (c *crowd) answerLate(ctx context.Context, p proposed, plan plan, theirs sheet) error {
	r, err := c.press(ctx, p.click(theirs, plan.opposite(), "late"), 1-plan.server)
	if err == nil && r.refused() {
		c.tally.stale.Add(1)
	}
	return err
}

// settle sees to it that there is an end: where one voice was not enough, or it
// was refused, others approve it.
func (c *crowd) settle(ctx context.Context, p proposed, plan plan) error {
	for i := range 20 {
		who := c.people[(plan.second+i)%c.owners]
		sheet, err := c.read(ctx, who, plan.server, p.id)
		if err != nil {
			return err
		}
		if sheet.State != string(review.Open) {
			return nil
		}
		k := p.click(sheet, review.Approve, fmt.Sprintf("voice-%d", i))
		if _, err := c.press(ctx, k, plan.server); err != nil {
			return err
		}
	}
	return nil // it is open, and judged as lost
}

// undo takes an approval back, in time or not.
func (c *crowd) undo(ctx context.Context, p proposed, plan plan, decided time.Time) error {
	sheet, err := c.read(ctx, c.people[plan.undoBy], plan.server, p.id)
	if err != nil || sheet.State != string(review.Approved) {
		return err
	}
	if err := sleep(ctx, time.Until(decided.Add(plan.undoIn))); err != nil {
		return err
	}
	if plan.tooLate {
		if err := c.g.awaitCarriedOut(ctx, p.word()); err != nil {
			return err
		}
	}
	c.tally.undo.Add(1)
	k := p.click(sheet, review.Undo, "undo")
	if plan.undoTwo {
		return c.pressTwice(ctx, k)
	}
	_, err = c.press(ctx, k, plan.server)
	return err
}

// press sends a click until there is a yes or no, and keeps it.
func (c *crowd) press(ctx context.Context, k click, server int) (reply, error) {
	var sent time.Time
	began := time.Now()
	r, err := insist(ctx, server, func(server int) (reply, error) {
		return c.request(ctx, func() (reply, error) {
			sent = time.Now()
			return c.deliver(ctx, k, server)
		})
	})
	if err == nil {
		c.hear(k, r, sent)
		c.tally.answered(time.Since(began))
	}
	return r, err
}

// hear keeps what somebody was told.
func (c *crowd) hear(k click, r reply, sent time.Time) {
	if r.taken() && c.g.away.Load() {
		c.tally.whileAway.Add(1)
	}
	c.note(told{decision: k.id, proposal: k.proposal, person: k.sheet.reader.id, verdict: string(k.verdict), status: r.status,
		yes:  r.taken(),
		sent: sent, heard: time.Now()})
}

// deliver is one request.
func (c *crowd) deliver(ctx context.Context, k click, server int) (reply, error) {
	const reason = "As the rules have it."
	if k.page {
		return c.g.form(ctx, k.sheet.reader, server, web.ProposalPath(k.proposal, "/decisions"),
			url.Values{"id": {k.id}, "shown": {k.sheet.Shown}, "verdict": {string(k.verdict)}, "reason": {reason}})
	}
	headers := map[string]string{"Idempotency-Key": k.id}
	if !k.blind {
		headers["If-Match"] = k.sheet.ETag
	}
	if k.verdict == review.Undo {
		return c.g.call(ctx, k.sheet.reader, server, http.MethodPost, "/v1/proposals/"+k.proposal+"/undo", map[string]string{"id": k.id,
			"reason": reason}, headers)
	}
	body := map[string]string{"id": k.id, "verdict": string(k.verdict), "reason": reason}
	if k.inStead != "" {
		body["in_stead_of"] = k.inStead
	}
	return c.g.call(ctx, k.sheet.reader, server, http.MethodPost, "/v1/proposals/"+k.proposal+"/decisions", body, headers)
}
