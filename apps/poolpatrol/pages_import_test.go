package poolpatrol

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
)

const runsIt = identity.ProgrammeManager

// TestThePagesImportWhatTheyPreviewed promises the way through the pages: choose,
// preview, import exactly that.
func TestThePagesImportWhatTheyPreviewed(t *testing.T) {
	s := newStage(t)
	of := town(5)
	s.get(t, runsIt, importAt).holds(t, 200, "Preview the file", "employee_id*", "Changes nothing")
	for _, h := range poolpatroltest.Files(of.Records) {
		preview := s.send(t, runsIt, importAt+"/preview", h)
		preview.holds(t, 200, "Not imported yet", "Import ", "Choose the same one again")
		s.send(t, runsIt, importAt, h, "sha256", preview.digest(t)).holds(t, 200, ": imported", "added, 0 changed, 0 going")
	}
	h := fileOf(t, of, intake.Employees)
	h.File = bytes.Replace(h.File, []byte("Person EMP-1000"), []byte("Somebody Else"), 1)
	preview := s.send(t, runsIt, importAt+"/preview", h)
	preview.holds(t, 200, "0 added, 1 changed, 0 going", "What changes, by field", ">name<", "in 1 row", "EMP-1000")
	preview.lacks(t, "Somebody Else", "Made-up Road")
	unchanged := s.send(t, runsIt, importAt+"/preview", fileOf(t, of, intake.Employees))
	unchanged.holds(t, 200, "Nothing would change", "Import, although nothing changes")
	s.get(t, identity.Auditor, homeAt).holds(t, 200, "Last pass", "fresh")
}

// TestAnImportThatCannotBeIsExplained promises each refusal: another state, another
// file, refused lines, a file cut short, no file, no such kind.
func TestAnImportThatCannotBeIsExplained(t *testing.T) {
	s := newStage(t)
	of := town(10)
	s.fill(t, of)
	people := fileOf(t, of, intake.Employees)
	before := s.send(t, runsIt, importAt+"/preview", people).digest(t)
	s.set(t, `update poolpatrol.employee set name = 'Changed' where id = 'EMP-1000'`)
	stale := s.send(t, runsIt, importAt, people, "sha256", before)
	stale.holds(t, http.StatusPreconditionFailed, "what you previewed is no longer so", "0 added, 1 changed", "Import 1 change")
	s.send(t, runsIt, importAt, people, "sha256", stale.digest(t)).holds(t, 200, "Employees: imported")

	lines := bytes.SplitAfter(people.File, []byte("\n"))
	cut := people
	cut.File = bytes.Join(lines[:len(lines)/2], nil)
	short := s.send(t, runsIt, importAt+"/preview", cut)
	short.holds(t, 200, "more than a fifth", "They become inactive", "The file is whole:", "required")
	s.send(t, runsIt, importAt, cut, "sha256", short.digest(t)).holds(t, http.StatusConflict, "too many would go", "Send the whole file")
	s.send(t, runsIt, importAt, cut, "sha256", short.digest(t), "shrink", "yes").holds(t, 200, "Employees: imported")

	bad := people
	bad.File = bytes.Replace(people.File, []byte("active"), []byte("<b>asleep</b>"), 1)
	refused := s.send(t, runsIt, importAt+"/preview", bad)
	refused.holds(t, 200, "1 line is refused", `<th scope="row" class="num">2</th>`, "not imported at all")
	refused.lacks(t, `name="sha256"`, "<b>asleep")
	s.send(t, runsIt, importAt, bad, "sha256", before).holds(t, http.StatusPreconditionFailed, "1 line is refused")

	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: intake.Sites}).holds(t, http.StatusUnprocessableEntity, "This was not taken", "No file was chosen")
	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: "cats", File: []byte("x")}).holds(t, http.StatusUnprocessableEntity, "No records are called")
	s.send(t, runsIt, importAt, people).holds(t, http.StatusPreconditionRequired, "Preview the file first")
}

// TestAFileOverItsBoundIsTooLarge promises that the page says so.
func TestAFileOverItsBoundIsTooLarge(t *testing.T) {
	s := newStage(t)
	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: intake.Sites, File: make([]byte, intake.MaxBytes+1)}).holds(t, http.StatusRequestEntityTooLarge, "over 64 MiB")
}

// TestWithScriptThePreviewComesIntoThePage promises a fragment that forms.js lets
// in, beside the form that still holds the file.
func TestWithScriptThePreviewComesIntoThePage(t *testing.T) {
	s := newStage(t)
	h := fileOf(t, town(3), intake.Sites)
	got := s.sendAs(t, h, "HX-Request", "true")
	got.holds(t, 200, `id="outcome" hx-swap-oob="true"`, `form="import-form"`, `id="records"`)
	got.lacks(t, "<html", "Choose the same one again")
	if got.header.Get("Gavel-Region") == "" {
		t.Error("the answer does not say that it is a part of a page")
	}
}

// sendAs previews a file with one more header.
func (s *stage) sendAs(t *testing.T, h record.Handover, name, value string) shownPage {
	t.Helper()
	return s.sendWith(t, runsIt, importAt+"/preview", h, http.Header{name: {value}})
}

// TestRecordsCanBeSaidToBeCurrent promises that no file is needed where nothing
// changed.
func TestRecordsCanBeSaidToBeCurrent(t *testing.T) {
	s := newStage(t)
	s.fill(t, town(3))
	s.grow(t, 50*60*60*1e9)
	for _, kind := range []string{"employees", "vanpools"} {
		done := s.post(t, runsIt, importAt+"/current", url.Values{"kind": {kind}})
		if done.status != http.StatusSeeOther {
			t.Fatalf("got %d", done.status)
		}
		s.get(t, runsIt, done.header.Get("Location")).holds(t, 200, "noted as current")
	}
	s.get(t, runsIt, homeAt).lacks(t, "too old to audit anybody on")
	s.post(t, runsIt, importAt+"/current", url.Values{"kind": {"cats"}}).holds(t, http.StatusUnprocessableEntity, "No records are called")
}

// TestATrialChangesNothing promises the simulator: a form, the difference before and
// after, by site and by shift, and the line below which people look at why.
func TestATrialChangesNothing(t *testing.T) {
	s := newStage(t)
	s.get(t, runsIt, simulateAt).holds(t, 200, "No vans are on record", "nothing to try rules on yet", "Import records", "Today 50; from 1 to 500", "Try these")
	s.get(t, runsIt, simulateAt+"?location.threshold_miles=12").holds(t, http.StatusConflict, "This cannot be tried now", "Have every van audited once.")
	s.fill(t, town(40))
	s.audit(t)
	s.get(t, runsIt, simulateAt).holds(t, 200, "Nothing is moved yet")
	s.get(t, runsIt, simulateAt+"?location.threshold_miles=50").holds(t, 200, "Nothing is moved yet")
	tried := s.get(t, identity.Auditor, simulateAt+"?location.threshold_miles=12&shift.overlap_basis=commute")
	tried.holds(t, 200, "Farthest home from the pickup, miles: 50 → 12", "Newly flagged", "No longer flagged", "By site", "By shift", "Plant 1", "Impact ratio today", "Below 0.8", "Riders flagged, of 320", "Trial only", `value="12"`)
	s.get(t, runsIt, simulateAt+"?location.threshold_miles=9999").holds(t, http.StatusUnprocessableEntity, "outside its bounds", `aria-invalid="true"`, "“9999” cannot be tried: write a number from 1 to 500.")
	s.get(t, runsIt, simulateAt+"?location.threshold_miles=9999").lacks(t, "threshold_miles=9999:")
	tried.lacks(t, "SHIFT_DAY")
	s.get(t, runsIt, simulateAt+"?location.threshold_miles="+strings.Repeat("9", 400)).holds(t, http.StatusUnprocessableEntity)
	all, err := s.app.store.Passes(t.Context(), stageManager(), store.PassMark{}, 10)
	if err != nil || len(all) != 1 {
		t.Errorf("after trials there are %d passes, %v", len(all), err)
	}
	s.set(t, `update poolpatrol.assignment set shift_id = 'SHIFT_DAY'`) // of one group nobody says that it fares alike
	s.audit(t)
	alone := s.get(t, runsIt, simulateAt+"?location.threshold_miles=12")
	alone.holds(t, 200, "cannot be compared", "Two groups of at least 20 riders are needed")
}
