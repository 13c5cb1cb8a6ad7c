package console_test

import (
	"html"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

var (
	// What is not a time on the page: text of machines, and choices such as "until
	// 17:00", which are the same by every clock.
	machineText = regexp.MustCompile(`(?s)<(script|style|code|pre|template|option)\b.*?</(script|style|code|pre|template|option)>`)
	anyTag      = regexp.MustCompile(`<[^>]*>`)
	timeOfDay   = regexp.MustCompile(`\b(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d)?\b`)
	stampForm   = regexp.MustCompile(`datetime="([^"]+)"`)
)

// twoZones are zones without summer time in which no midnight is near: what was
// decided today is on a page until then.
func twoZones(t *testing.T) (here, there *time.Location) {
	t.Helper()
	names := [2]string{"Asia/Kolkata", "Pacific/Marquesas"} // midnight at 18:30 and at 09:30 in UTC
	if slices.Contains([]int{8, 9, 17, 18}, time.Now().UTC().Hour()) {
		names = [2]string{"Australia/Eucla", "Asia/Tehran"} // 15:15 and 20:30
	}
	var zones [2]*time.Location
	for i, name := range names {
		var err error
		if zones[i], err = time.LoadLocation(name); err != nil {
			t.Fatal(err)
		}
	}
	return zones[0], zones[1]
}

// TestAllTimesOnAPageAreInTheOrganisationsZoneAndSaySo promises it of every page
// with times on it: read by the same person in an organisation of one zone and then of
// another, every time of day on the page moves by just what lies between the two,
// every stamp for machines has the zone's offset, and the zone is named.
func TestAllTimesOnAPageAreInTheOrganisationsZoneAndSaySo(t *testing.T) {
	here, there := twoZones(t)
	now := time.Now()
	_, east := now.In(there).Zone()
	_, west := now.In(here).Zone()
	apart := time.Duration(east-west) * time.Second
	s := newStage(t)
	pages := s.pagesWithTimes(t)
	seen := map[string][]string{}
	for _, zone := range []struct{ name, label, other, offset string }{
		{here.String(), web.ZoneLabel(now.In(here)), web.ZoneLabel(now.In(there)), now.In(here).Format("-07:00")},
		{there.String(), web.ZoneLabel(now.In(there)), web.ZoneLabel(now.In(here)), now.In(there).Format("-07:00")},
	} {
		s.set(t, `update gavel_sys.organisation set zone = $1 where org = 'north'`, zone.name)
		s.build(t) // a site remembers zones for a while
		server := httptest.NewServer(s.handler)
		s.server, server = server, s.server
		server.Close()
		for path, role := range pages {
			page := s.askAs(t, role, path, nil)
			if page.status != 200 {
				t.Fatalf("%s answers %d", path, page.status)
			}
			text := html.UnescapeString(anyTag.ReplaceAllString(machineText.ReplaceAllString(page.body, " "), " "))
			if !strings.Contains(text, zone.label) || strings.Contains(text, zone.other) {
				t.Errorf("%s in %s does not name the zone, or names another", path, zone.name)
			}
			for _, m := range stampForm.FindAllStringSubmatch(page.body, -1) {
				if at, err := time.Parse(time.RFC3339, m[1]); err != nil || !strings.HasSuffix(m[1], zone.offset) {
					t.Errorf("%s in %s has a stamp %s (%v, %v)", path, zone.name, m[1], at, err)
				}
			}
			if zone.name == here.String() {
				seen[path] = timeOfDay.FindAllString(text, -1)
				continue
			}
			compareTimes(t, path, seen[path], timeOfDay.FindAllString(text, -1), apart)
		}
	}
}

// compareTimes wants every time of the second list to be that of the first, so
// much later. Some minutes may pass between the two.
func compareTimes(t *testing.T, path string, before, after []string, apart time.Duration) {
	t.Helper()
	if len(before) != len(after) || len(before) == 0 {
		t.Errorf("%s shows %d times in one zone, %d in the other: %v, %v", path, len(before), len(after), before, after)
		return
	}
	for i := range before {
		a, b := clockOf(t, before[i]), clockOf(t, after[i])
		if off := (b - a - apart + 72*time.Hour) % (24 * time.Hour); off > 10*time.Minute {
			t.Errorf("%s shows %s in one zone and %s in the other, which is not %s later", path, before[i], after[i], apart)
		}
	}
}

func clockOf(t *testing.T, text string) time.Duration {
	t.Helper()
	form := "15:04"
	if strings.Count(text, ":") == 2 {
		form = "15:04:05"
	}
	at, err := time.Parse(form, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.Sub(at.Truncate(24 * time.Hour))
}

// pagesWithTimes fills an organisation and lists its pages, with who reads them.
func (s *stage) pagesWithTimes(t *testing.T) map[string]identity.Role {
	t.Helper()
	c, run := s.sampleRuns(t)
	measured := s.Case(t, 3)
	open, held, late := s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter"), s.offer(t, c, "look_up")
	s.answer(t, identity.Officer, held, review.Approve, "")
	s.set(t, `update gavel.proposal set due_at = now() - interval '3 hours' where id = $1`, late.ID)
	s.ask(t, "/delegations", url.Values{"to": {"dev:hr@north"}, "until": {time.Now().AddDate(0, 0, 7).Format(time.DateOnly)},
		"reason": {"On leave."}})
	s.paused(t, act.EveryOutside, "The list of wards is wrong.")
	hooked, sent := s.tried(t)
	snap := s.fetched(t, "cpcb", "station,pm25\nAlipur,388\n")
	s.drain(t)
	s.publish(t)
	record := records(s.ask(t, "/audit?kind=facts", nil).body)[0]
	at := "/cases/" + string(c.ID)
	return map[string]identity.Role{
		"/cases": identity.Officer, at: identity.Officer, at + "/sheet": identity.Officer, "/cases?state=waiting": identity.Officer,
		s.factsOf(measured, ""): identity.Officer, s.factsOf(measured, "F2"): identity.Officer,
		"/inbox": identity.Officer, "/inbox?view=done": identity.Officer, "/proposals/" + open.ID: identity.Officer,
		"/proposals/" + held.ID: identity.Officer, "/proposals/" + late.ID: identity.Officer, "/delegations": identity.Officer,
		"/runs": identity.Operator, "/runs/" + run: identity.Operator,
		"/audit": identity.Auditor, "/audit/" + record: identity.Auditor,
		"/admin": identity.OrgAdmin, "/admin/pauses": identity.OrgAdmin, "/admin/webhooks": identity.OrgAdmin, "/admin/webhooks/" +
			hooked: identity.OrgAdmin, "/admin/webhooks/" + hooked + "/messages/" + sent: identity.OrgAdmin,
		"/admin/models": identity.OrgAdmin, "/admin/retention": identity.OrgAdmin,
		"/sources": identity.OrgAdmin, "/sources/cpcb": identity.OrgAdmin, "/sources/cpcb/" + string(snap.ID): identity.Officer,
	}
}
