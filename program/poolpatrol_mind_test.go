package program

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// mindful is a setting that gives Pool Patrol's agents a scripted model. Whatever
// comes of it says nothing about how well a real one would read.
func mindful(t *testing.T, reply func(scripted.Seen) (scripted.Answer, bool)) string {
	t.Helper()
	mind, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		if words := said(s) + s.System; strings.Contains(words, "Made-up") || strings.Contains(words, "@riders.example.org") {
			t.Errorf("a model was told who somebody is: %.2000s", words)
		}
		return reply(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mind)
	t.Cleanup(server.Close)
	routes := filepath.Join(t.TempDir(), "models.yaml")
	text := fmt.Appendf(nil, "small: {provider: scripted, base_url: '%[1]s/v1'}\nlarge: {provider: scripted, base_url: '%[1]s/v1'}\n",
		server.URL)
	if err := os.WriteFile(routes, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return "GAVEL_MODELS=" + routes
}

// said are all words of a conversation so far.
func said(s scripted.Seen) string {
	var b strings.Builder
	for _, m := range s.Messages {
		b.WriteString(m.Text + "\n")
	}
	return b.String()
}

// isAgent reports whether one of ours asks.
func isAgent(s scripted.Seen, name string) bool { return strings.HasSuffix(s.Agent, name) }

// anHonestMind reads replies by a word in them, and explains audits by what it was
// told.
func anHonestMind(s scripted.Seen) (scripted.Answer, bool) {
	words := said(s)
	switch {
	case isAgent(s, "classify_reply"):
		for word, bucket := range map[string]string{"All good": "acknowledgment", "Why": "question", "changed": "update",
			"outrage": "escalation"} {
			if strings.Contains(words, word) {
				return scripted.Answer{JSON: map[string]any{"buckets": []string{bucket}, "sub_label": "", "confidence": 0.95}}, true
			}
		}
		return scripted.Answer{JSON: map[string]any{"buckets": []string{"acknowledgment"}, "sub_label": "", "confidence": 0.2}}, true
	case isAgent(s, "outreach"):
		return scripted.Answer{JSON: map[string]any{"body": "We are sorry that our letter upset you. A person is reading what you wrote."}},
			true
	case isAgent(s, "case_manager"):
		if s.Turn > 1 {
			return scripted.Answer{JSON: map[string]any{"outcome": "pending", "reasoning": "One rider's hours do not fit the van."}}, true
		}
		var calls []scripted.Call
		for _, name := range []string{"run_shift_specialist", "run_location_specialist"} {
			if strings.Contains(words, "Set "+name+" to work") {
				calls = append(calls, scripted.Call{Name: name, Args: map[string]any{"task": "Explain it."}})
			}
		}
		return scripted.Answer{Calls: calls}, true
	case isAgent(s, "specialist"):
		report := computed(words)
		if s.Turn == 1 {
			return scripted.Answer{Calls: []scripted.Call{{Name: "get_employee_shifts",
				Args: map[string]any{"employee_ids": []string{failing(report)}}}}}, true
		}
		report.Reasoning = "The hours of " + failing(report) + " do not overlap those of the van."
		return scripted.Answer{JSON: report}, true
	}
	return scripted.Answer{}, false
}

// computed is the report that a specialist was told of.
func computed(words string) (r check.Report) {
	_, text, _ := strings.Cut(words, "as it was computed:\n")
	text, _, _ = strings.Cut(text, "\n")
	_ = json.Unmarshal([]byte(text), &r)
	return r
}

// failing is the first rider whose hours do not fit.
func failing(r check.Report) string {
	for _, e := range r.Evidence {
		if e.Type == "shift_mismatch" {
			return e.Data.Text("employee_id")
		}
	}
	return ""
}

// TestRepliesAreSortedByAModelAndFollowedByCode lives through five cases whose
// replies are read by a (scripted) model: what each bucket leads to is done by code
// and templates, and what is not sure, or of law and health, is read by a person.
func TestRepliesAreSortedByAModelAndFollowedByCode(t *testing.T) {
	p := newProgramme(t, 6, mindful(t, anHonestMind))
	p.audit()
	var lives sync.WaitGroup
	for _, live := range []func(*programme){acknowledges, updates, asksWhy, threatens, isOutraged} {
		lives.Go(func() { live(p) })
	}
	lives.Wait()
	if t.Failed() {
		return
	}
	for _, want := range []string{"acknowledgment agreed", "escalation legal_words", "escalation agreed", "question agreed",
		"update agreed"} {
		if got := p.one(`select bucket || ' ' || why from poolpatrol.reading where run_id <> ''`); !slices.Contains(got, want) {
			t.Errorf("no reply was read as %s: %v", want, got)
		}
	}
	if got := p.one(`select overrides::text from poolpatrol.heeding where overrides <> '[]'`); len(got) > 0 {
		t.Errorf("a model that says what it was told is overridden: %v", got)
	}
	// A case that ended before its agents were asked has none.
	p.until("cases have a reasoning in the specialist's words", func() bool {
		return len(p.one(`select distinct case_id from gavel.case_entry where kind = 'pool_reasoned'
			and body like '%do not overlap those of the van%'`)) >= 4
	})
	p.asked()
	if *record {
		p.recordOne("VP-102", "vp-read-by-a-model")
	}
}

// acknowledges: the record was mended before they say that all is good.
func acknowledges(p *programme) {
	const rider = "rider15@riders.example.org"
	p.comes("VP-101", "pending_reply")
	p.sql(`update poolpatrol.assignment set shift_id = 'SHIFT_DAY' where employee_id = 'EMP-1105'`)
	p.byMailbox(p.reply(rider, "All good here, thanks. Rider15 Made-up"))
	p.comes("VP-101", "resolved data_fixed")
	p.until("the closing mail", func() bool { return len(p.mails(rider)) == 3 })
}

// updates: the record follows what they say, and the van is looked at again.
func updates(p *programme) {
	const rider = "rider25@riders.example.org"
	p.comes("VP-102", "pending_reply")
	p.byWebhook(p.reply(rider, "My shift has changed, it is the day shift now."))
	p.until("the way to the portal", func() bool { return len(p.mails(rider)) == 2 })
	p.sql(`update poolpatrol.assignment set shift_id = 'SHIFT_DAY' where employee_id = 'EMP-1205'`)
	p.comes("VP-102", "resolved data_fixed")
}

// asksWhy: the answer is a template's, and silence counts from it.
func asksWhy(p *programme) {
	const rider = "rider45@riders.example.org"
	p.comes("VP-104", "pending_reply")
	p.byWebhook(p.reply(rider, "Why do you write to me?"))
	p.until("the answer", func() bool { return len(p.mails(rider)) == 2 })
	if got := p.mails(rider)[1].Raw; !strings.Contains(got, "Thank you for your question") {
		p.t.Errorf("the answer is not the template's:\n%s", got)
	}
	p.cancels("VP-104")
}

// threatens: a model says that it is a confirmation, and a person reads it all the
// same, from an empty page.
func threatens(p *programme) {
	p.comes("VP-105", "pending_reply")
	p.byWebhook(p.reply("rider55@riders.example.org", "All good, and you will hear from my lawyer."))
	p.comes("VP-105", "hitl_review escalation")
	id := p.proposal("VP-105", "send_email_for_review")
	if got := p.one(`select args from gavel.proposal where id = $1`, id)[0]; strings.Contains(got, "upset you") {
		p.t.Errorf("a model drafted an answer to a threat of law: %s", got)
	}
}

// isOutraged: a model drafts, a person approves, and that is sent.
func isOutraged(p *programme) {
	const rider = "rider65@riders.example.org"
	p.comes("VP-106", "pending_reply")
	p.byWebhook(p.reply(rider, "This is an outrage."))
	p.comes("VP-106", "hitl_review escalation")
	p.decide(p.proposal("VP-106", "send_email_for_review"), "approve", "")
	p.until("the answer", func() bool { return len(p.mails(rider)) == 2 })
	if got := p.mails(rider)[1].Raw; !strings.Contains(strings.ReplaceAll(got, "=\r\n", ""), "sorry that our letter upset you") {
		p.t.Errorf("what was approved is not what was sent:\n%s", got)
	}
}

// asked: why a case was opened is answered from its facts.
func (p *programme) asked() {
	p.t.Helper()
	id := p.one(`select id from poolpatrol.case where vanpool_id = 'VP-105'`)[0]
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.base+"/cases/"+id+"/questions",
		strings.NewReader("question=Why+was+this+case+opened%3F"))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	_, said, _ := strings.Cut(string(answer), `id="ask"`)
	// where nobody is asked just then
	why := strings.Contains(said, "(EMP-1505) works ") || strings.Contains(said, "Hours that do not fit, EMP-1505")
	if err != nil || res.StatusCode != http.StatusOK || !why {
		p.t.Errorf("why? %d, %v: %.6000s", res.StatusCode, err, said)
	}
	if got := p.one(`select count(*)::text from gavel.fact where case_id = $1`, id); got[0] == "0" {
		p.t.Error("the case has no facts")
	}
}
