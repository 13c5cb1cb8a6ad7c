package gatepass_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/register"
	"github.com/gavelhq/gavel/platform/durable"
)

// TestTheAddressesOfTheFirstDesignAnswer promises the paths, statuses and codes of the first design, and the photo's address
// that its clients need beside them, for a pass from its making to its return.
func TestTheAddressesOfTheFirstDesignAnswer(t *testing.T) {
	r := newRig(t, durable.Clock{})
	get := func(status int, as, path string, headers ...string) string {
		t.Helper()
		return r.Want(t, status, as, http.MethodGet, rest.Base+path, nil, headers...).Body
	}
	made := r.Want(t, 201, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create",
		`{"person_name":" Asha Rao ","description":"To the bank","is_returnable":true}`)
	number, id := made.JSON["pass_number"].(string), made.JSON["id"].(string)
	if made.JSON["number"] != number || made.JSON["status"] != "pending" || made.JSON["qr_code_url"] != nil ||
		made.JSON["person_name"] != "Asha Rao" ||
		made.Header.Get("Location") != rest.Base+"/hr/gatepass/"+id || made.Header.Get("ETag") != `"1"` {
		t.Errorf("made: %s %v", made.Body, made.Header)
	}
	for _, path := range []string{"/hr/gatepass/" + id, "/hr/gatepass/" + number} {
		get(200, "hr", path)
	}
	get(200, "admin", "/admin/gatepass/"+number)
	if pending := get(200, "admin", "/admin/gatepass/pending"); !strings.HasPrefix(pending, "[{") || !strings.Contains(pending, number) {
		t.Errorf("pending: %s", pending)
	}
	wants(t, r.Call(t, "hr", http.MethodGet, rest.Base+"/qr/"+number, nil), 403, "qr_not_available")
	wants(t, r.scan(t, "gate", "scan-exit", number, face(t, 8, 8)), 403, "invalid_state")

	approved := r.act(t, "admin", number, "approve?name=ADMIN", nil)
	wants(t, approved, 200, "")
	if approved.JSON["status"] != "approved" || approved.JSON["approved_by"] != "admin" || approved.Header.Get("ETag") != `"2"` {
		t.Errorf("approved: %s", approved.Body)
	}
	png := r.Call(t, "gate", http.MethodGet, rest.Base+"/qr/"+number, nil)
	if png.Status != 200 || png.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(png.Body, "\x89PNG") ||
		png.Header.Get("ETag") == "" {
		t.Errorf("QR: %d %v", png.Status, png.Header)
	}
	if svg := get(200, "hr", "/qr/"+number, "Accept", "image/svg+xml"); !strings.HasPrefix(svg, "<svg") {
		t.Errorf("QR: %.80s", svg)
	}
	if view := get(200, "gate", "/gate/gatepass/number/"+number); !strings.Contains(view, `"verdict":"allow_exit"`) ||
		strings.Contains(view,
			"To the bank") {
		t.Errorf("at the gate: %s", view)
	}
	get(200, "gate", "/gate/gatepass/id/"+id)
	if none := get(200, "gate", "/gate/photos/"+number); !strings.Contains(none, `"photos":[]`) {
		t.Errorf("photos: %s", none)
	}

	out := r.scan(t, "gate", "scan-exit", number, face(t, 64, 48))
	wants(t, out, 200, "")
	photo := out.JSON["exit_photo_id"].(string)
	wants(t, r.Call(t, "gate", http.MethodGet, rest.Base+"/media/photo/"+photo, nil), 404, "not_found") // not drawn yet
	if all := get(200, "hr", "/hr/gatepass/list?status=exited&vocab=legacy"); !strings.Contains(all, `"status":"pending_return"`) {
		t.Errorf("in the words of older clients: %s", all)
	}
	back := r.scan(t, "gate", "scan-return", number, face(t, 64, 48))
	wants(t, back, 200, "")
	if back.JSON["status"] != "returned" || len(back.JSON["status_history"].([]any)) != 4 {
		t.Errorf("back: %s", back.Body)
	}
	if both := get(200, "hr", "/gate/photos/"+number); !strings.Contains(both, `"total":2`) || !strings.Contains(both, photo) {
		t.Errorf("photos: %s", both)
	}
	for as, path := range map[string]string{"hr": "/hr/gatepass/", "admin": "/admin/gatepass/"} {
		for _, size := range []string{"A4", "A6", "80mm"} {
			if page := get(200, as, path+number+"/print?size="+size, "Accept", "text/html"); !strings.Contains(page, "Asha Rao") ||
				!strings.Contains(page, `class="qr"`) {
				t.Errorf("%s on %s: %.200s", path, size, page)
			}
		}
	}
	wants(t, r.Call(t, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+number+"/print?size=A3", nil), 422, "validation")

	for as, path := range map[string]string{"hr": "/notifications/hr", "admin": "/notifications/admin"} {
		var all []map[string]any
		if err := json.Unmarshal([]byte(get(200, as, path+"?unread=true")), &all); err != nil || len(all) == 0 ||
			all[0]["is_read"] != false ||
			all[0]["message"] == "" {
			t.Fatalf("%s: %v, %v", path, err, all)
		}
		id := all[0]["id"].(string)
		r.Want(t, 200, as, http.MethodPost, rest.Base+"/notifications/"+id+"/read", nil)
		if old := r.Want(t, 200, as, http.MethodGet, rest.Base+"/notifications/mark-read/"+id, nil); old.JSON["is_read"] != true ||
			old.Header.Get("Deprecation") == "" {
			t.Errorf("read by GET: %s", old.Body)
		}
		wants(t, r.Call(t, "gate", http.MethodPost, rest.Base+"/notifications/"+id+"/read", nil), 404, "not_found")
		if theirs := get(200, as+"2", path); !strings.Contains(theirs, `"id":"`+id+`"`) || strings.Contains(theirs, `"is_read":true`) {
			t.Errorf("what one has read the other has, too: %s", theirs)
		}
	}
	gone := r.create(t, "hr", "is_returnable", false)["pass_number"].(string)
	wants(t, r.act(t, "admin", gone, "reject", `{}`), 200, "")
	deleted := r.act(t, "admin", gone, "delete", `{"name":"admin"}`)
	wants(t, deleted, 200, "")
	if deleted.JSON["deleted_at"] == nil || deleted.JSON["reject_reason"] != "not given" {
		t.Errorf("deleted: %s", deleted.Body)
	}
	wants(t, r.act(t, "admin", gone, "delete", nil), 404, "not_found")
	file := get(200, "admin", "/audit/export")
	if _, err := register.Check([]byte(file), ""); err != nil || strings.Count(file, "\n") != 7 || strings.Contains(file, "Asha") {
		t.Errorf("%v: the register is %s", err, file)
	}
	wants(t, r.Call(t, "hr", http.MethodGet, rest.Base+"/audit/export", nil), 403, "role_forbidden")
	if all := get(200, "admin", "/admin/gatepass/list"); strings.Contains(all, gone) {
		t.Error("what was deleted is listed")
	}
	if all := get(200, "admin", "/admin/gatepass/list?include_deleted=true"); !strings.Contains(all, gone) {
		t.Error("what was deleted is not there for who asks for it")
	}
}

// TestWhatIsWrongIsSaidInTheFirstDesignsStatuses promises 400 for what cannot be read, 422 for what can and is wrong, 403 with
// where the pass stands and what may be done, and never anything that its clients do not know.
func TestWhatIsWrongIsSaidInTheFirstDesignsStatuses(t *testing.T) {
	r := newRig(t, durable.Clock{})
	create := rest.Base + "/hr/gatepass/create"
	number := r.approved(t)
	own := r.create(t, "both")["pass_number"].(string)
	pending := r.create(t, "hr")["pass_number"].(string)
	for _, tt := range []struct {
		name, as, method, path string
		body                   any
		status                 int
		code                   string
		headers                []string
	}{
		{"no JSON", "hr", "POST", create, `{"person_name":`, 400, "malformed_json", nil},
		{"not said whether they come back", "hr", "POST", create, `{"person_name":"A","description":"B"}`, 422, "validation", nil},
		{"a word for a truth value", "hr", "POST", create, `{"person_name":"A","description":"B","is_returnable":"yes"}`, 422,
			"validation", nil},
		{"no name", "hr", "POST", create, `{"person_name":" ","description":"B","is_returnable":true}`, 422, "validation", nil},
		{"another's role", "gate", "POST", create, `{}`, 403, "role_forbidden", nil},
		{"nobody", "nobody", "POST", create, `{}`, 401, "sign_in_needed", nil},
		{"no such status", "hr", "GET", rest.Base + "/hr/gatepass/list?status=foo", nil, 422, "validation", nil},
		{"no such pass", "hr", "GET", rest.Base + "/hr/gatepass/GP-1999-0001", nil, 404, "not_found", nil},
		{"no number", "admin", "GET", rest.Base + "/admin/gatepass/17", nil, 422, "validation", nil},
		{"no number at a gate", "gate", "GET", rest.Base + "/gate/gatepass/number/17", nil, 422, "validation", nil},
		{"not another's name", "admin", "POST", rest.Base + "/admin/gatepass/" + pending + "/approve", `{"name":"Somebody"}`, 422,
			"actor_mismatch", nil},
		{"not one's own", "both", "POST", rest.Base + "/admin/gatepass/" + own + "/approve", nil, 403, "self_approval", nil},
		{"approved already", "admin", "POST", rest.Base + "/admin/gatepass/" + number + "/approve", nil, 403, "invalid_state", nil},
		{"an old version", "admin", "POST", rest.Base + "/admin/gatepass/" + pending + "/approve", nil, 403,
			"stale_version", []string{"If-Match",
				`"9"`}},
		{"revoked without a reason", "admin", "POST", rest.Base + "/admin/gatepass/" + number + "/delete", nil, 422, "validation", nil},
		{"JSON for a scan", "gate", "POST", rest.Base + "/gate/scan-exit", `{}`, 400, "not_multipart", nil},
	} {
		a := r.Call(t, tt.as, tt.method, tt.path, tt.body, tt.headers...)
		if a.Status != tt.status || a.JSON["code"] != tt.code {
			t.Errorf("%s: got %d %v, want %d %s: %s", tt.name, a.Status, a.JSON["code"], tt.status, tt.code, a.Body)
		}
		if tt.code == "invalid_state" && (a.JSON["current_status"] != "approved" || a.JSON["allowed_events"] == nil) {
			t.Errorf("%s: says nothing of what may be done: %s", tt.name, a.Body)
		}
	}
	scans := []struct {
		name   string
		photo  []byte
		status int
		code   string
		parts  []string
	}{
		{"no photo", nil, 422, "photo_required", nil},
		{"a supervisor's word from who is none", nil, 422, "photo_required", []string{"override_reason", "The camera is broken."}},
		{"nothing in it", []byte{}, 422, "photo_required", nil},
		{"a text", []byte("photo"), 422, "unsupported_photo_format", nil},
		{"cut off", face(t, 99, 99)[:400], 422, "photo_corrupt", nil},
		{"too large", append(face(t, 9, 9), make([]byte, 5<<20)...), 422, "photo_too_large", nil},
		{"a path", nil, 422, "unsupported_photo_format", []string{"photo", "/etc/passwd"}},
	}
	for _, tt := range scans {
		a := r.scan(t, "gate", "scan-exit", number, tt.photo, tt.parts...)
		if a.Status != tt.status || a.JSON["code"] != tt.code {
			t.Errorf("%s: got %d %v, want %d %s: %s", tt.name, a.Status, a.JSON["code"], tt.status, tt.code, a.Body)
		}
	}
	if a := r.scan(t, "supervisor", "scan-exit", number, nil, "override_reason", "The camera is broken."); a.Status != 200 {
		t.Errorf("a supervisor's word: %d %s", a.Status, a.Body)
	}
}
