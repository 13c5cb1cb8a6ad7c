package reportagent_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// decides answers a proposal with yes.
func (r rig) decides(t *testing.T, who identity.Actor, id, proposal, behalf string) error {
	t.Helper()
	p, err := r.Deps.Reviews.Get(t.Context(), who, proposal)
	if err != nil {
		return err
	}
	_, err = r.Deps.Reviews.Decide(t.Context(), who, review.Decision{ID: id, Proposal: p.ID, Verdict: review.Approve,
		ShownSHA256: p.ShownSHA256, Reason: "It holds.", For: behalf})
	return err
}

// TestNobodySignsWordsTheyHadAPartIn promises: who wrote in a section, in whatever version, who had it drafted, and who asks cannot sign
// it; neither can an agent with their leave, nor who decides on their behalf.
func TestNobodySignsWordsTheyHadAPartIn(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	made := r.bring(t, smallOutline, small())
	r.drafted(t, made.ID, map[string]any{}) // asha had it drafted
	at := rest.Base + "/" + made.ID + "/sections/transport"
	for _, who := range []string{"editor", "asker"} { // devi wrote in it, and kiran after her
		now := r.section(t, made.ID, "transport")
		words := now.Text + "\n\nRead by " + who + "."
		r.ask(t, who, http.MethodPut, at, map[string]any{"was": now.Hash, "text": words}, new(rest.ReportSectionBody))
	}
	var asked rest.AskedBody
	r.ask(t, "asker", http.MethodPost, at+"/sign-off", nil, &asked)
	both := []identity.Role{identity.Analyst, identity.Officer}
	person := func(id string) identity.Actor { return platformtest.Person(id, postgrestest.North, both...) }
	p, err := r.Deps.Reviews.Get(t.Context(), person("omar"), asked.Proposal)
	if want := []string{"asha", "devi", "kiran"}; err != nil || !slices.Equal(slices.Sorted(slices.Values(p.Makers)), want) {
		t.Fatalf("made by %v, want %v; %v", p.Makers, want, err)
	}
	agent := person("devi")
	agent.Way, agent.Scopes = identity.ByAgent, []string{identity.LeaveScope + asked.Proposal}
	for name, who := range map[string]identity.Actor{"who had it drafted": person("asha"), "who wrote before": person("devi"),
		"who wrote last and asked": person("kiran"), "an agent for who wrote": agent} {
		if err := r.decides(t, who, "decision-"+who.ID, asked.Proposal, ""); !fault.Is(err, fault.Refused) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := r.decides(t, person("omar"), "decision-for", asked.Proposal, "devi"); !fault.Is(err, fault.Refused) {
		t.Errorf("on behalf of who wrote: got %v", err)
	}
	if err := r.decides(t, person("omar"), "decision-omar", asked.Proposal, ""); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the section is signed", func() bool { return r.Number(t, `select count(*)::int from reportagent.signoff`) == 1 })
}

// TestTheToolSignsNothingForWhoWrote promises that the signature is refused where it is carried out, too: a part in the words that nobody
// knew of when people were asked.
func TestTheToolSignsNothingForWhoWrote(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	made := r.bring(t, smallOutline, small())
	r.drafted(t, made.ID, map[string]any{})
	var asked rest.AskedBody
	r.ask(t, "analyst", http.MethodPost, rest.Base+"/"+made.ID+"/sections/transport/sign-off", nil, &asked)
	r.Set(t, `update reportagent.version set asked_by = 'omar' where section = 'transport'`)
	omar := platformtest.Person("omar", postgrestest.North, identity.Officer)
	if err := r.decides(t, omar, "decision-omar", asked.Proposal, ""); err != nil {
		t.Fatal(err)
	}
	wait.Until(t, "the act has failed", func() bool {
		return r.Number(t, `select count(*)::int from gavel.act where proposal = $1 and state = 'failed'`, asked.Proposal) == 1
	})
	if n := r.Number(t, `select count(*)::int from reportagent.signoff`); n != 0 {
		t.Errorf("%d signatures by who had a part in the words", n)
	}
}

// TestAQuestionIsFoundAmongHundreds promises that a section which waits for a signature says so, however often people were asked about
// another one of its report since.
func TestAQuestionIsFoundAmongHundreds(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	made := r.bring(t, smallOutline, small())
	r.drafted(t, made.ID, map[string]any{})
	var first, second rest.AskedBody
	at := rest.Base + "/" + made.ID + "/sections/"
	r.ask(t, "analyst", http.MethodPost, at+"transport/sign-off", nil, &first)
	r.ask(t, "analyst", http.MethodPost, at+"energy/sign-off", nil, &second)
	columns := r.Texts(t, `select string_agg(attname, ', ') from pg_attribute
		where attrelid = 'gavel.proposal'::regclass and attnum > 0 and attgenerated = '' and not attisdropped`)[0]
	r.Set(t, `insert into gavel.proposal (`+columns+`) select `+columns+` from (select (jsonb_populate_record(p, jsonb_build_object(
		'id', 'P-' || (9000 + i), 'n', 9000 + i, 'key', p.key || '-' || i))).*
		from gavel.proposal p, generate_series(1, 250) i where p.id = $1) c`,
		second.Proposal)
	page := "/reportagent/reports/" + made.ID
	r.Get(t, identity.Officer, page+"/sections/transport").Holds(t, 200, "Waiting for a signature", "/proposals/"+first.Proposal)
	r.Get(t, identity.Officer, page+"?state=asked").Holds(t, 200, "Transport", "Energy")
}
