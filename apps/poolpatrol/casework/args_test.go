package casework

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// spoken are the messages in English; the catalogue sees to it that Hindi has the same.
func spoken(t *testing.T) map[string]string {
	t.Helper()
	raw, err := os.ReadFile("../page/messages/en.json")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestEveryArgumentHasAWord promises that whoever decides reads words: for each tool
// that asks a person, for each of its arguments and for each value that can be picked, and for
// each thing that managers set.
// A word that nothing asks for any more is found, too.
func TestEveryArgumentHasAWord(t *testing.T) {
	want := map[string]bool{}
	a := &Work{}
	for _, one := range append(a.Tools(), TermsTool((&store.Store{}).TermsKind())) {
		for _, kind := range []string{"tool.", "line.", "asked."} {
			want[kind+one.Name] = true
		}
		var schema struct {
			Properties map[string]struct {
				Enum     []string
				ReadOnly bool
			}
		}
		if err := json.Unmarshal(one.Spec().Schema, &schema); err != nil || len(schema.Properties) == 0 {
			t.Fatalf("the arguments of %s: %v", one.Name, err)
		}
		for name, p := range schema.Properties {
			want["field."+one.Name+"."+name] = true
			if kept := slices.Contains([]string{"asked", "replies", "why", "failed_checks", "vanpool_id", "again", "said"}, name) ||
				name == "employee_id" && one.Name != toolSettle; kept && !p.ReadOnly {
				t.Errorf("%s.%s can be edited, and is the case's to say", one.Name, name)
			}
			for _, v := range p.Enum {
				want["value."+one.Name+"."+name+"."+v] = true
				if !p.ReadOnly { // what a person picks is what the button says
					want["do."+one.Name+"."+name+"."+v] = true
				}
			}
		}
	}
	office := (&store.Store{}).OfficeKind()
	var members struct{ Properties map[string]any }
	if err := json.Unmarshal(office.Schema(), &members); err != nil || len(members.Properties) != 8 {
		t.Fatalf("the set-up has %d members, %v", len(members.Properties), err)
	}
	want["setting.poolpatrol.office"], want["setting.poolpatrol.terms"] = true, true
	for name := range members.Properties {
		want["field."+amend.ToolName(office)+"."+name] = true
	}
	set, err := setting.SchemaOf[terms.Terms]()
	if err != nil {
		t.Fatal(err)
	}
	for name, p := range set.Properties {
		want["field.set_terms."+name] = true
		for _, v := range p.Enum {
			want[fmt.Sprint("value.set_terms.", name, ".", v)] = true
		}
	}
	for _, name := range []string{"where", "name", "was", "now"} { // of the rows of what changes and what follows
		want["field.set_terms."+name] = true
	}
	for _, e := range store.Effects() {
		want["effect.set_terms."+e] = true
	}
	for _, s := range audit.Specialists(audit.Standard(), &fleet.Book{}, audit.Inputs{Badges: &badge.Feed{}, Permits: parking.Feed{}}) {
		want["value.failed_checks."+string(s.Name)] = true
		want["subject.vanpool_check.check."+string(s.Name)] = true
	}
	said := spoken(t)
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if said[key] == "" {
			t.Errorf("there is no word for %s", key)
		}
	}
	for key := range said {
		for _, begins := range []string{"field.", "do.", "line.", "asked.", "tool.", "value.settle_case.", "value.set_terms.",
			"effect.", "value.failed_checks.",
			"subject.vanpool_check.check."} {
			if strings.HasPrefix(key, begins) && !want[key] {
				t.Errorf("nothing asks for %s", key)
			}
		}
	}
}

// TestNoEditTurnsACardIntoAnother promises that what people approve is about whom the
// card says: by whatever way an edit comes, it changes the words of an answer and what
// becomes of a case, and never the rider, the van or what they failed.
func TestNoEditTurnsACardIntoAnother(t *testing.T) {
	registry, err := tool.NewRegistry((&Work{}).Tools()...)
	if err != nil {
		t.Fatal(err)
	}
	cancel := cancelArgs{Vanpool: "VP-101", Employee: "EMP-1001", Because: checksFailed{"shift"}, Asked: "k", Replies: 1}
	answer := reviewArgs{Employee: "EMP-1001", Subject: "Yes", Body: "You may.", Asked: "k"}
	for _, tt := range []struct {
		tool     string
		was, now any
		names    string // what must not be edited; empty where the edit is fine
	}{
		{toolCancel, cancel, cancelArgs{"VP-101", "EMP-1002", cancel.Because, "k", 1}, "employee_id"},
		{toolCancel, cancel, cancelArgs{"VP-102", "EMP-1001", cancel.Because, "k", 1}, "vanpool_id"},
		{toolCancel, cancel, cancelArgs{"VP-101", "EMP-1001", checksFailed{"shift", "roster"}, "k", 1}, "failed_checks"},
		{toolCancel, cancel, cancelArgs{"VP-101", "EMP-1001", cancel.Because, "k", 2}, "replies"},
		{toolReview, answer, reviewArgs{Employee: "EMP-1002", Subject: "Yes", Body: "You may.", Asked: "k"}, "employee_id"},
		{toolReview, answer, reviewArgs{Employee: "EMP-1001", Subject: "No", Body: "You may not.", Asked: "k"}, ""},
		{toolSettle, settleArgs{Choice: "re_audit", Why: "triage", Asked: "k"}, settleArgs{Choice: "proceed", Employee: "EMP-1001",
			Why: "triage", Asked: "k"}, ""},
		{toolSettle, settleArgs{Choice: "re_audit", Why: "triage", Asked: "k"}, settleArgs{Choice: "re_audit", Why: "expired", Asked: "k"},
			"why"},
	} {
		was, wasErr := json.Marshal(tt.was)
		now, nowErr := json.Marshal(tt.now)
		if err := errors.Join(wasErr, nowErr); err != nil {
			t.Fatal(err)
		}
		_, err := agent.CallKind(registry).Check(review.Proposal{App: programme.Name, Tool: tt.tool, Args: was}, now)
		if tt.names == "" && err != nil || tt.names != "" && (!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(),
			"args."+tt.names+":")) {
			t.Errorf("%s to %s: got %v, want %q refused", tt.tool, now, err, tt.names)
		}
	}
}

// TestEveryReasonForAPersonHasAWord promises the same for what brings a case before a
// person and for whom it waits.
func TestEveryReasonForAPersonHasAWord(t *testing.T) {
	said := spoken(t)
	for _, why := range []lifecycle.Why{lifecycle.Triage, lifecycle.Undeliverable, lifecycle.MailHeld, lifecycle.Escalated,
		lifecycle.ManyQuestions, lifecycle.UnreadReply, lifecycle.DataChanged,
		lifecycle.OnLeave, lifecycle.Unheard, lifecycle.TooOld, lifecycle.Expired, lifecycle.Declined, lifecycle.NoMoreAudits} {
		if said["value.why."+string(why)] == "" {
			t.Errorf("there is no word for %s", why)
		}
	}
	for _, state := range lifecycle.States() {
		if whom := waitingFor(lifecycle.Case{State: state}); whom != "" && said["waiting."+whom] == "" {
			t.Errorf("there is no word for waiting for %s", whom)
		}
	}
}
