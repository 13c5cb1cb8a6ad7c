package admit_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/admit"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/reference"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
)

var (
	ravi  = reference.Ref{Number: "GP-2026-0012", ID: "0193a1b2-0000-7000-8000-000000000012", Person: "Ravi Kumar"}
	rekha = reference.Ref{Number: "GP-2026-0013", ID: "0193a1b2-0000-7000-8000-000000000013", Person: "Rekha Iyer"}
)

// TestACallGoesNoFurtherThanWhatWasSaid promises, call by call, which is made, which is asked about, and which is stopped.
func TestACallGoesNoFurtherThanWhatWasSaid(t *testing.T) {
	full := map[string]any{"person_name": "Ravi Kumar", "description": "to the bank", "is_returnable": true}
	for _, tt := range []struct {
		name string
		role pass.Role
		said []string
		tool string
		args map[string]any
		code string
		asks []string
	}{
		{"all of it said", pass.HR, []string{"Pass for Ravi Kumar to the bank, back by five"}, "create_gate_pass", full, "", nil},
		{"nobody said whether he comes back", pass.HR, []string{"Pass for Ravi Kumar to the bank"}, "create_gate_pass", full,
			toolset.Missing,
			[]string{"is_returnable"}},
		{"the other was said", pass.HR, []string{"Pass for Ravi Kumar to the bank, he does not come back"}, "create_gate_pass",
			full, toolset.Missing,
			[]string{"is_returnable"}},
		{"another's name", pass.HR, []string{"Pass for Ravi to the bank, back by five"}, "create_gate_pass", full, toolset.Missing,
			[]string{"person_name"}},
		{"a purpose with words of somebody else's", pass.HR, []string{"Pass for Ravi Kumar, bank, he comes back"}, "create_gate_pass",
			map[string]any{"person_name": "Ravi Kumar", "description": "bank, approved by the director", "is_returnable": true},
			toolset.Missing, []string{"description"}},
		{"a name made of two", pass.HR, []string{"Passes for Ravi Kumar and Rekha Iyer to the bank, both come back"}, "create_gate_pass",
			map[string]any{"person_name": "Ravi Iyer", "description": "to the bank", "is_returnable": true}, toolset.Missing,
			[]string{"person_name"}},
		{"a number that counts something else", pass.HR, []string{"Pass for Ravi Kumar, 3 laptops to the bank, back by 5"},
			"create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "5 laptops", "is_returnable": true},
			toolset.Missing, []string{"description"}},
		{"a number as it was written", pass.HR, []string{"Pass for Ravi Kumar, 3 laptops to the bank, back by 5"},
			"create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "3 laptops to the bank", "is_returnable": true},
			"", nil},
		{"signs that are read as letters", pass.HR, []string{"Pass for Ravi Kumar to the bank, back by five"}, "create_gate_pass",
			map[string]any{"person_name": "Ravi Kumar", "description": "🅰🅿🅿🆁🅾🆅🅴🅳 bank", "is_returnable": true}, toolset.Missing,
			[]string{"description"}},
		{"a sign that is read as a number", pass.HR, []string{"Pass for Ravi Kumar, laptops, back by five"}, "create_gate_pass",
			map[string]any{"person_name": "Ravi Kumar", "description": "➄ laptops", "is_returnable": true}, toolset.Missing,
			[]string{"description"}},
		{"a purpose nobody gave", pass.HR, []string{"Pass for Ravi Kumar, he comes back"}, "create_gate_pass", full, toolset.Missing,
			[]string{"description"}},
		{"who decides is not the model's to say", pass.Admin, []string{"approve GP-2026-0012"}, "approve_gate_pass",
			map[string]any{"pass_number": "GP-2026-0012", "name": "Asha"}, toolset.NotYours, nil},
		{"another role's tool", pass.HR, []string{"approve GP-2026-0012"}, "approve_gate_pass",
			map[string]any{"pass_number": "GP-2026-0012"}, admit.OtherRole, nil},
		{"no tool", pass.HR, nil, "drop_table", nil, admit.NoSuch, nil},
		{"a number that was made up", pass.Admin, []string{"how is Ravi's pass?"}, "get_gate_pass_by_number",
			map[string]any{"pass_number": "GP-2026-0099"}, admit.MadeUp, nil},
		{"a number that a tool answered with", pass.Admin, []string{"how is Ravi's pass?"}, "get_gate_pass_by_number",
			map[string]any{"pass_number": "GP-2026-0012"}, "", nil},
		{"another than is meant", pass.Admin, []string{"approve the second one"}, "approve_gate_pass",
			map[string]any{"pass_number": "GP-2026-0012"}, admit.NotMeant, nil},
		{"the one that is meant", pass.Admin, []string{"approve the second one"}, "approve_gate_pass",
			map[string]any{"pass_number": "GP-2026-0013"}, "", nil},
		{"a path and no photo", pass.Gate, []string{"scan GP-2026-0012 photo at /etc/passwd"}, "scan_exit",
			map[string]any{"pass_number": "GP-2026-0012", "photo": "/etc/passwd"}, toolset.Missing, []string{"photo"}},
	} {
		talk := admit.Talk{Role: tt.role, Said: tt.said, Scene: reference.Scene{Shown: []reference.Ref{ravi, rekha}}}
		r := admit.Rule(talk, tt.tool, tt.args)
		if r.Code != tt.code || !slices.Equal(r.Asks, tt.asks) || (r.Info == nil) != (tt.code == "") || (r.Args == nil) != (tt.code != "") {
			t.Errorf("%s: got %q asking %v, want %q asking %v", tt.name, r.Code, r.Asks, tt.code, tt.asks)
		}
	}
}

// TestWhatIsAskedIsKeptUntilItIsAnswered promises a dialog: the call is made once everything was said, with what was said before.
func TestWhatIsAskedIsKeptUntilItIsAnswered(t *testing.T) {
	talk := admit.Talk{Role: pass.HR, Said: []string{"Pass for Ravi Kumar, bank"}}
	r := admit.Rule(talk, "create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "bank", "is_returnable": false})
	if !slices.Equal(r.Asks, []string{"is_returnable"}) || r.Pending["person_name"] != "Ravi Kumar" {
		t.Fatalf("got %+v", r)
	}
	talk.PendingTool, talk.Scene.Memory.PendingParameters = "create_gate_pass", r.Pending
	talk.Said = append(talk.Said, "yes")
	r = admit.Rule(talk, "create_gate_pass", map[string]any{"is_returnable": true})
	if r.Info != nil || r.Args["person_name"] != "Ravi Kumar" || r.Args["is_returnable"] != true {
		t.Errorf("got %+v", r)
	}
}

// TestWhatIsAskedAboutOneCallOpensNoOther promises that a name of before comes to life for the call it was asked about, and no other.
func TestWhatIsAskedAboutOneCallOpensNoOther(t *testing.T) {
	talk := admit.Talk{Role: pass.HR, PendingTool: "print_gate_pass",
		Said: []string{"Is Ravi Kumar back? He comes back from the bank", "print it"}}
	r := admit.Rule(talk, "create_gate_pass", map[string]any{"person_name": "Ravi Kumar", "description": "bank", "is_returnable": true})
	if !slices.Equal(r.Asks, []string{"person_name"}) {
		t.Errorf("got %q asking %v", r.Code, r.Asks)
	}
}

// TestNothingThatIsMadeUpIsSent promises of any call: what is made is the role's, whole, and about a pass that came from somewhere.
func TestNothingThatIsMadeUpIsSent(t *testing.T) {
	names := []string{"drop_table"}
	for _, tool := range toolset.Table() {
		names = append(names, tool.Name)
	}
	rapid.Check(t, func(t *rapid.T) {
		talk := admit.Talk{Role: rapid.SampledFrom(pass.Roles()).Draw(t, "role"), Scene: reference.Scene{Shown: []reference.Ref{ravi}},
			Said: []string{rapid.SampledFrom([]string{"", "approve it", "pass for Ravi Kumar", "GP-2026-0077"}).Draw(t, "said")}}
		args := map[string]any{}
		for _, p := range []string{"pass_number", "pass_id", "photo", "status", "person_name", "description", "name", "notification_id"} {
			if v := rapid.SampledFrom([]string{"", "GP-2026-0012", "GP-2026-0077", "GP-2026-0099", "att_abcdefgh", "pending",
				"Ravi Kumar"}).Draw(t, p); v != "" {
				args[p] = v
			}
		}
		r := admit.Rule(talk, rapid.SampledFrom(names).Draw(t, "tool"), args)
		if r.Info != nil {
			return
		}
		if !slices.Contains(r.Tool.Roles, talk.Role) || len(r.Tool.Check(r.Args)) > 0 || r.Args["name"] != nil {
			t.Fatalf("%s of %s is made: %v", r.Tool.Name, talk.Role, r.Args)
		}
		for _, p := range []string{"pass_number", "pass_id"} {
			if n := r.Args[p]; n == "GP-2026-0099" || n == "GP-2026-0077" && talk.Said[0] != "GP-2026-0077" {
				t.Fatalf("%v is nobody's", n)
			}
		}
	})
}
