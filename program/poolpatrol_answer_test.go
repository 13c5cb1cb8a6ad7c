package program

import (
	"crypto/rand"
	"io"
	"maps"
	"mime/quotedprintable"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

var (
	pageLink = regexp.MustCompile(`https://gavel\.example\.org(/poolpatrol/answer\?k=\S+)`)
	pageForm = regexp.MustCompile(`name="form" value="([A-Z2-7]{26})"`)
)

// link is the address of somebody's own page, as their last mail has it.
func (p *programme) link(to string) string {
	p.t.Helper()
	p.until("a mail to "+to, func() bool { return len(p.mails(to)) > 0 })
	all := p.mails(to)
	text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(all[len(all)-1].Raw)))
	if err != nil {
		p.t.Fatal(err)
	}
	found := pageLink.FindSubmatch(text)
	if found == nil {
		p.t.Fatalf("the mail has no link:\n%s", text)
	}
	return string(found[1])
}

// visit opens an address as somebody without an account, and sends a form where
// there is one.
func (p *programme) visit(path string, form url.Values) (int, string) {
	p.t.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// says answers the two questions of a page, as its form does.
func (p *programme) says(link, held, wish string) {
	p.t.Helper()
	status, page := p.visit(link, nil)
	form := pageForm.FindStringSubmatch(page)
	if status != http.StatusOK || form == nil {
		p.t.Fatalf("%d, and no form: %s", status, page)
	}
	u, err := url.Parse(link)
	if err != nil {
		p.t.Fatal(err)
	}
	status, page = p.visit(u.Path, url.Values{"k": {u.Query().Get("k")}, "form": {form[1]}, "held": {held}, "wish": {wish}})
	if status != http.StatusOK || !strings.Contains(page, "Your answer has come in") {
		p.t.Fatalf("an answer is answered %d: %s", status, page)
	}
}

// TestRidersAnswerOnTheirPage promises that an answer on somebody's page moves their
// case as a reply does: one says that the records have changed, the staff system
// then says so by SCIM, and the case is closed; another wants to talk and is put
// before a person. Each sees on the page where it stands. A day takes twenty
// seconds, so that nobody is late who answers within a minute or two.
func TestRidersAnswerOnTheirPage(t *testing.T) {
	p := newProgramme(t, 2, "GAVEL_CLOCK_SPEED=4320", "GAVEL_PUBLIC_URL=https://gavel.example.org")
	p.audit()
	mended, talks := p.link("rider15@riders.example.org"), p.link("rider25@riders.example.org")
	p.comes("VP-101", "pending_reply")
	p.comes("VP-102", "pending_reply")
	if mended == talks || strings.Contains(mended, "EMP-1105") {
		t.Errorf("the addresses are %s and %s", mended, talks)
	}

	p.says(talks, "unsure", "talk")
	p.comes("VP-102", "hitl_review escalation")
	p.proposal("VP-102", "send_email_for_review")
	if _, page := p.visit(talks, nil); !strings.Contains(page, "A person of the programme is looking at it") {
		t.Errorf("the page does not say so: %s", page)
	}

	p.says(mended, "changed", "keep")
	p.until("the case waits for the records", func() bool {
		return len(p.one(`select id from poolpatrol.case where vanpool_id = 'VP-101' and life->>'due_at' is not null`)) == 1
	})
	const shift = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"Replace","value":{"urn:gavel:poolpatrol:2.0:Employee":{"shift_id":"SHIFT_DAY","effective_from":"2020-01-02"}}}]}`
	if status, text := p.provision("PATCH", "Users/EMP-1105", shift); status != http.StatusOK {
		t.Fatalf("%d %s", status, text)
	}
	p.comes("VP-101", "resolved data_fixed")
	if _, page := p.visit(mended, nil); !strings.Contains(page, "Your membership was not ended by this.") ||
		strings.Contains(page, "<form class=\"form\"") {
		t.Errorf("the page does not show how it ended: %s", page)
	}
	if status, _ := p.visit("/poolpatrol/answer?k="+rand.Text(), nil); status != http.StatusNotFound {
		t.Errorf("a made-up address is answered %d", status)
	}
	if got := p.one(`select employee_id from poolpatrol.rider where removed_on is not null`); len(got) > 0 {
		t.Errorf("a click took %v out of their vans", got)
	}
}

// cancels approves what is asked about a van until its rider's membership has ended,
// once. On a busy machine a day may pass before an approval is carried out, and then
// it is refused with a reason and asked anew; or a week, and then what instead.
func (p *programme) cancels(van string) {
	p.t.Helper()
	const cards = `select p.id || ' ' || p.tool from gavel.proposal p join poolpatrol.case c on c.id = p.case_id
		where c.vanpool_id = $1 and p.tool in ('cancel_membership', 'settle_case') and p.state = 'open' order by p.n`
	const refused = `select reason from gavel.act where proposal = $1 and state = 'failed' and reason <> ''`
	approved := ""
	p.until(van+" is cancelled", func() bool {
		for _, line := range p.one(cards, van) {
			id, tool, _ := strings.Cut(line, " ")
			if tool == "cancel_membership" {
				if approved == "" || len(p.one(refused, approved)) == 1 {
					// or another question is in its place by now
					if status, _ := p.tryDecide(id, "approve", "nobody answers", nil); status < 300 {
						approved = id
					}
				}
				continue
			}
			var shown struct{ Args map[string]any }
			if status, _ := p.call("GET", "/v1/proposals/"+id, nil, &shown); status == http.StatusOK {
				maps.Copy(shown.Args, map[string]any{"choice": "proceed", "reason": "nobody answers"})
				p.tryDecide(id, "edit", "", shown.Args)
			}
		}
		return p.state(van) == "cancelled membership_cancelled"
	})
	const done = `select a.key from gavel.act a join poolpatrol.case c on c.id = a.case_id where c.vanpool_id = $1
		and a.tool = 'cancel_membership' and a.state = 'done'`
	if got := p.one(done, van); len(got) != 1 {
		p.t.Errorf("%d acts ended the membership in %s, want one", len(got), van)
	}
}

// provision speaks SCIM with a real token.
func (p *programme) provision(method, path, body string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.base+scimAt+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/scim+json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res.StatusCode, string(text)
}
