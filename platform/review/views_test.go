package review_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

func TestAViewIsItsOwnersAlone(t *testing.T) {
	r := newRig(t, durable.Clock{})
	v, err := r.SaveView(t.Context(), manager, "  Filings   this week ", "app=report&group=today")
	if err != nil || v.Name != "Filings this week" || v.ID == "" {
		t.Fatalf("saved %+v, %v", v, err)
	}
	for _, other := range []identity.Actor{second, {Kind: identity.Person, ID: manager.ID, Org: south, Roles: manager.Roles}} {
		if list, err := r.Views(t.Context(), other); err != nil || len(list) != 0 {
			t.Errorf("%s of %s sees %d views, %v", other.ID, other.Org, len(list), err)
		}
		wantKind(t, "removing somebody else's view", r.RemoveView(t.Context(), other, v.ID), fault.NotFound)
	}
	again, err := r.SaveView(t.Context(), manager, "Filings this week", "app=report")
	if err != nil || again.ID != v.ID {
		t.Errorf("the same name again is %+v, %v; want the view %s changed", again, err, v.ID)
	}
	list, err := r.Views(t.Context(), manager)
	if err != nil || len(list) != 1 || list[0].Query != "app=report" {
		t.Errorf("views %+v, %v", list, err)
	}
	if err := r.RemoveView(t.Context(), manager, v.ID); err != nil {
		t.Error(err)
	}
	wantKind(t, "removing it twice", r.RemoveView(t.Context(), manager, v.ID), fault.NotFound)
}

func TestViewsAreBounded(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for name, kind := range map[string]fault.Kind{"": fault.Invalid, "  ": fault.Invalid,
		strings.Repeat("x", review.MaxViewName+1): fault.Invalid, "a\x00b": fault.Invalid} {
		_, err := r.SaveView(t.Context(), manager, name, "")
		wantKind(t, fmt.Sprintf("%.10q", name), err, kind)
	}
	for _, query := range []string{"a=<b>", "a=" + strings.Repeat("x", 300), "a=\n"} {
		_, err := r.SaveView(t.Context(), manager, "View", query)
		wantKind(t, fmt.Sprintf("%.10q", query), err, fault.Invalid)
	}
	for i := range 20 {
		if _, err := r.SaveView(t.Context(), manager, fmt.Sprintf("View %d", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	_, err := r.SaveView(t.Context(), manager, "One more", "")
	wantKind(t, "the 21st", err, fault.Conflict)
	if _, err := r.SaveView(t.Context(), manager, "View 3", "app=report"); err != nil {
		t.Errorf("changing one of twenty: %v", err)
	}
	looking := manager
	looking.Viewing = identity.Officer
	_, err = r.SaveView(t.Context(), looking, "View 3", "")
	wantKind(t, "who looks as another role does", err, fault.Refused)
	wantKind(t, "who looks as another role does", r.RemoveView(t.Context(), looking, "view_x"), fault.Refused)
}

func TestAListReadsTheVerdictsOfItsProposals(t *testing.T) {
	r := newRig(t, durable.Clock{})
	with := func(doc string) func(*review.Proposal) {
		return func(p *review.Proposal) { p.Shown, p.ShownSHA256 = json.RawMessage(doc), act.Digest([]byte(doc)) }
	}
	sure := r.propose(t, with(`{"line":"Send","verdict":{"confidence":{"high":0.87,"low":0.64,"scale":"share","value":0.78},"label":"likely"}}`))
	none := r.propose(t)
	quoted := r.propose(t, with(`{"said":"the \"verdict\":{ is in a text"}`))
	got, err := r.Verdicts(t.Context(), manager, sure.ID, none.ID, quoted.ID, "P-999")
	if err != nil || len(got) != 1 {
		t.Fatalf("verdicts %v, %v", got, err)
	}
	var v struct {
		Label      string
		Confidence struct{ Low, High float64 }
	}
	if err := json.Unmarshal(got[sure.ID], &v); err != nil || v.Label != "likely" || v.Confidence.High != 0.87 {
		t.Errorf("got %s, %v", got[sure.ID], err)
	}
	if _, err := r.Verdicts(t.Context(), manager, make([]string, 501)...); !fault.Is(err, fault.TooLarge) {
		t.Errorf("501 at once: %v", err)
	}
}
