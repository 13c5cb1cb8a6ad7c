//go:build browser

package poolpatrol

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web/webtest"
)

// TestPagesAreFitForPeople promises that the pages have no serious finding from
// axe-core, log no error, break no content security policy and never scroll
// sideways, at 360 and 1280 px, light and dark, in English and Hindi.
func TestPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-empty@"+homeAt, "pool-import@"+importAt, "pool-passes-none@"+passesAt,
		"pool-vans-none@"+vansAt, "pool-trial-none@"+simulateAt)
	of := town(120)
	s.fill(t, of)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-ready@"+homeAt, "pool-ask@"+passesAt+"/new")
	gone := string(of.Vanpools[1].Riders[0].Employee)
	s.Set(t, `update poolpatrol.employee set home_lat = null, home_lng = null where id = $1`, gone)
	s.Set(t, `update poolpatrol.rider set removed_on = current_date where vanpool_id = $1`, string(of.Vanpools[2].ID))
	p := s.audit(t)
	s.stand(t, of.Wrong[0].Employee)
	run := s.runOf(t, p, of.Wrong[0].Vanpool)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-done@"+homeAt, "pool-passes@"+passesAt, "pool-pass@"+passAddress(p.ID, ""),
		"pool-pass-error@"+passAddress(p.ID, "?outcome=error"),
		"pool-vans@"+vansAt, "pool-vans-no-match@"+vansAt+"?van=9", "pool-van@"+vansAt+"/"+string(of.Wrong[0].Vanpool),
		"pool-van-error@"+vansAt+"/"+string(of.Vanpools[2].ID), "pool-run@"+runsAt+"/"+run,
		"pool-rider@"+ridersAt+"/"+string(of.Wrong[0].Employee), "pool-gaps@"+gapsAt,
		"pool-trial@"+simulateAt+"?location.threshold_miles=12&shift.enough_minutes=20",
		"pool-trial-bad@"+simulateAt+"?location.threshold_miles=9999=422")
	s.look(t, s.URL, identity.Auditor, "pool-auditor@"+homeAt)
	s.answers(t, of.Records)
	half := s.begin(t)
	s.Set(t, `update poolpatrol.pass set planned = 1200, verified = 432, failed = 180,
		snapshot = (select id from poolpatrol.snapshot limit 1) where id = $1`, half.ID)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-running@"+homeAt, "pool-pass-running@"+passAddress(half.ID, ""))
	s.grow(t, 50*time.Hour)
	s.look(t, s.URL, identity.ProgrammeManager, "pool-stale@"+homeAt)
}

// stand gives somebody everything their page can show.
func (s *stage) stand(t *testing.T, who fleet.EmployeeID) {
	t.Helper()
	s.Set(t, `update poolpatrol.employee set name = 'Sunita Krishnamurthy-Bhattacharya', time_type = 'full_time'
		where id = $1`, string(who))
	s.Set(t, `insert into poolpatrol.exception (org, id, subject, check_name, until_day, reason, granted_by, granted_at)
		values ('north', 'EXC-0000000A', $1, 'parking', current_date + 30, 'Cares for a parent and drives twice a month.',
		'dev:programme_manager@north', now())`, string(who))
	s.Set(t, `insert into poolpatrol.away (org, employee_id, from_day, until_day)
		values ('north', $1, '2026-12-21', '2027-01-02')`, string(who))
}

func (s *stage) runOf(t *testing.T, p store.Pass, van fleet.VanpoolID) string {
	t.Helper()
	runs, _, err := s.app.store.Runs(t.Context(), stageManager(), store.RunQuery{Pass: p.ID, Vanpool: van})
	if err != nil || len(runs) != 1 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	return string(runs[0].ID)
}

// answers looks at the pages that are answers to a form: each is served at an
// address of its own, in the language of who asks.
func (s *stage) answers(t *testing.T, r fleet.Records) {
	t.Helper()
	whole := poolpatroltest.Files(r)[2]
	lines := bytes.SplitAfter(whole.File, []byte("\n"))
	cut, bad, other := whole, whole, whole
	cut.File = bytes.Join(lines[:len(lines)/2], nil)
	bad.File = bytes.ReplaceAll(whole.File, []byte("EMP-100"), []byte("EMPLOYEE-100"))
	other.File = bytes.ReplaceAll(bytes.ReplaceAll(whole.File, []byte("Person EMP-10"), []byte("Somebody EMP-10")), []byte("full_time"),
		[]byte("part_time"))
	nothing := record.Handover{Kind: intake.Sites}
	sent := map[string]struct {
		to string
		record.Handover
	}{"/preview": {importAt + "/preview", other}, "/cut": {importAt + "/preview", cut}, "/bad": {importAt + "/preview", bad},
		"/stale": {importAt, other}, "/nothing": {importAt + "/preview", nothing}}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if one, ok := sent[r.URL.Path]; ok {
			r = formOf(t, r, one.to, one.Handover)
		}
		s.Config.Handler.ServeHTTP(w, r)
	}))
	defer front.Close()
	s.look(t, front.URL, identity.ProgrammeManager, "pool-preview@/preview", "pool-preview-cut@/cut", "pool-preview-bad@/bad",
		"pool-import-stale@/stale=412", "pool-import-nothing@/nothing=422")
}

// formOf is the form of an import, sent by whoever asks.
func formOf(t *testing.T, by *http.Request, to string, h record.Handover) *http.Request {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for name, value := range map[string]string{"kind": string(h.Kind), "extent": "whole", "sha256": "0000"} {
		_ = form.WriteField(name, value)
	}
	file, err := form.CreateFormFile("file", "records.csv")
	if err != nil {
		t.Error(err)
	}
	_, _ = file.Write(h.File)
	_ = form.Close()
	req := httptest.NewRequestWithContext(by.Context(), http.MethodPost, to, &body)
	req.Header.Set("Cookie", by.Header.Get("Cookie"))
	req.Header.Set("Accept", "text/html")
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req
}

// look has pages looked at in a browser; screenshots are left for people.
func (s *stage) look(t *testing.T, base string, role identity.Role, pages ...string) {
	t.Helper()
	webtest.Check(t, "check.mjs", append([]string{"--base", base, "--token", platformtest.Token(t, postgrestest.North, role), "--out",
		webtest.Shots(t), "--langs", "en,hi"}, pages...)...)
}
