package poolpatrol

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

const runsIt = identity.ProgrammeManager

// TestThePagesImportWhatTheyPreviewed promises the way through the pages: choose,
// preview, import exactly that.
func TestThePagesImportWhatTheyPreviewed(t *testing.T) {
	s := newStage(t)
	of := town(5)
	s.Get(t, runsIt, importAt).Holds(t, 200, "Preview the file", "employee_id*", "Changes nothing")
	for _, h := range poolpatroltest.Files(of.Records) {
		preview := s.send(t, runsIt, importAt+"/preview", h)
		preview.Holds(t, 200, "Not imported yet", "Import ", "Choose the same file again")
		s.send(t, runsIt, importAt, h, "sha256", digest(t, preview)).Holds(t, 200, ": imported", "added, 0 changed, 0 not in the file")
	}
	h := fileOf(t, of, intake.Employees)
	h.File = bytes.Replace(h.File, []byte("Person EMP-1000"), []byte("Somebody Else"), 1)
	preview := s.send(t, runsIt, importAt+"/preview", h)
	preview.Holds(t, 200, "0 added, 1 changed, 0 not in the file", "What changes, by field", ">name<", "in 1 row", "EMP-1000")
	preview.Lacks(t, "Somebody Else", "Made-up Road")
	unchanged := s.send(t, runsIt, importAt+"/preview", fileOf(t, of, intake.Employees))
	unchanged.Holds(t, 200, "Nothing would change", "Import, although nothing changes")
	s.Get(t, identity.Auditor, homeAt).Holds(t, 200, "Last pass", "fresh")
}

// TestAnImportThatCannotBeIsExplained promises each refusal: another state, another
// file, refused lines, a file cut short, no file, no such kind.
func TestAnImportThatCannotBeIsExplained(t *testing.T) {
	s := newStage(t)
	of := town(10)
	s.fill(t, of)
	people := fileOf(t, of, intake.Employees)
	before := digest(t, s.send(t, runsIt, importAt+"/preview", people))
	s.Set(t, `update poolpatrol.employee set name = 'Changed' where id = 'EMP-1000'`)
	stale := s.send(t, runsIt, importAt, people, "sha256", before)
	stale.Holds(t, http.StatusPreconditionFailed, "something changed since your preview", "0 added, 1 changed", "Import 1 change")
	s.send(t, runsIt, importAt, people, "sha256", digest(t, stale)).Holds(t, 200, "Employees: imported")

	lines := bytes.SplitAfter(people.File, []byte("\n"))
	cut := people
	cut.File = bytes.Join(lines[:len(lines)/2], nil)
	short := s.send(t, runsIt, importAt+"/preview", cut)
	short.Holds(t, 200, "more than a fifth", "They become inactive", "The file is complete:", "required")
	s.send(t, runsIt, importAt, cut, "sha256", digest(t, short)).Holds(t, http.StatusConflict, "too many are not in the file",
		"Send the complete file")
	s.send(t, runsIt, importAt, cut, "sha256", digest(t, short), "shrink", "yes").Holds(t, 200, "Employees: imported")

	bad := people
	bad.File = bytes.Replace(people.File, []byte("active"), []byte("<b>asleep</b>"), 1)
	refused := s.send(t, runsIt, importAt+"/preview", bad)
	refused.Holds(t, 200, "1 line is refused", `<th scope="row" class="num">2</th>`, "not imported at all")
	refused.Lacks(t, `name="sha256"`, "<b>asleep")
	s.send(t, runsIt, importAt, bad, "sha256", before).Holds(t, http.StatusPreconditionFailed, "1 line is refused")

	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: intake.Sites}).Holds(t, http.StatusUnprocessableEntity,
		"The file was not imported", "No file was chosen")
	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: "cats", File: []byte("x")}).Holds(t, http.StatusUnprocessableEntity,
		"No records are called")
	s.send(t, runsIt, importAt, people).Holds(t, http.StatusPreconditionRequired, "Preview the file first")
}

// TestAFileOverItsBoundIsTooLarge promises that the page says so.
func TestAFileOverItsBoundIsTooLarge(t *testing.T) {
	s := newStage(t)
	s.send(t, runsIt, importAt+"/preview", record.Handover{Kind: intake.Sites, File: make([]byte, intake.MaxBytes+1)}).
		Holds(t, http.StatusRequestEntityTooLarge, "over 64 MiB")
}

// TestWithScriptThePreviewComesIntoThePage promises a fragment that forms.js lets
// in, beside the form that still holds the file.
func TestWithScriptThePreviewComesIntoThePage(t *testing.T) {
	s := newStage(t)
	h := fileOf(t, town(3), intake.Sites)
	got := s.sendAs(t, h, "HX-Request", "true")
	got.Holds(t, 200, `id="outcome" hx-swap-oob="true"`, `form="import-form"`, `id="records"`)
	got.Lacks(t, "<html", "Choose the same file again")
	if got.Header.Get("Gavel-Region") == "" {
		t.Error("the answer does not say that it is a part of a page")
	}
}

// sendAs previews a file with one more header.
func (s *stage) sendAs(t *testing.T, h record.Handover, name, value string) platformtest.Answer {
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
		done := s.Post(t, runsIt, importAt+"/current", url.Values{"kind": {kind}})
		if done.Status != http.StatusSeeOther {
			t.Fatalf("got %d", done.Status)
		}
		s.Get(t, runsIt, done.Header.Get("Location")).Holds(t, 200, "noted as current")
	}
	s.Get(t, runsIt, homeAt).Lacks(t, "too old to audit anybody on")
	s.Post(t, runsIt, importAt+"/current", url.Values{"kind": {"cats"}}).Holds(t, http.StatusUnprocessableEntity, "No records are called")
}

// TestATrialChangesNothing promises the simulator: a form, the difference before and
// after, by site and by shift, and the line below which people look at why.
func TestATrialChangesNothing(t *testing.T) {
	s := newStage(t)
	s.Get(t, runsIt, simulateAt).Holds(t, 200, "No vans are on record", "nothing to try rules on yet", "Import records",
		"Today 50; from 1 to 500", "Try these")
	s.Get(t, runsIt, simulateAt+"?location.threshold_miles=12").Holds(t, http.StatusConflict, "This cannot be tried now",
		"Have every van audited once.")
	s.fill(t, town(40))
	s.audit(t)
	s.Get(t, runsIt, simulateAt).Holds(t, 200, "No threshold changed yet")
	s.Get(t, runsIt, simulateAt+"?location.threshold_miles=50").Holds(t, 200, "No threshold changed yet")
	tried := s.Get(t, identity.Auditor, simulateAt+"?location.threshold_miles=12&shift.overlap_basis=commute")
	tried.Holds(t, 200, "Farthest home from the pickup, miles: 50 → 12", "Newly flagged", "No longer flagged", "By site", "By shift",
		"Plant 1", "Impact ratio today", "Below 0.8", "Riders flagged, of 320", "Trial only", `value="12"`)
	s.Get(t, runsIt, simulateAt+"?location.threshold_miles=9999").Holds(t, http.StatusUnprocessableEntity, "outside its bounds",
		`aria-invalid="true"`, "“9999” cannot be tried: write a number from 1 to 500.")
	s.Get(t, runsIt, simulateAt+"?location.threshold_miles=9999").Lacks(t, "threshold_miles=9999:")
	tried.Lacks(t, "SHIFT_DAY")
	s.Get(t, runsIt, simulateAt+"?location.threshold_miles="+strings.Repeat("9", 400)).Holds(t, http.StatusUnprocessableEntity)
	all, _, err := s.app.store.Passes(t.Context(), stageManager(), "", 10)
	if err != nil || len(all) != 1 {
		t.Errorf("after trials there are %d passes, %v", len(all), err)
	}
	s.Set(t, `update poolpatrol.assignment set shift_id = 'SHIFT_DAY'`) // of one group nobody says that it fares alike
	s.audit(t)
	alone := s.Get(t, runsIt, simulateAt+"?location.threshold_miles=12")
	alone.Holds(t, 200, "cannot be compared", "Two groups of at least 20 riders are needed")
}
