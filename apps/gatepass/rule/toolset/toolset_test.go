package toolset_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/platform/fault"
)

// seed is the first design's tools: who may use each, where it goes, and what it must be told. What is in brackets is filled in.
var seed = map[string]string{
	"create_gate_pass":             "HR_User POST /hr/gatepass/create person_name description is_returnable",
	"list_gate_passes":             "HR_User GET /hr/gatepass/list",
	"get_gate_pass_details":        "HR_User GET /hr/gatepass/{pass_id} pass_id",
	"print_gate_pass":              "HR_User GET /hr/gatepass/{pass_number}/print pass_number",
	"list_pending_gate_passes":     "Admin_User GET /admin/gatepass/pending",
	"get_gate_pass_by_number":      "Admin_User GET /admin/gatepass/{pass_number} pass_number",
	"approve_gate_pass":            "Admin_User POST /admin/gatepass/{pass_number}/approve pass_number [name]",
	"reject_gate_pass":             "Admin_User POST /admin/gatepass/{pass_number}/reject pass_number [name]",
	"delete_gate_pass":             "Admin_User POST /admin/gatepass/{pass_number}/delete pass_number [name]",
	"list_all_gate_passes_admin":   "Admin_User GET /admin/gatepass/list",
	"print_gate_pass_admin":        "Admin_User GET /admin/gatepass/{pass_number}/print pass_number",
	"scan_exit":                    "Gate_User POST /gate/scan-exit pass_number photo",
	"scan_return":                  "Gate_User POST /gate/scan-return pass_number photo",
	"get_gate_pass_by_number_gate": "Gate_User GET /gate/gatepass/number/{pass_number} pass_number",
	"get_gate_pass_by_id_gate":     "Gate_User GET /gate/gatepass/id/{pass_id} pass_id",
	"get_gate_pass_photos":         "Gate_User GET /gate/photos/{pass_number} pass_number",
	"get_admin_notifications":      "Admin_User GET /notifications/admin",
	"get_hr_notifications":         "HR_User GET /notifications/hr",
	"mark_notification_read":       "Admin_User,HR_User POST /notifications/{notification_id}/read notification_id",
	"get_qr_code":                  "HR_User,Admin_User,Gate_User GET /qr/{pass_number} pass_number",
}

// TestTheToolsAreThoseOfTheDesign promises every name, role, address and value that must be given, and 7, 10 and 6 tools for the roles.
func TestTheToolsAreThoseOfTheDesign(t *testing.T) {
	for _, tool := range toolset.Table() {
		var roles []string
		for _, r := range tool.Roles {
			roles = append(roles, string(r))
		}
		got := []string{strings.Join(roles, ","), tool.Method, tool.Path}
		for _, p := range tool.Params {
			switch {
			case p.Injected:
				got = append(got, "["+p.Name+"]")
			case p.Required:
				got = append(got, p.Name)
			}
		}
		if want := seed[tool.Name]; strings.Join(got, " ") != want {
			t.Errorf("%s: got %v, want %s", tool.Name, got, want)
		}
	}
	if len(toolset.Table()) != len(seed) {
		t.Errorf("%d tools", len(toolset.Table()))
	}
	for role, want := range map[pass.Role]int{pass.HR: 7, pass.Admin: 10, pass.Gate: 6, pass.Nobody: 0, "All": 0} {
		if got := len(toolset.For(role)); got != want {
			t.Errorf("%q has %d tools, want %d", role, got, want)
		}
	}
}

// TestAToolOfAnotherRoleIsRefused promises it for every role and every tool, and that what is listed is what is found.
func TestAToolOfAnotherRoleIsRefused(t *testing.T) {
	for _, role := range append(pass.Roles(), pass.Nobody) {
		for _, tool := range toolset.Table() {
			_, err := toolset.Find(tool.Name, role)
			mine := slices.ContainsFunc(toolset.For(role), func(o toolset.Tool) bool { return o.Name == tool.Name })
			if (err == nil) != mine || err != nil && !fault.Is(err, fault.Refused) {
				t.Errorf("%s by %q: %v", tool.Name, role, err)
			}
		}
	}
	if _, err := toolset.Find("drop_table", pass.Admin); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
}

// TestWhatDecidesOrDestroysHasACard promises which tools only a person's button runs.
func TestWhatDecidesOrDestroysHasACard(t *testing.T) {
	cards := map[string]bool{"approve_gate_pass": true, "reject_gate_pass": true, "delete_gate_pass": true}
	for _, tool := range toolset.Table() {
		if tool.NeedsCard(1) != cards[tool.Name] {
			t.Errorf("%s needs a card: %v", tool.Name, tool.NeedsCard(1))
		}
		if (tool.Method == "GET") != (tool.Effect == toolset.Reads) {
			t.Errorf("%s is a %s that %s", tool.Name, tool.Method, tool.Effect)
		}
		if many := cards[tool.Name] || tool.Name == "create_gate_pass"; tool.NeedsCard(6) != many {
			t.Errorf("six of %s in one turn: %v", tool.Name, tool.NeedsCard(6))
		}
	}
	if create, _ := toolset.Find("create_gate_pass", pass.HR); create.NeedsCard(5) {
		t.Error("five in one turn need a card")
	}
}

// TestWhatIsMissingIsAskedAndNeverFilledIn promises, call by call, what is wrong with it.
func TestWhatIsMissingIsAskedAndNeverFilledIn(t *testing.T) {
	for _, tt := range []struct{ tool, args, want string }{
		{"create_gate_pass", `{}`, "[{person_name missing} {description missing} {is_returnable missing}]"},
		{"create_gate_pass", `{"person_name":"Ravi","description":"Bank"}`, "[{is_returnable missing}]"},
		{"create_gate_pass", `{"person_name":"Ravi","description":"Bank","is_returnable":null}`, "[{is_returnable missing}]"},
		{"create_gate_pass", `{"person_name":"Ravi","description":"Bank","is_returnable":"yes"}`, "[{is_returnable malformed}]"},
		{"create_gate_pass", `{"person_name":"Ravi","description":"Bank","is_returnable":false}`, "[]"},
		{"create_gate_pass", `{"person_name":" ","description":"Bank","is_returnable":true}`, "[{person_name missing}]"},
		{"create_gate_pass", `{"person_name":7,"description":"Bank","is_returnable":true}`, "[{person_name malformed}]"},
		{"create_gate_pass", `{"person_name":"Ravi","description":"Bank","is_returnable":true,"status":"approved"}`, "[{status unknown}]"},
		{"approve_gate_pass", `{"pass_number":"GP-2026-0001"}`, "[]"},
		{"approve_gate_pass", `{"pass_number":"GP-2026-0001","name":"Asha"}`, "[{name not_yours}]"},
		{"approve_gate_pass", `{}`, "[{pass_number missing}]"},
		{"approve_gate_pass", `{"pass_number":"the last one"}`, "[{pass_number malformed}]"},
		{"approve_gate_pass", `{"pass_number":["GP-2026-0001","GP-2026-0002"]}`, "[{pass_number malformed}]"},
		{"reject_gate_pass", `{"pass_number":"GP-2026-0001","reason":""}`, "[]"},
		{"list_gate_passes", `{"status":"lost"}`, "[{status malformed}]"},
		{"list_gate_passes", `{"status":"exited"}`, "[]"},
		{"list_gate_passes", `{}`, "[]"},
		{"get_gate_pass_details", `{"pass_id":"0193a1b2-0000-7000-8000-000000000012"}`, "[]"},
		{"get_gate_pass_details", `{"pass_id":"GP-2026-0001"}`, "[]"},
		{"get_gate_pass_details", `{"pass_id":"../admin/gatepass/list"}`, "[{pass_id malformed}]"},
		{"scan_exit", `{"pass_number":"GP-2026-0001"}`, "[{photo missing}]"},
		{"scan_exit", `{"pass_number":"GP-2026-0001","photo":"att_01hzy3k9qa"}`, "[]"},
		{"scan_exit", `{"pass_number":"GP-2026-0001","photo":"/etc/passwd"}`, "[{photo malformed}]"},
		{"scan_exit", `{"pass_number":"GP-2026-0001","photo":"C:\\photo.jpg"}`, "[{photo malformed}]"},
		{"mark_notification_read", `{"notification_id":"n1/../../x"}`, "[{notification_id malformed}]"},
		{"mark_notification_read", `{"notification_id":"ntf_01"}`, "[]"},
	} {
		args, ok := toolset.Read([]byte(tt.args))
		if !ok {
			t.Fatalf("%s is no object", tt.args)
		}
		tool := one(t, tt.tool)
		if got := fmt.Sprint(tool.Check(args)); got != tt.want {
			t.Errorf("%s %s: got %s, want %s", tt.tool, tt.args, got, tt.want)
		}
	}
	for _, s := range []string{``, `null`, `[]`, `"x"`, `{`} {
		if _, ok := toolset.Read([]byte(s)); ok {
			t.Errorf("%q was read", s)
		}
	}
}

func one(t interface{ Fatalf(string, ...any) }, called string) toolset.Tool {
	all := toolset.Table()
	i := slices.IndexFunc(all, func(o toolset.Tool) bool { return o.Name == called })
	if i < 0 {
		t.Fatalf("no tool %s", called)
	}
	return all[i]
}

// TestADialogCollectsWhatIsSaidAndNothingElse promises that a call becomes complete only by what was given, that a correction counts,
// and that who approves is who is signed in.
func TestADialogCollectsWhatIsSaidAndNothingElse(t *testing.T) {
	create := one(t, "create_gate_pass")
	pending := create.Collect(nil, map[string]any{"person_name": "Ravi", "is_returnable": nil, "approved_by": "me"})
	for i, step := range []struct {
		given map[string]any
		asks  string
	}{
		{map[string]any{"description": " "}, "[description is_returnable]"},
		{map[string]any{"description": "Bank"}, "[is_returnable]"},
		{map[string]any{"person_name": "Rekha"}, "[is_returnable]"},
		{map[string]any{"is_returnable": "maybe"}, "[is_returnable]"},
		{map[string]any{"is_returnable": false}, "[]"},
	} {
		pending = create.Collect(pending, step.given)
		if got := fmt.Sprint(create.Asks(pending)); got != step.asks {
			t.Errorf("step %d: asks %s, want %s", i, got, step.asks)
		}
	}
	if want := (map[string]any{"person_name": "Rekha", "description": "Bank", "is_returnable": false}); !reflect.DeepEqual(pending, want) {
		t.Errorf("got %v", pending)
	}
	sent := one(t, "approve_gate_pass").Filled(map[string]any{"pass_number": "GP-2026-0001", "name": "Somebody Else"},
		pass.Actor{Name: "Asha Iyer"})
	if want := (map[string]any{"pass_number": "GP-2026-0001", "name": "Asha Iyer"}); !reflect.DeepEqual(sent, want) {
		t.Errorf("got %v", sent)
	}
	if toolset.AskKey("is_returnable") != "gatepass.ask.is_returnable" {
		t.Error("a question has another key")
	}
}

// TestNoCallIsMadeOfNothing promises of any arguments: nothing is asked for exactly where every value that must be given is there in
// its form, and what is sent holds nothing that nobody gave.
func TestNoCallIsMadeOfNothing(t *testing.T) {
	values := rapid.SampledFrom([]any{nil, "", " ", "x", true, false, 3.0, "GP-2026-0001", "att_01hzy3k9qa", []any{"x"}, "pending"})
	names := rapid.SampledFrom([]string{"person_name", "description", "is_returnable", "pass_number", "name", "photo", "status",
		"pass_id", "reason", "role"})
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(toolset.Table()).Draw(t, "tool")
		args := rapid.MapOfN(names, values, 0, 6).Draw(t, "args")
		faults := tool.Check(args)
		sent := tool.Filled(args, pass.Actor{Name: "Asha"})
		for _, p := range tool.Params {
			_, there := sent[p.Name]
			if len(faults) == 0 && p.Required && !there {
				t.Fatalf("%s without %s: %v", tool.Name, p.Name, args)
			}
		}
		for name, v := range maps.All(sent) {
			injected := name == "name" && v == "Asha"
			if given, ok := args[name]; !injected && (!ok || !reflect.DeepEqual(given, v)) {
				t.Fatalf("%s sends %s = %v, and was given %v", tool.Name, name, v, args)
			}
		}
	})
}

// TestAnErrorIsExplainedWithoutTheMachine promises the kinds, when trying again helps, and that a refusal by state says what is
// possible instead.
func TestAnErrorIsExplainedWithoutTheMachine(t *testing.T) {
	for _, tt := range []struct {
		status int
		code   string
		want   string
		retry  bool
	}{
		{0, "", "network", true}, {400, "malformed_json", "bad_request", false}, {401, "", "auth_expired", false},
		{403, "role_forbidden", "role_forbidden", false}, {403, "invalid_state", "invalid_state", false},
		{403, "expired", "invalid_state", false},
		{403, "self_approval", "role_forbidden", false}, {404, "not_found", "not_found", false}, {422, "validation", "validation", false},
		{413, "", "validation", false}, {429, "", "busy", true}, {502, "", "busy", true}, {503, "", "busy", true}, {504, "", "busy", true},
		{500, "internal", "server", true}, {418, "", "server", true},
	} {
		e := toolset.Explain(toolset.Failure{Status: tt.status, Code: tt.code})
		if e.ErrorType != tt.want || e.RetryPossible != tt.retry || e.UserGuidance != "gatepass.guide."+tt.want || e.RelatedContext == nil {
			t.Errorf("%d %s: got %+v", tt.status, tt.code, e)
		}
	}
	e := toolset.Explain(toolset.Failure{Status: 403, Code: "invalid_state", Current: pass.Pending,
		Allowed: []pass.Event{pass.Approve}, Param: "GP-2026-0001", Fields: []string{"reason"}})
	want := map[string]any{"code": "invalid_state", "asked_for": "GP-2026-0001", "current_status": pass.Pending,
		"allowed_events": []pass.Event{pass.Approve}, "fields": []string{"reason"}}
	if !reflect.DeepEqual(e.RelatedContext, want) {
		t.Errorf("got %v", e.RelatedContext)
	}
}

// FuzzRead promises of a call of any bytes: nothing is wrong with it only where every value that must be given is there, and is sent as
// it was given.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"pass_number":"GP-2026-0001","photo":"att_01hzy3k9qa"}`))
	f.Add([]byte(`{"person_name":"Ravi","description":"Bank","is_returnable":false}`))
	f.Add([]byte(`{"pass_id":"0193a1b2-0000-7000-8000-000000000012","name":"x"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		args, _ := toolset.Read(text)
		for _, tool := range toolset.Table() {
			sent := tool.Filled(args, pass.Actor{Name: "Asha"})
			wrong := len(tool.Check(args)) > 0
			for _, p := range tool.Params {
				v, there := sent[p.Name]
				if p.Required && !there && !wrong || there && !p.Injected && !reflect.DeepEqual(v, args[p.Name]) {
					t.Errorf("%s of %q sends %v", tool.Name, text, sent)
				}
			}
		}
	})
}
