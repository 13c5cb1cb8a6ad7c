package netra_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/devstack/wait"
)

// TestNoCaseNoBundleAndNoPromptHoldsPersonalData promises, with the engine and a model, that personal data in questions, in what
// districts and officers give as their reasons, and in signals, is afterwards in no prompt, in no bundle of any case, in no row of the
// database and in no line of the log.
func TestNoCaseNoBundleAndNoPromptHoldsPersonalData(t *testing.T) {
	r := newRig(t, func(task string) []string {
		m := scoreToken.FindStringSubmatch(task)
		if m == nil {
			return []string{"The score stands."}
		}
		return []string{"The score stands at " + m[1] + "."}
	})
	texts, needles := netratest.Planted(t, 43, 1)
	var lines strings.Builder
	for i, x := range texts {
		text, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		const line = `{"event_id":"p%d","source":"desk","event_type":"riot","timestamp":"2026-01-01T00:00:00Z","district_lgd":272,` +
			`"event_summary":%s}` + "\n"
		fmt.Fprintf(&lines, line, i, text)
	}
	r.Want(t, http.StatusCreated, "analyst", http.MethodPost, rest.IngestsAddress, rest.BringBody{Format: "ndjson", Lines: lines.String()})
	for i, x := range texts {
		r.Want(t, http.StatusUnprocessableEntity, "analyst", http.MethodPost, rest.CorrectionsAddress,
			rest.CorrectionAskBody{LGD: 272, EventID: "e1", Kind: "wrong", Reason: x})
		r.Want(t, http.StatusCreated, []string{"officer", "analyst"}[i%2], http.MethodPost, rest.BriefingsAddress,
			rest.BriefingAskBody{LGD: 272, Question: x})
	}
	c := r.file(t, http.StatusCreated, rest.CorrectionAskBody{LGD: 272, EventID: "e1", Kind: "wrong", Reason: "The market was open."})
	for _, x := range texts {
		if err := r.decide(t, c, "nisha", "refuse", x); err == nil {
			t.Errorf("an officer's reason was written down: %.60q", x)
		}
	}
	if err := r.decide(t, c, "nisha", "refuse", "Two desks saw it."); err != nil {
		t.Fatal(err)
	}
	r.ended(t, c)
	wait.Until(t, "all briefings are worded", func() bool {
		return r.Number(t, `select count(*) from netra.briefing where state = 'worded'`) == len(texts)
	})
	cases := r.Texts(t, `select id from gavel.case order by id`)
	if len(cases) != len(texts)+1 {
		t.Errorf("%d cases, want one for each of %d questions and one", len(cases), len(texts))
	}
	var bundles strings.Builder
	for _, files := range r.Bundles(t, cases...) {
		for _, body := range files {
			bundles.Write(body)
		}
	}
	if !strings.Contains(bundles.String(), "The score stands at") || !strings.Contains(r.mind.heard(), "[mobile]") {
		t.Error("the bundles hold no run of an agent, or no prompt a question")
	}
	looked := map[string]string{"prompts": r.mind.heard(), "bundles": bundles.String(),
		"the database": netratest.Everything(t, r.DB.AdminURL), "the log": r.log.String()}
	found := 0
	for _, needle := range needles {
		for where, text := range looked {
			if strings.Contains(text, needle) {
				found++
				t.Errorf("%q is in %s", needle, where)
			}
		}
	}
	fmt.Printf("pii=%d of %d pieces of personal data in questions, reasons and signals are in %d bytes of prompts, %d of %d bundles, "+
		"%d of database and %d of log\n", found, len(needles), len(looked["prompts"]), bundles.Len(), len(cases),
		len(looked["the database"]), len(looked["the log"]))
}
