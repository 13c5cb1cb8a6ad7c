package poolpatrol

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
)

const (
	someSites  = "site_id,name,tz,lat,lng\nPLANT-1,Plant One,America/Los_Angeles,37.495,-121.941\n"
	someShifts = "shift_id,name,day,start_time,end_time\nSHIFT_DAY,Day Shift,Mon,07:00,16:00\nSHIFT_DAY,Day Shift,Tue,07:00,16:00\n"
	someStaff  = "employee_id,status,site_id,name,home_zip,shift_id,effective_from\nEMP-1001,active,PLANT-1,Ada " +
		"Lovelace,94538,SHIFT_DAY,2026-01-05\nEMP-1002,active,PLANT-1,Alan Turing,94539,SHIFT_DAY,2026-01-05\n"
)

// TestTheAPIImportsWhatItPreviewed promises that a preview changes nothing, that
// the import does what it said, and that the same file again changes nothing.
func TestTheAPIImportsWhatItPreviewed(t *testing.T) {
	r := newRig(t)
	r.hand("staff", intake.Sites, someSites)
	r.hand("staff", intake.Shifts, someShifts)
	body := aFile(intake.Employees, someStaff, true)
	seen := r.want(200, "staff", "POST", "/v1/poolpatrol/previews", body)
	if seen.JSON["added"] != 2.0 || seen.JSON["refused"] != 0.0 || strings.Contains(seen.Body, "Lovelace") {
		t.Errorf("got %s", seen.Body)
	}
	r.want(404, "manager", "GET", "/v1/poolpatrol/employees/EMP-1001", nil)
	body["sha256"] = seen.JSON["sha256"]
	if tried := r.want(200, "staff", "POST", "/v1/poolpatrol/imports?validate_only=true", body); tried.JSON["validate_only"] != true {
		t.Errorf("got %s", tried.Body)
	}
	r.want(404, "manager", "GET", "/v1/poolpatrol/employees/EMP-1001", nil)
	done := r.want(200, "staff", "POST", "/v1/poolpatrol/imports", body)
	if fmt.Sprint(done.JSON) != fmt.Sprint(seen.JSON) {
		t.Errorf("imported %v, previewed %v", done.JSON, seen.JSON)
	}
	ada := r.want(200, "auditor", "GET", "/v1/poolpatrol/employees/EMP-1001", nil)
	if ada.JSON["name"] != "Ada Lovelace" || ada.JSON["home_zip"] != "94538" || len(ada.JSON["shifts"].([]any)) != 1 {
		t.Errorf("got %s", ada.Body)
	}
	again := r.want(200, "staff", "POST", "/v1/poolpatrol/previews", aFile(intake.Employees, someStaff, true))
	if again.JSON["unchanged"] != 2.0 || again.JSON["added"] != 0.0 || again.JSON["changed"] != 0.0 {
		t.Errorf("the same file again: got %s", again.Body)
	}
}

// TestAStaleImportIsRefusedWithWhatToDo promises that what was previewed is what
// is done, or nothing: where the records, the file or its meaning are others, the
// answer says to preview again.
func TestAStaleImportIsRefusedWithWhatToDo(t *testing.T) {
	r := newRig(t)
	r.hand("manager", intake.Sites, someSites)
	r.hand("manager", intake.Shifts, someShifts)
	seen := aFile(intake.Employees, someStaff, false)
	seen["sha256"] = r.want(200, "manager", "POST", "/v1/poolpatrol/previews", aFile(intake.Employees, someStaff, false)).JSON["sha256"]
	other := func(field string, value any) map[string]any {
		b := maps.Clone(seen)
		b[field] = value
		return b
	}
	refused := func(name string, body map[string]any) {
		t.Helper()
		got := r.call("manager", "POST", "/v1/poolpatrol/imports", body)
		if next, _ := got.JSON["next"].(string); got.Status != 412 || !strings.Contains(next, "preview") {
			t.Errorf("%s: got %d %s, want 412 and to be told to preview", name, got.Status, got.Body)
		}
	}
	refused("another file", other("file", someStaff+"EMP-1003,active,PLANT-1,Grace,94540,SHIFT_DAY,2026-01-05\n"))
	refused("whole", other("whole", true))
	r.want(200, "manager", writeMethod, "/v1/poolpatrol/employees/EMP-1002", `{"employee_id":"EMP-1002","status":"on_leave"}`)
	refused("other records", seen)
	r.want(404, "manager", "GET", "/v1/poolpatrol/employees/EMP-1001", nil)
}

// TestAFileWithARefusedLineIsNotImported promises all or nothing, and that the
// preview says which lines and why.
func TestAFileWithARefusedLineIsNotImported(t *testing.T) {
	r := newRig(t)
	body := aFile(intake.Sites, someSites+"plant two,Plant Two,UTC,,\n", false)
	seen := r.want(200, "manager", "POST", "/v1/poolpatrol/previews", body)
	lines := seen.JSON["refused_lines"].([]any)
	if seen.JSON["refused"] != 1.0 || len(lines) != 1 || lines[0].(map[string]any)["line"] != 3.0 ||
		lines[0].(map[string]any)["reason"] == "" {
		t.Fatalf("got %s", seen.Body)
	}
	body["sha256"] = seen.JSON["sha256"]
	if got := r.call("manager", "POST", "/v1/poolpatrol/imports", body); got.Status < 400 || got.Status >= 500 || got.JSON["next"] == nil {
		t.Errorf("got %d %s", got.Status, got.Body)
	}
	if again := r.want(200, "manager", "POST", "/v1/poolpatrol/previews", aFile(intake.Sites, someSites,
		false)); again.JSON["added"] != 1.0 {
		t.Errorf("something of the file was imported: %s", again.Body)
	}
}

// TestATruncatedFileNeedsSomebodysWord promises that a whole file without most of
// what is on record is refused unless the caller says that so many may go.
func TestATruncatedFileNeedsSomebodysWord(t *testing.T) {
	r := newRig(t)
	for kind, file := range map[intake.Kind]string{intake.Sites: someSites, intake.Shifts: someShifts} {
		r.hand("manager", kind, file)
	}
	r.hand("manager", intake.Employees, someStaff)
	cut := aFile(intake.Employees, strings.Join(strings.SplitAfter(someStaff, "\n")[:2], ""), true)
	seen := r.want(200, "manager", "POST", "/v1/poolpatrol/previews", cut)
	if seen.JSON["many_go"] != true || seen.JSON["gone"] != 1.0 {
		t.Fatalf("got %s", seen.Body)
	}
	cut["sha256"] = seen.JSON["sha256"]
	if got := r.want(409, "manager", "POST", "/v1/poolpatrol/imports", cut); got.JSON["next"] == "" {
		t.Errorf("got %s", got.Body)
	}
	cut["even_if_many_go"] = true
	r.want(200, "manager", "POST", "/v1/poolpatrol/imports", cut)
	if got := r.want(200, "manager", "GET", "/v1/poolpatrol/employees/EMP-1002", nil); got.JSON["status"] != "inactive" {
		t.Errorf("got %s", got.Body)
	}
}

// TestSingleWritesSayWhatTheyDid promises that one thing can be written, that the
// answer says what became of it, and that where somebody lives is not shown.
func TestSingleWritesSayWhatTheyDid(t *testing.T) {
	r := newRig(t)
	write := func(path, body, want string) {
		t.Helper()
		if got := r.want(200, "staff", writeMethod, "/v1/poolpatrol/"+path, body); fmt.Sprint(got.JSON["what"],
			got.JSON["fields"]) != want {
			t.Errorf("%s: got %s, want %s", path, got.Body, want)
		}
	}
	write("sites/PLANT-1", `{"site_id":"PLANT-1","tz":"America/Los_Angeles","name":"Plant One"}`, "added[]")
	write("sites/PLANT-1", `{"site_id":"PLANT-1","tz":"America/Los_Angeles","name":"Plant One"}`, "unchanged[]")
	write("sites/PLANT-1", `{"site_id":"PLANT-1","tz":"America/Los_Angeles","name":"Plant 1"}`, "changed[name]")
	write("shifts/SHIFT_DAY", `{"shift_id":"SHIFT_DAY","name":"Day","schedule":[{"day":"Mon","start_time":"07:00","end_time":"16:00"}]}`,
		"added[]")
	ada := `{"employee_id":"EMP-1001","status":"active","site_id":"PLANT-1","name":"Ada","home_zip":"94538","home_coords":{"lat":37.5485,"lng":-121.9886},
		"shifts":[{"shift_id":"SHIFT_DAY","from":"2026-01-05"}],"away":[{"from":"2026-11-02","until":"2026-11-04"}]}`
	write("employees/EMP-1001", ada, "added[]")
	write("employees/EMP-1001", strings.Replace(ada, "active", "on_leave", 1), "changed[status]")
	write("vanpools/VP-101", `{"vanpool_id":"VP-101","site_id":"PLANT-1","status":"active","capacity":7,"coordinator_id":"EMP-1001"}`,
		"added[]")
	got := r.want(200, "manager", "GET", "/v1/poolpatrol/employees/EMP-1001", nil)
	if got.JSON["home_located"] != true || strings.Contains(got.Body, "37.5485") ||
		got.JSON["away"].([]any)[0].(map[string]any)["until"] != "2026-11-04" {
		t.Errorf("got %s", got.Body)
	}
	r.want(200, "manager", "GET", "/v1/poolpatrol/vanpools/VP-101", nil)
}

// TestConfirmedRecordsAreFresh promises that saying records are current makes them
// so, and only those.
func TestConfirmedRecordsAreFresh(t *testing.T) {
	r := newRig(t)
	r.want(204, "staff", "POST", "/v1/poolpatrol/syncs", `{"kinds":["employees","riders"]}`)
	fresh := map[string]bool{}
	for _, one := range r.want(200, "manager", "GET", "/v1/poolpatrol/syncs", nil).Items() {
		y := one.(map[string]any)
		fresh[y["kind"].(string)] = y["fresh"].(bool)
	}
	if !fresh["employees"] || !fresh["vanpools"] || fresh["sites"] || fresh["permits"] {
		t.Errorf("got %v", fresh)
	}
}

// TestASimulationTellsTheDifference promises the numbers of the report, that
// nothing is changed, and that thresholds are listed with their bounds.
func TestASimulationTellsTheDifference(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	r.audited("manager")
	got := r.want(200, "auditor", "POST", "/v1/poolpatrol/simulations", `{"changes":["location.threshold_miles=12"]}`)
	flagged := got.JSON["flagged"].(map[string]any)
	if flagged["after"].(float64) <= flagged["before"].(float64) || got.JSON["new_count"] != float64(len(got.JSON["new"].([]any))) ||
		got.JSON["gone_count"] != 0.0 || got.JSON["riders"] != 150.0 {
		t.Errorf("got %.600s", got.Body)
	}
	for _, one := range r.want(200, "auditor", "GET", "/v1/poolpatrol/settings", nil).Items() {
		s := one.(map[string]any)
		if s["name"] == "" || s["means"] == "" || s["low"].(float64) >= s["high"].(float64) {
			t.Errorf("got %v", s)
		}
	}
	if passes := r.want(200, "manager", "GET", "/v1/poolpatrol/passes", nil).Items(); len(passes) != 1 {
		t.Errorf("got %d passes after a simulation, want the one there was", len(passes))
	}
}

// TestLargeFilesAreTakenUpToTheirBound promises that a file may be larger than
// what other addresses take, and that one over its bound is refused in words.
func TestLargeFilesAreTakenUpToTheirBound(t *testing.T) {
	r := newRig(t)
	var file strings.Builder
	file.WriteString("permit_id,employee_id,kind,from\n")
	for i := range 20_000 {
		fmt.Fprintf(&file, "P-%06d,EMP-%04d,monthly,2026-11-01\n", i, 1000+i)
	}
	if got := r.hand("staff", intake.Permits, file.String()); got.JSON["added"] != 20_000.0 || len(got.JSON["changes"].([]any)) != 100 {
		t.Errorf("got %.300s", got.Body)
	}
	got := r.call("staff", "POST", "/v1/poolpatrol/previews", aFile(intake.Permits, file.String()+strings.Repeat("x", 64<<20), false))
	if detail, _ := got.JSON["detail"].(string); got.Status != 422 && got.Status != 413 || detail == "" {
		t.Errorf("got %d %.300s", got.Status, got.Body)
	}
}

// TestAWriteTouchesWhatItNames promises that a whole write which would empty what it leaves
// out does nothing and names it, that a field is emptied by being named, that a patch
// changes what it names alone, and that both are refused on what has changed since.
func TestAWriteTouchesWhatItNames(t *testing.T) {
	r := newRig(t)
	r.hand("staff", intake.Sites, someSites)
	r.hand("staff", intake.Shifts, someShifts)
	r.hand("staff", intake.Employees, someStaff)
	const ada = "/v1/poolpatrol/employees/EMP-1001"
	first := r.want(200, "auditor", "GET", ada, nil)
	lost := r.want(409, "staff", writeMethod, ada, `{"employee_id":"EMP-1001","status":"on_leave","name":"Ada Lovelace"}`)
	for _, field := range []string{"home_zip", "site_id", "shifts"} {
		if !strings.Contains(lost.Body, field) {
			t.Errorf("%s is not named: %s", field, lost.Body)
		}
	}
	if strings.Contains(lost.Body, "name,") || strings.Contains(lost.Body, "Lovelace") {
		t.Errorf("what was named is named as lost, or somebody is: %s", lost.Body)
	}
	if is := r.want(200, "auditor", "GET", ada, nil); is.JSON["home_zip"] != "94538" || is.JSON["status"] != "active" ||
		is.Header.Get("ETag") != first.Header.Get("ETag") {
		t.Errorf("something was done all the same: %s", is.Body)
	}

	patched := r.want(200, "staff", "PATCH", ada, `{"status":"on_leave","home_zip":null}`, "If-Match", first.Header.Get("ETag"))
	if fmt.Sprint(patched.JSON["fields"]) != "[status home_zip]" || patched.Header.Get("ETag") == first.Header.Get("ETag") {
		t.Errorf("got %s", patched.Body)
	}
	is := r.want(200, "auditor", "GET", ada, nil)
	if is.JSON["status"] != "on_leave" || is.JSON["home_zip"] != "" || is.JSON["name"] != "Ada Lovelace" ||
		len(is.JSON["shifts"].([]any)) != 1 ||
		is.Header.Get("ETag") != patched.Header.Get("ETag") {
		t.Errorf("got %s", is.Body)
	}
	r.want(412, "staff", "PATCH", ada, `{"status":"active"}`, "If-Match", first.Header.Get("ETag"))
	const all = `{"employee_id":"EMP-1001","status":"active","name":"","site_id":"PLANT-1","shifts":[]}`
	r.want(412, "staff", writeMethod, ada, all, "If-Match", first.Header.Get("ETag"))
	r.want(422, "staff", "PATCH", ada, `{"status":"active"}`, "If-Match", "1")
	r.want(422, "staff", "PATCH", ada, `{"status":"active"}`, "If-Match", `1"`)
	if whole := r.want(200, "staff", writeMethod, ada, all, "If-Match", patched.Header.Get("ETag")); fmt.Sprint(whole.JSON["fields"]) !=
		"[status name shifts]" {
		t.Errorf("got %s", whole.Body)
	}

	for body, want := range map[string]int{`{}`: 422, `{"color":"red"}`: 422, `{"status":"vanished"}`: 422,
		`{"employee_id":"EMP-1002"}`: 422,
		`{"site_id":"NOWHERE"}`:      422} {
		r.want(want, "staff", "PATCH", ada, body)
	}
	r.want(404, "staff", "PATCH", "/v1/poolpatrol/employees/EMP-9999", `{"status":"active"}`)
	r.want(403, "auditor", "PATCH", ada, `{"status":"active"}`)
	r.want(404, "south", "PATCH", ada, `{"status":"active"}`, "If-Match", patched.Header.Get("ETag"))
	if site := r.want(200, "staff", "PATCH", "/v1/poolpatrol/sites/PLANT-1", `{"coords":{"lat":37.5}}`); fmt.Sprint(site.JSON["fields"]) !=
		"[coords]" {
		t.Errorf("got %s", site.Body)
	}
	r.want(200, "staff", "PATCH", "/v1/poolpatrol/shifts/SHIFT_DAY", `{"name":"Early Shift"}`)
}
