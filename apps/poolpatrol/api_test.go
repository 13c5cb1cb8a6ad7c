package poolpatrol

import (
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

func apiTown() madeup.Town { return madeup.Plan{Seed: 7, Vans: 30, Riders: 5, Percent: 40}.Build() }

// TestWhoMayUseTheAPI promises who may do what over the API: everybody else is
// refused, in words, before anything is looked up.
func TestWhoMayUseTheAPI(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	pass := r.audited("manager")
	site := aFile(intake.Sites, "site_id,name,tz\nPLANT-1,Plant One,America/Los_Angeles\n", false)
	asked := []struct {
		method, path string
		body         any
		may          string
	}{
		{"GET", "/v1/poolpatrol/vanpools", nil, "manager auditor south"},
		{"GET", "/v1/poolpatrol/vanpools/VP-00001", nil, "manager auditor"},
		{"GET", "/v1/poolpatrol/employees/EMP-1000", nil, "manager auditor"},
		{"GET", "/v1/poolpatrol/syncs", nil, "manager auditor south"},
		{"GET", "/v1/poolpatrol/gaps", nil, "manager auditor south"},
		{"GET", "/v1/poolpatrol/passes", nil, "manager auditor south"},
		{"GET", "/v1/poolpatrol/passes/" + pass, nil, "manager auditor"},
		{"GET", "/v1/poolpatrol/passes/" + pass + "/runs", nil, "manager auditor"},
		{"GET", "/v1/poolpatrol/settings", nil, "manager auditor south"},
		{"POST", "/v1/poolpatrol/previews", site, "manager staff south"},
		{"POST", "/v1/poolpatrol/syncs", `{"kinds":["employees"]}`, "manager staff south"},
		{writeMethod, "/v1/poolpatrol/sites/PLANT-9", `{"site_id":"PLANT-9","tz":"UTC"}`, "manager staff south"},
		{"POST", "/v1/poolpatrol/simulations", `{"changes":["location.threshold_miles=40"]}`, "manager auditor"},
		{"POST", "/v1/poolpatrol/rehearsals", nil, "manager auditor"},
		{"POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`, "manager"},
	}
	for _, who := range slices.Sorted(maps.Keys(rigPeople)) {
		for _, a := range asked {
			got := r.call(who, a.method, a.path, a.body)
			may := slices.Contains(strings.Fields(a.may), who)
			switch {
			case may && got.Status >= 300:
				t.Errorf("%s %s %s: got %d, want it done: %.300s", who, a.method, a.path, got.Status, got.Body)
			case !may && who == "south" && got.Status != 404 && got.Status != 409: // they may, and there is nothing of theirs
				t.Errorf("%s %s %s: got %d, want nothing to be there", who, a.method, a.path, got.Status)
			case !may && who != "south" && got.Status != 403:
				t.Errorf("%s %s %s: got %d, want 403: %.300s", who, a.method, a.path, got.Status, got.Body)
			}
		}
	}
	if got := r.call("", "GET", "/v1/poolpatrol/vanpools", nil); got.Status != 401 {
		t.Errorf("nobody: got %d, want 401", got.Status)
	}
}

// TestTheAPIShowsAnotherOrganisationNothing promises that what one organisation has
// imported and found, another cannot read, count or guess.
func TestTheAPIShowsAnotherOrganisationNothing(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	pass := r.audited("manager")
	run := r.want(200, "manager", "GET", "/v1/poolpatrol/passes/"+pass+"/runs", nil).Items()[0].(map[string]any)["id"].(string)
	for _, list := range []string{"vanpools", "gaps", "passes"} {
		if got := r.want(200, "south", "GET", "/v1/poolpatrol/"+list, nil); len(got.Items()) != 0 {
			t.Errorf("%s: got %s", list, got.Body)
		}
	}
	for _, path := range []string{"vanpools/VP-00001", "employees/EMP-1000", "passes/" + pass, "passes/" + pass + "/runs", "runs/" + run} {
		real := r.want(404, "south", "GET", "/v1/poolpatrol/"+path, nil)
		if strings.Contains(real.Body, "Person") {
			t.Errorf("%s: got %s", path, real.Body)
		}
	}
	for _, one := range r.want(200, "south", "GET", "/v1/poolpatrol/syncs", nil).Items() {
		if y := one.(map[string]any); y["at"] != nil || y["fresh"] != false {
			t.Errorf("got %v, want records that never came", y)
		}
	}
}

// TestAPassIsStartedReadAndItsRunsListed promises that a pass can be followed
// from its start to the verdicts, and that it found what is wrong in the town.
func TestAPassIsStartedReadAndItsRunsListed(t *testing.T) {
	r, town := newRig(t), apiTown()
	r.fill("staff", town)
	started := r.want(201, "manager", "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`, "Idempotency-Key", "one-of-a-kind")
	id := started.JSON["id"].(string)
	if started.Header.Get("Location") != "/v1/poolpatrol/passes/"+id || started.JSON["state"] != "running" ||
		started.JSON["asked_by"] != "manager" || started.JSON["ended_at"] != nil {
		t.Fatalf("got %+v", started)
	}
	if page := started.JSON["links"].(map[string]any)["page"]; page != "https://gavel.example/poolpatrol/passes/"+id {
		t.Errorf("got page %v", page)
	}
	if again := r.want(201, "manager", "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`, "Idempotency-Key",
		"one-of-a-kind"); again.JSON["id"] != id {
		t.Errorf("the same key again started %v", again.JSON["id"])
	}
	r.finish(rigPeople["manager"].Org, id)
	p := r.want(200, "auditor", "GET", "/v1/poolpatrol/passes/"+id, nil).JSON
	if p["state"] != "done" || p["planned"] != 30.0 || p["looked"] != 30.0 || p["failed"] != float64(len(town.Wrong)) ||
		p["verified"] != 30-float64(len(town.Wrong)) || p["ended_at"] == nil {
		t.Errorf("got %v, want %d failed of 30", p, len(town.Wrong))
	}
	failed := r.want(200, "auditor", "GET", "/v1/poolpatrol/passes/"+id+"/runs?outcome=failed&page_size=200", nil).Items()
	if len(failed) != len(town.Wrong) {
		t.Fatalf("got %d failed runs, want %d", len(failed), len(town.Wrong))
	}
	for i, one := range failed {
		run, wrong := one.(map[string]any), town.Wrong[i]
		if run["vanpool_id"] != string(wrong.Vanpool) || fmt.Sprint(run["failed_checks"]) == "[]" || run["findings"].(float64) < 1 ||
			run["confidence"].(float64) < 1 {
			t.Errorf("got %v, want the van %s", run, wrong.Vanpool)
		}
		whole := r.want(200, "auditor", "GET", "/v1/poolpatrol/runs/"+run["id"].(string), nil)
		if !strings.Contains(whole.Body, string(wrong.Employee)) || !strings.Contains(whole.Body, `"check":"`+wrong.Check+`"`) {
			t.Errorf("%s does not say what is wrong with %s: %.500s", run["id"], wrong.Employee, whole.Body)
		}
	}
	van := r.want(200, "manager", "GET", "/v1/poolpatrol/vanpools/"+string(town.Wrong[0].Vanpool), nil).JSON
	if van["outcome"] != "failed" || van["rider_count"] != 5.0 || len(van["riders"].([]any)) != 5 || len(van["runs"].([]any)) != 1 {
		t.Errorf("got %v", van)
	}
	if got := r.want(200, "manager", "GET", "/v1/poolpatrol/vanpools?outcome=failed&page_size=200", nil).
		Items(); len(got) != len(town.Wrong) {
		t.Errorf("got %d vans whose last audit failed, want %d", len(got), len(town.Wrong))
	}
}

// TestNobodyIsAuditedOnRecordsThatNeverCame promises the refusal and what to do.
func TestNobodyIsAuditedOnRecordsThatNeverCame(t *testing.T) {
	r := newRig(t)
	got := r.want(409, "manager", "POST", "/v1/poolpatrol/passes", `{"kind":"asked"}`)
	if next, _ := got.JSON["next"].(string); !strings.Contains(next, "import") {
		t.Errorf("got %s, want to be told to import", got.Body)
	}
	got = r.want(409, "auditor", "POST", "/v1/poolpatrol/simulations", `{"changes":["location.threshold_miles=40"]}`)
	if next, _ := got.JSON["next"].(string); !strings.Contains(next, "audited") {
		t.Errorf("got %s, want to be told to audit first", got.Body)
	}
}

// TestListsComeInPagesAndAsFiles promises that pages hold everything once, and
// that the file holds what the pages do.
func TestListsComeInPagesAndAsFiles(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	pass := r.audited("manager")
	r.audited("manager")
	for path, want := range map[string]int{"vanpools": 30, "vanpools?status=active": 30, "vanpools?begins=VP-0001": 10,
		"vanpools?site_id=NOWHERE": 0,
		"passes":                   2, "passes/" + pass + "/runs": 30, "settings": 7, "syncs": 6} {
		var ids []string
		for token := ""; ; {
			join := "?"
			if strings.Contains(path, "?") {
				join = "&"
			}
			got := r.want(200, "manager", "GET", "/v1/poolpatrol/"+path+join+"page_size=7&page_token="+token, nil)
			for _, one := range got.Items() {
				item := one.(map[string]any)
				ids = append(ids, fmt.Sprint(item["id"], item["vanpool_id"], item["name"], item["kind"]))
			}
			if token, _ = got.JSON["next_page_token"].(string); token == "" {
				break
			}
		}
		if each := slices.Compact(slices.Sorted(slices.Values(ids))); len(ids) != want || len(each) != want {
			t.Errorf("%s: got %d items, %d different ones, want %d", path, len(ids), len(each), want)
		}
		file := r.want(200, "manager", "GET", "/v1/poolpatrol/"+path, nil, "Accept", "text/csv")
		lines, err := csv.NewReader(strings.NewReader(file.Body)).ReadAll()
		if err != nil || len(lines) != want+1 {
			t.Errorf("%s: got a file of %d lines, %v, want a heading and %d", path, len(lines), err, want)
		}
	}
}

// TestWhatIsOutOfBoundsIsRefused promises a refusal in words for what a caller
// may get wrong, and never an error of ours.
func TestWhatIsOutOfBoundsIsRefused(t *testing.T) {
	r := newRig(t)
	r.fill("manager", apiTown())
	pass := r.audited("manager")
	for _, tt := range []struct {
		method, path string
		body         any
		want         int
	}{
		{"GET", "/v1/poolpatrol/vanpools?page_size=201", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools?page_token=abc", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools?colour=red", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools?outcome=perhaps", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools?site_id=%00", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools?begins=%00", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools/VP-99999", nil, 404},
		{"GET", "/v1/poolpatrol/vanpools/%27%3Bdrop", nil, 422},
		{"GET", "/v1/poolpatrol/vanpools/%00", nil, 422},
		{"GET", "/v1/poolpatrol/employees/EMP-999999", nil, 404},
		{"GET", "/v1/poolpatrol/passes/PASS-00000000", nil, 404},
		{"GET", "/v1/poolpatrol/passes/%00", nil, 422},
		{"GET", "/v1/poolpatrol/passes/PASS-00000000/runs", nil, 404},
		{"GET", "/v1/poolpatrol/passes/" + pass + "/runs?outcome=perhaps", nil, 422},
		{"GET", "/v1/poolpatrol/runs/RUN-00000000", nil, 404},
		{"GET", "/v1/poolpatrol/runs/nothing", nil, 404},
		{"POST", "/v1/poolpatrol/passes", `{"kind":"monthly"}`, 422},
		{"POST", "/v1/poolpatrol/passes", `{}`, 422},
		{"POST", "/v1/poolpatrol/simulations", `{"changes":[]}`, 422},
		{"POST", "/v1/poolpatrol/simulations", `{"changes":["location.threshold_miles=0"]}`, 422},
		{"POST", "/v1/poolpatrol/simulations", `{"changes":["location.threshold_miles=40","location.threshold_miles=41"]}`, 422},
		{"POST", "/v1/poolpatrol/syncs", `{"kinds":["cats"]}`, 422},
		{"POST", "/v1/poolpatrol/syncs", `{"kinds":[]}`, 422},
		{"POST", "/v1/poolpatrol/previews", aFile("cats", "a\n1\n", false), 422},
		{"POST", "/v1/poolpatrol/previews", aFile(intake.Sites, "", false), 422},
		{"POST", "/v1/poolpatrol/previews", aFile(intake.Sites, "name\nPlant\n", false), 422},
		{"POST", "/v1/poolpatrol/imports", aFile(intake.Sites, "site_id,tz\nPLANT-1,UTC\n", false), 422},
		{writeMethod, "/v1/poolpatrol/sites/PLANT-1", `{"site_id":"PLANT-2","tz":"UTC"}`, 422},
		{writeMethod, "/v1/poolpatrol/sites/PLANT-9", `{"site_id":"PLANT-9","tz":"Atlantis"}`, 422},
		{writeMethod, "/v1/poolpatrol/sites/PLANT-9", `{"site_id":"PLANT-9","tz":"UTC","color":"red"}`, 422},
		{writeMethod, "/v1/poolpatrol/sites/PLANT-9", `{"site_id":"PLANT-9","tz":"UTC","name":"` + strings.Repeat("x", 70_000) + `"}`, 413},
		{writeMethod, "/v1/poolpatrol/employees/EMP-1000", `{"employee_id":"EMP-1000","status":"vanished"}`, 422},
		{writeMethod, "/v1/poolpatrol/vanpools/VP-101", `{"vanpool_id":"VP-101","site_id":"NOWHERE","status":"active"}`, 422},
	} {
		got := r.call("manager", tt.method, tt.path, tt.body)
		if got.Status != tt.want && !(tt.want == 422 && got.Status == 400) {
			t.Errorf("%s %s: got %d, want %d: %.300s", tt.method, tt.path, got.Status, tt.want, got.Body)
		}
		if detail, _ := got.JSON["detail"].(string); detail == "" {
			t.Errorf("%s %s says nothing: %.300s", tt.method, tt.path, got.Body)
		}
	}
}
