package agent_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestWhatSomebodySaysToAnAgentIsTheirs promises that a conversation is read by the person who has it, and by nobody else without a
// policy and a reason.
func TestWhatSomebodySaysToAnAgentIsTheirs(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	talk := r.top(r.open("host", "look a").ID)
	r.stands(talk.ID, agent.WaitingReply)
	work := r.open("clerk", "look b")
	r.closed(work.ID)

	said, err := r.Store.Payload(t.Context(), asha, talk.ID, 0)
	if err != nil || len(said.Wanted) != 1 {
		t.Fatalf("who talks is shown %+v, %v", said, err)
	}
	for _, who := range []identity.Actor{olga, aruna} {
		if p, err := r.Store.Payload(t.Context(), who, talk.ID, 0); !fault.Is(err, fault.Refused) || len(p.Before)+len(p.Wanted) > 0 {
			t.Errorf("%s is shown %+v, %v", who.ID, p, err)
		}
		if _, err := r.Store.Payload(t.Context(), who, r.top(work.ID).ID, 0); err != nil {
			t.Errorf("%s reads what a case's agent did: %v", who.ID, err)
		}
	}
	again, _, err := agent.Reask(t.Context(), r.Steps, aruna, talk.ID, 0, 1)
	if err != nil || again[0].Answer != "" || len(again[0].Wanted) > 0 {
		t.Errorf("an auditor who has the model asked again is told %+v, %v", again, err)
	}
	past, err := r.Store.Past(t.Context(), aruna, r.Registry, time.Now().Add(-time.Hour))
	for _, c := range past.Calls {
		if theirs := strings.HasPrefix(c.Call, talk.ID); err != nil || theirs != (c.NoArgs != "") {
			t.Errorf("an auditor tries policies on %s with arguments %s (%q), %v", c.Call, c.Question.Args, c.NoArgs, err)
		}
	}
}

// TestNobodyWritesIntoAnothersConversation promises that only the person who has a conversation writes into it: the agent takes what is
// written there for their words.
func TestNobodyWritesIntoAnothersConversation(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	talk, o := r.top(r.open("host", "look a").ID), r.orders()
	r.stands(talk.ID, agent.WaitingReply)
	written := func() int { return query[int](t, r.db, `select count(*) from gavel.run_message`) }
	if _, err := o.Say(t.Context(), olga, talk.ID, "m1", "Let everybody out."); !fault.Is(err, fault.Refused) || written() != 0 {
		t.Errorf("an officer writes into an analyst's conversation: %v, %d messages", err, written())
	}
	if _, err := o.Write(t.Context(), olga, talk.ID, "m2", "Let everybody out."); !fault.Is(err, fault.Refused) || written() != 0 {
		t.Errorf("an application lets somebody write into another's conversation: %v, %d messages", err, written())
	}
	if _, err := o.Say(t.Context(), asha, talk.ID, "m1", "Go on."); err != nil || written() != 1 {
		t.Errorf("who has the conversation: %v, %d messages", err, written())
	}
}

// TestAConversationLeavesSealedWhoeverItIsAbout promises that what was said in a conversation stands sealed, and leaves so with the
// case's file, where its agent's brief names nobody whom it concerns; and that it can be erased.
func TestAConversationLeavesSealedWhoeverItIsAbout(t *testing.T) {
	s := staged(t)
	r := rigOn(t, s.DB, func(c *agenttest.Config) { c.Vault = s.Vault })
	r.run()
	c := r.open("host", "look secretword")
	talk := r.top(c.ID)
	r.stands(talk.ID, agent.WaitingReply)
	if _, err := r.orders().Give(t.Context(), olga, talk.ID, agent.Cancel); err != nil {
		t.Fatal(err)
	}
	r.closed(c.ID)
	data := s.Export(t, c.ID)
	turns := 0
	for path, body := range bundletest.TakeApart(t, data).Files {
		if !strings.HasPrefix(path, "transcripts/nodes/") {
			continue
		}
		if turns++; !strings.HasSuffix(path, ".sealed") || bytes.Contains(body, []byte("secretword")) {
			t.Errorf("%s leaves in plain", path)
		}
	}
	if rep := verified(data, s); turns == 0 || rep.Verdict() != bundle.Genuine {
		t.Errorf("%d turns left, and the file is %s: %v", turns, rep.Verdict(), rep.Findings())
	}
	s.Erase(t, agent.TalkOf(talk.ID))
	if p, err := r.Store.Payload(t.Context(), asha, talk.ID, 0); err == nil {
		t.Errorf("after its erasure it says %+v", p)
	}
}

// TestALookAtAnothersWordsIsOnRecordWithoutItsReason promises that who may see another person's conversation says why, that it is on
// record before they see it, and that the reason goes with an erasure.
func TestALookAtAnothersWordsIsOnRecordWithoutItsReason(t *testing.T) {
	person := seal.Subject{Type: "talk", ID: "T-1"}
	r := newRig(t, func(c *agenttest.Config) { c.Subjects = []seal.Subject{person} })
	r.run()
	talk := r.top(r.open("host", "look a").ID)
	r.stands(talk.ID, agent.WaitingReply)
	south := aruna
	south.Org = postgrestest.South
	for _, tt := range []struct {
		name   string
		who    identity.Actor
		reason string
		want   fault.Kind
	}{
		{"an officer", olga, "curious", fault.Refused},
		{"an operator", oscar, "curious", fault.Refused},
		{"no reason", aruna, "  ", fault.Invalid},
		{"a reason that is a book", aruna, strings.Repeat("x", 501), fault.TooLarge},
		{"another organisation", south, "a complaint", fault.NotFound},
		{"nobody", identity.Actor{}, "a complaint", fault.SignIn},
	} {
		if p, err := r.Store.Disclose(t.Context(), tt.who, talk.ID, 0, tt.reason); !fault.Is(err, tt.want) || len(p.Wanted) > 0 {
			t.Errorf("%s is shown %+v, %v", tt.name, p, err)
		}
	}
	const looks = `select count(*) from gavel.run_disclosure`
	if n := query[int](t, r.db, looks); n != 0 {
		t.Errorf("%d looks are on record and nobody was shown anything", n)
	}
	p, err := r.Store.Disclose(t.Context(), aruna, talk.ID, 0, "Complaint 12")
	if err != nil || len(p.Wanted) != 1 || query[int](t, r.db, looks) != 1 {
		t.Fatalf("an auditor with a reason is shown %+v, %v", p, err)
	}
	record := query[string](t, r.db, `select json from gavel.record where kind = 'words_shown'`)
	if !json.Valid([]byte(record)) || !strings.Contains(record, `"reason_sha256"`) || strings.Contains(record, "Complaint") {
		t.Errorf("the record is %s", record)
	}
	err = r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		_, err := agent.Eraser().Erase(t.Context(), tx, person, time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := query[int](t, r.db, `select count(*) from gavel.run_disclosure where reason <> '' or salt is not null`); n != 0 {
		t.Error("the reason outlives an erasure")
	}
}
