package console_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// A script is a run as a test writes it down, in place of an engine and a model.
type script struct {
	s       *stage
	t       testing.TB
	c       casefile.Case
	id      string
	agent   string
	began   time.Time
	seq     int
	at      time.Time
	tainted bool
}

// newRun begins a run of a case, some time ago.
func (s *stage) newRun(t testing.TB, c casefile.Case, n int, agent string, ago time.Duration) *script {
	t.Helper()
	id := fmt.Sprintf("run_%026d", n)
	r := &script{s: s, t: t, c: c, id: id, agent: agent, began: time.Now().Add(-ago)}
	r.at = r.began
	talks := r.agent == "host"
	spec := fmt.Appendf(nil, `{"app":"general","budget":{"calls":40,"tokens":100000},"chat":%t,"name":%q,"route":"plain"}`, talks, r.agent)
	sum := sha256.Sum256(spec)
	s.set(t, `insert into gavel_sys.agent_spec (sha256, app, name, body, first_at) values ($1, 'general', $2, $3, now())
		on conflict do nothing`, sum[:], r.agent, spec)
	s.set(t, `insert into gavel.run (org, id, case_id, app, agent, name, spec, root, for_kind, for_id, state, seq, workflow_id,
		workflow_run, started_at, moved_at)
		values ($1, $2, $3, 'general', $4, 'work', $5, $2, 'person', 'asha', 'running', 0, $6, 'x', $7, $7)`,
		c.Org, id, c.ID, agent, sum[:], "general/"+string(c.Org)+"/"+c.Key, r.began)
	return r
}

// below makes it a run that another set to work.
func (r *script) below(parent, call string) *script {
	r.t.Helper()
	r.s.set(r.t, `update gavel.run set parent = $2, root = $2, parent_call = $3 where id = $1`, r.id, parent, call)
	return r
}

// write says how the run stands after its steps.
func (r *script) write(state, reason string) *script {
	r.t.Helper()
	r.s.set(r.t, `update gavel.run set state = $2, reason = $3, seq = $4, tainted = $5, calls = $6, tokens_in = $7, tokens_out = 900,
		cost = 4100000, currency = 'INR', moved_at = $8,
		ended_at = case when $2 in ('done', 'failed', 'out_of_budget') then $8::timestamptz end where id = $1`,
		r.id, state, reason, max(0, r.seq-1), r.tainted, r.seq, 800*r.seq, r.at)
	return r
}

// A wish is a call of a scripted step.
type wish struct{ tool, verdict, why, text string }

// step adds a step; the words are its piece of the transcript.
func (r *script) step(answer string, outcome map[string]any, wishes ...wish) *script {
	r.t.Helper()
	var calls, wanted, results []any
	for i, w := range wishes {
		call := fmt.Sprintf("%d.%d", r.seq, i+1)
		one := map[string]any{"call": call, "tool": w.tool, "verdict": w.verdict}
		if w.why != "" {
			one["why"] = w.why
		}
		if w.verdict == "ask" {
			one["gate"] = "approve"
		}
		calls = append(calls, one)
		wanted = append(wanted, map[string]any{"id": call, "name": w.tool, "args": `{"word":"` + w.text + `"}`})
		if w.verdict == "read" || w.verdict == "refused" {
			results = append(results, map[string]any{"call": call, "message": map[string]any{"role": "tool", "failed": w.why != "",
				"parts": []any{map[string]any{"text": w.text}}}})
		}
	}
	node := mustJSON(r.t, map[string]any{"run": r.id, "seq": r.seq, "answer": map[string]any{"role": "assistant",
		"parts": []any{map[string]any{"text": answer}}, "calls": wanted}, "results": results})
	sum := sha256.Sum256(node)
	r.s.set(r.t, `insert into gavel.node (org, sha256, sealed, body) values ($1, $2, false, $3)`, r.c.Org, sum[:], node)
	r.s.set(r.t, `insert into gavel.step (org, run_id, seq, kind, at, took_ms, model, head, calls, outcome, record)
		values ($1, $2, $3, 'turn', $4, 640, $5, $6, $7, $8, 'rec_x')`,
		r.c.Org, r.id, r.seq, r.at, `{"provider":"scripted","model":"scripted-1","route":"plain","usage":{"input":700,"output":112}}`,
		sum[:], mustJSON(r.t, calls), mustJSON(r.t, outcome))
	r.seq++
	r.at = r.at.Add(700 * time.Millisecond)
	return r
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// propose opens a proposal for a call of the run.
func (r *script) propose(call, tool string) string {
	r.t.Helper()
	args := []byte(`{"word":"a"}`)
	p := review.Proposal{Org: r.c.Org, Case: string(r.c.ID), Kind: "call", App: "general", Tool: tool, Effect: "outside", Key: r.id + "/" +
		call, Run: r.id, Call: call,
		Gate: review.ByAnother, Args: args, ArgsSHA256: act.Digest(args), Shown: args, ShownSHA256: act.Digest(args),
		RequestedBy: "agent:general/" + r.agent, Deciders: []identity.Role{identity.Officer, identity.ProgrammeManager},
		PolicyRecord: "rec_x", ExpiresAt: time.Now().Add(time.Hour * 50), CreatedAt: r.at}
	err := r.s.db.App.InOrg(r.t.Context(), r.c.Org, func(tx pgx.Tx) error {
		b := &pgx.Batch{}
		if err := review.ProposeLater(b, &p); err != nil {
			return err
		}
		return tx.SendBatch(r.t.Context(), b).Close()
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return p.ID
}

func (s *stage) decide(t testing.TB, proposal string) {
	t.Helper()
	args := []byte(`{"word":"a"}`)
	_, err := s.Reviews.Decide(t.Context(), person(postgrestest.North, identity.Officer), review.Decision{ID: "decision-" + proposal,
		Proposal: proposal, ShownSHA256: act.Digest(args), Verdict: review.Approve})
	if err != nil {
		t.Fatal(err)
	}
}

// sampleRuns is a case with a run of every kind of step, one below it, one that
// failed, and one that is done.
func (s *stage) sampleRuns(t testing.TB) (c casefile.Case, run string) {
	t.Helper()
	c = s.open(t, postgrestest.North, "runs", "Night shift check, van 14", 3*time.Hour)
	r := s.newRun(t, c, 1, "foreman", 26*time.Hour)
	r.tainted = true
	going := map[string]any{"h": "x"}
	r.step("I look at the pings first.", going, wish{"look", "read", "", "seen 40 pings"},
		wish{"mail", "read", "", "दो रातों का मार्ग बदला"})
	r.step("The clerk reads the roster.", going, wish{"clerk", "agent", "", "read the roster"})
	r.at = r.at.Add(5 * time.Second)
	r.step("A letter to the driver.", going, wish{"letter", "ask", "", "a"},
		wish{"look", "refused", "policy", "Policy does not let you do this."})
	first := r.propose("2.1", "letter")
	r.at = r.at.Add(14 * time.Hour)
	r.step("", going, wish{"unknown", "refused", "no_such_tool", "There is no tool."})
	r.step("A wire.", going, wish{"wire", "ask", "", "b"})
	r.propose("4.1", "wire")
	r.write("waiting_person", "")
	s.decide(t, first)
	sub := s.newRun(t, c, 2, "clerk", 26*time.Hour)
	sub.below(r.id, "1.1").step("The roster names two riders.", map[string]any{"h": "x", "s": "done"}).write("done", "")
	bad := s.newRun(t, c, 3, "clerk", 2*time.Hour)
	bad.step("", map[string]any{"h": "x", "s": "failed", "w": "The model refused to answer."}).
		write("failed", "The model refused to answer.")
	chat := s.newRun(t, c, 4, "host", time.Hour)
	chat.step("What shall I look at?", map[string]any{"h": "x", "s": "waiting_reply"}).write("waiting_reply", "")
	return c, r.id
}

// askAs is ask with another role.
func (s *stage) askAs(t testing.TB, role identity.Role, path string, form url.Values, headers ...string) reply {
	t.Helper()
	return s.ask(t, path, form, append(headers, "Cookie", "gavel_dev="+token(t, postgrestest.North, role))...)
}

func wantAll(t *testing.T, r reply, status int, want ...string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d", r.status, status)
	}
	for _, w := range want {
		if !strings.Contains(r.body, w) {
			t.Errorf("the page does not say %q", w)
		}
	}
}

func TestTheStoryOfARunIsOneSentencePerStep(t *testing.T) {
	s := newStage(t)
	c, run := s.sampleRuns(t)
	page := s.ask(t, "/runs/"+run, nil)
	wantAll(t, page, http.StatusOK,
		"The foreman asked the model (scripted-1, 812 tokens) and wanted wire: P-2 waits for an officer or a programme manager.",
		"and wanted letter: P-1 was approved, about to be done; look: refused, by policy.",
		"and wanted a tool that is not there: refused, there is none.",
		"and wanted clerk: the run it set to work is: Done.",
		"and wanted look: looked up; mail: looked up.",
		"Read outside text", "/cases/"+string(c.ID), `id="P-2"`, "6 of 40", "scripted scripted-1 (plain)", "idle times squeezed",
		"INR 8.20")
	if strings.Contains(page.body, "seen 40 pings") {
		t.Error("the page holds a payload that nobody asked for")
	}
	hindi := s.ask(t, "/runs/"+run+"?lang=hi", nil)
	wantAll(t, hindi, http.StatusOK,
		"foreman ने मॉडल से पूछा (scripted-1, 812 टोकन) और चाहा: wire: P-2 को प्रतीक्षा: अधिकारी या कार्यक्रम प्रबंधक।")
	wantAll(t, s.ask(t, "/runs/run_00000000000000000000000003", nil), http.StatusOK, "The run ended: The model refused to answer.")
	wantAll(t, s.ask(t, "/runs/run_00000000000000000000000009", nil), http.StatusNotFound)
	wantAll(t, s.ask(t, "/runs/"+run+"?before=x", nil), http.StatusUnprocessableEntity)
	wantAll(t, s.ask(t, "/runs/"+run+"?before=2", nil), http.StatusOK, "Newest steps", "step 1")
}

func TestWhatWasSaidIsOpenedOnAsking(t *testing.T) {
	s := newStage(t)
	_, run := s.sampleRuns(t)
	at := "/runs/" + run + "/steps/0"
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "<html", "I look at the pings first.", "seen 40 pings", "दो रातों का मार्ग बदला")
	part := s.ask(t, at, nil, "HX-Request", "true")
	wantAll(t, part, http.StatusOK, "seen 40 pings", `id="said-0"`)
	if strings.Contains(part.body, "<html") || part.header.Get("Gavel-Region") == "" {
		t.Error("a part of a page came as a page")
	}
	file := s.ask(t, at+"/file", nil)
	wantAll(t, file, http.StatusOK, `"seen 40 pings"`)
	if got := file.header.Get("Content-Disposition"); !strings.Contains(got, "attachment") {
		t.Errorf("the file comes as %q", got)
	}
	for _, path := range []string{at, at + "/file"} {
		if r := s.askAs(t, identity.Operator, path, nil); r.status != http.StatusForbidden || strings.Contains(r.body, "pings") {
			t.Errorf("an operator at %s: %d", path, r.status)
		}
	}
	wantAll(t, s.ask(t, "/runs/"+run+"/steps/99", nil), http.StatusNotFound)
	wantAll(t, s.ask(t, "/runs/"+run+"/steps/x", nil), http.StatusNotFound)
}

// TestAnotherPersonsConversationIsShownToWhoSaysWhy promises that nobody reads on a page what somebody else said to an agent, but an
// auditor with a reason, which is on record first.
func TestAnotherPersonsConversationIsShownToWhoSaysWhy(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "talk", "A conversation", 0)
	r := s.newRun(t, c, 7, "host", time.Hour)
	r.step("You asked for leave for Sana.", map[string]any{"h": "x", "s": "waiting_reply"}).write("waiting_reply", "")
	at := "/runs/" + r.id + "/steps/0"
	for _, path := range []string{at, at + "/file"} {
		for _, who := range []identity.Role{identity.Officer, identity.HR, identity.Operator} {
			if got := s.askAs(t, who, path, nil); got.status != http.StatusForbidden || strings.Contains(got.body, "Sana") {
				t.Errorf("%s at %s: %d", who, path, got.status)
			}
		}
	}
	first := s.askAs(t, identity.Auditor, at, nil)
	wantAll(t, first, http.StatusOK, "somebody else", at+"/show")
	none := s.askAs(t, identity.Auditor, at+"/show", url.Values{"reason": {" "}})
	wantAll(t, none, http.StatusUnprocessableEntity, "say why you need to see it")
	if strings.Contains(first.body+none.body, "Sana") {
		t.Error("the words are shown before a reason is given")
	}
	if got := s.askAs(t, identity.Officer, at+"/show", url.Values{"reason": {"x"}}); got.status != http.StatusForbidden {
		t.Errorf("an officer with a reason: %d", got.status)
	}
	wantAll(t, s.askAs(t, identity.Auditor, at+"/show", url.Values{"reason": {"Complaint 12"}}), http.StatusOK, "leave for Sana")
	if n := one[int](t, s.db, `select count(*) from gavel.run_disclosure`); n != 1 {
		t.Errorf("%d looks are on record, want 1", n)
	}
}

func TestALongTextIsCutAndSaysSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "long", "A long answer", 0)
	r := s.newRun(t, c, 1, "clerk", time.Hour)
	r.step(strings.Repeat("ख", 5<<20/3), map[string]any{"h": "x", "s": "done"}).write("done", "")
	page := s.ask(t, "/runs/"+r.id+"/steps/0", nil)
	wantAll(t, page, http.StatusOK, "The first 65,536 of 52,42,878 bytes are shown.")
	if len(page.body) > 200<<10 {
		t.Errorf("a page of %d bytes", len(page.body))
	}
}

func TestTheListOfRunsSaysWhatNeedsAPerson(t *testing.T) {
	s := newStage(t)
	c, run := s.sampleRuns(t)
	list := s.ask(t, "/runs", nil)
	wantAll(t, list, http.StatusOK, run, "P-2 waits for an officer or a programme manager", "Night shift check, van 14",
		"The model refused to answer.", "INR 4.10", c.Ref)
	if strings.Contains(list.body, "run_00000000000000000000000002") {
		t.Error("a run that another set to work is listed at the top")
	}
	trouble := s.ask(t, "/runs?state=trouble", nil)
	wantAll(t, trouble, http.StatusOK, "run_00000000000000000000000003")
	if strings.Contains(trouble.body, run) {
		t.Error("a run that waits is listed as in trouble")
	}
	operator := s.askAs(t, identity.Operator, "/runs", nil)
	wantAll(t, operator, http.StatusOK, run)
	if strings.Contains(operator.body, "Night shift check") {
		t.Error("an operator reads a case's title, which may name people")
	}
	wantAll(t, s.askAs(t, identity.Gate, "/runs", nil), http.StatusForbidden)
	wantAll(t, s.ask(t, "/runs?state=asleep", nil), http.StatusUnprocessableEntity)
	wantAll(t, s.ask(t, "/runs?case="+c.Ref, nil), http.StatusOK, run, "Of case "+c.Ref)
	wantAll(t, s.ask(t, "/cases/"+string(c.ID), nil), http.StatusOK, "/runs?case="+string(c.ID))
	wantAll(t, s.ask(t, "/runs/rows", nil, "Gavel-Region", "1"), http.StatusOK, run)
}

func TestSeveralOrdersEachHaveAResult(t *testing.T) {
	s := newStage(t)
	_, run := s.sampleRuns(t)
	const bad, gone = "run_00000000000000000000000003", "run_00000000000000000000000009"
	page := s.ask(t, "/runs/orders", url.Values{"do": {"retry"}, "run": {run, bad, gone}})
	wantAll(t, page, http.StatusOK, "1 of 3 were taken up", "has not failed; nothing was done", "there is no run "+gone,
		"Will be tried again")
	wantAll(t, s.ask(t, "/runs/orders", url.Values{"do": {"cancel"}, "run": {run}}), http.StatusOK, "1 of 1")
	wantAll(t, s.ask(t, "/runs/orders", url.Values{"do": {"cancel"}}), http.StatusOK, "No run was picked")
	if trouble := s.ask(t, "/runs?state=trouble", nil); strings.Contains(trouble.body, run) {
		t.Error("a run that was given up still needs somebody")
	}
	wantAll(t, s.ask(t, "/runs/orders", url.Values{"do": {"stop"}, "run": {run}}), http.StatusUnprocessableEntity)
	refused := s.askAs(t, identity.Analyst, "/runs/orders", url.Values{"do": {"cancel"}, "run": {bad}})
	wantAll(t, refused, http.StatusForbidden, "You don&#39;t have access to this.")
}

func TestAnOrderAnswersOnTheRunsPage(t *testing.T) {
	s := newStage(t)
	_, run := s.sampleRuns(t)
	at := "/runs/" + run
	sent := s.ask(t, at+"/orders", url.Values{"do": {"stop"}})
	if sent.status != http.StatusSeeOther || sent.header.Get("Location") != at+"?done=stop" {
		t.Fatalf("%d to %s", sent.status, sent.header.Get("Location"))
	}
	wantAll(t, s.ask(t, at+"?done=stop", nil), http.StatusOK, "A stop was ordered", "It takes effect before the next step",
		`value="resume"`)
	wantAll(t, s.ask(t, at+"/orders", url.Values{"do": {"stop"}}), http.StatusConflict, "The order was not taken",
		"is being stopped already")
	wantAll(t, s.askAs(t, identity.Auditor, at+"/orders", url.Values{"do": {"resume"}}), http.StatusForbidden)
	const chat = "/runs/run_00000000000000000000000004"
	said := url.Values{"do": {"say"}, "text": {"Look at the roster."}}
	if page := s.ask(t, chat, nil); strings.Contains(page.body, "Write to the agent") {
		t.Error("the page offers to write into somebody else's conversation")
	}
	wantAll(t, s.ask(t, chat+"/orders", said), http.StatusForbidden, "somebody else&#39;s conversation")
	s.set(t, `update gavel.run set for_id = 'dev:officer@north' where id = 'run_00000000000000000000000004'`)
	wantAll(t, s.ask(t, chat, nil), http.StatusOK, "Write to the agent")
	if said := s.ask(t, chat+"/orders", url.Values{"do": {"say"}, "once": {"m"},
		"text": {"Look at the roster."}}); said.status != http.StatusSeeOther {
		t.Errorf("saying: %d", said.status)
	}
	wantAll(t, s.ask(t, chat+"/orders", url.Values{"do": {"say"}, "text": {" "}}), http.StatusUnprocessableEntity,
		"there is nothing to say")
}
