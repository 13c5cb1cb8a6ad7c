package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

func TestAQuestionIsAnsweredOnTheCaseWithoutScript(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 2)
	s.onSide(t, id, evidence.Against, "The driver's reply")
	at := "/cases/" + string(id)
	wantAll(t, s.ask(t, at, nil), http.StatusOK, `id="ask"`, "Ask about this case", "from the facts, no model")
	sent := s.ask(t, at+"/questions", url.Values{"question": {"Why was it flagged?"}})
	if sent.status != http.StatusSeeOther || !strings.HasSuffix(sent.header.Get("Location"), "#ask") {
		t.Fatalf("got %d to %q, want the case's page", sent.status, sent.header.Get("Location"))
	}
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "Why was it flagged?", " for, 1 against, 0 unknown", "The driver&#39;s reply", `#E`,
		`class="fact`)
	wantAll(t, s.ask(t, at+"/questions", url.Values{"question": {" "}}), http.StatusUnprocessableEntity, "type a question",
		`id="ask-error"`)
	wantAll(t, s.ask(t, at+"?lang=hi", nil), http.StatusOK, "पक्ष में, 1 विरुद्ध")
	if got := s.askAs(t, identity.OrgAdmin, at+"/questions", url.Values{"question": {"Why?"}}); got.status != http.StatusForbidden {
		t.Errorf("got %d for who may not ask, want 403", got.status)
	}
}

func TestAnAnswerIsStreamedAsItComes(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 1)
	got := s.ask(t, "/cases/"+string(id)+"/questions", url.Values{"question": {"How does it stand, and who decides?"}}, "Accept",
		"text/event-stream")
	if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("got %d %q, want a stream", got.status, got.header.Get("Content-Type"))
	}
	var types []string
	for _, line := range strings.Split(got.body, "\n\n") {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatal(err)
		}
		types = append(types, e.Type)
	}
	for _, want := range []string{"RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_RESULT", "TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT",
		"TEXT_MESSAGE_END", "RUN_FINISHED"} {
		if !slices.Contains(types, want) {
			t.Errorf("got the events %v, want %s among them", types, want)
		}
	}
	if types[0] != "RUN_STARTED" || types[len(types)-1] != "RUN_FINISHED" {
		t.Errorf("got %v, want a run that begins and ends", types)
	}
	refused := s.ask(t, "/cases/"+string(id)+"/questions", url.Values{"question": {""}}, "Accept", "text/event-stream")
	if refused.status != http.StatusUnprocessableEntity {
		t.Errorf("got %d for an empty question, want 422", refused.status)
	}
}
