package poolpatrol

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/scim"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/web"
)

// A provisioner is a staff system that speaks SCIM to a real server on a real
// database. The header As names who asks, in place of sign-in.
type provisioner struct {
	*rig
}

func newProvisioner(t *testing.T) provisioner {
	t.Helper()
	r := newRig(t)
	r.hand("manager", "sites", "site_id,name,tz\nPLANT-1,Plant 1,America/Los_Angeles\n")
	r.hand("manager", "shifts", "shift_id,name,day,start_time,end_time\nSHIFT_DAY,Day,Mon,07:00,16:00\nSHIFT_NIGHT,Night,Mon,22:00,06:00\n")
	people := maps.Clone(rigPeople)
	people["hr"] = identity.Actor{Kind: identity.Machine, ID: "hr", Name: "HR", Org: postgrestest.North,
		Scopes: []string{"ingest:poolpatrol", "read:staff"}}
	routes := func(m *web.Mux) { rest.Provision(m, r.app.store, rigPublic) }
	r.Server = r.Serve(t, platformtest.Serves{Routes: routes, As: people, Public: rigPublic})
	return provisioner{r}
}

// asks sends a request as a provisioning system does, and insists on the status and
// the content type.
func (p provisioner) asks(status int, as, method, path, body string, headers ...string) platformtest.Answer {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), method, p.URL+scimAt+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("As", as)
	req.Header.Set("Accept", scim.ContentType)
	if body != "" {
		req.Header.Set("Content-Type", scim.ContentType)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	got := p.Send(p.t, req)
	if got.Status != status {
		p.t.Fatalf("%s %s %s: got %d, want %d: %s", as, method, path, got.Status, status, got.Body)
	}
	if got.Body == "" {
		return got
	}
	if kind := got.Header.Get("Content-Type"); kind != scim.ContentType {
		p.t.Errorf("%s %s: %s", method, path, kind)
	}
	if err := json.Unmarshal([]byte(got.Body), &got.JSON); err != nil {
		p.t.Fatalf("%s %s: %v in %s", method, path, err, got.Body)
	}
	return got
}

// fails insists on an error in the protocol's shape.
func (p provisioner) fails(status int, kind scim.Kind, as, method, path, body string, headers ...string) {
	p.t.Helper()
	got := p.asks(status, as, method, path, body, headers...)
	said, _ := got.JSON["scimType"].(string)
	schemas, _ := json.Marshal(got.JSON["schemas"])
	if said != string(kind) || string(schemas) != `["urn:ietf:params:scim:api:messages:2.0:Error"]` || got.JSON["status"] == nil {
		p.t.Errorf("%s %s %s: got %s", as, method, path, got.Body)
	}
}

func (p provisioner) find(filter string) []any {
	p.t.Helper()
	got := p.asks(200, "hr", "GET", "/Users?filter="+url.QueryEscape(filter), "").JSON
	all, _ := got["Resources"].([]any)
	return all
}

// employee is a row of the staff records.
func (p provisioner) employee(id string) (row string) {
	p.t.Helper()
	err := p.DB.App.InOrg(p.t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(p.t.Context(), `select concat_ws('|', status, name, email, language, site_id, manager_id, home_zip,
			(select string_agg(shift_id || ' ' || from_day, ',' order by from_day) from poolpatrol.assignment a where a.employee_id = e.id))
			from poolpatrol.employee e where id = $1`, id).Scan(&row)
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return row
}

const (
	oktaUser = `{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","urn:gavel:poolpatrol:2.0:Employee"],"userName":"EMP-2001","externalId":"00u1a2b3","name":{"givenName":"Ana","familyName":"Silva"},
		"emails":[{"primary":true,"value":"ana@example.org","type":"work"}],"displayName":"Ana Silva","locale":"en-US","groups":[],"password":"x","active":true,
		"urn:gavel:poolpatrol:2.0:Employee":{"shift_id":"SHIFT_DAY","effective_from":"2026-01-01","site_id":"PLANT-1","home_zip":"94538","manager":"EMP-2002"}}`
	patchSchema = `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":`
)

// TestOktaProvisionsSomebody walks the way of a client in Okta's shapes: look up,
// create, read back, write whole, deactivate.
func TestOktaProvisionsSomebody(t *testing.T) {
	p := newProvisioner(t)
	if got := p.find(`userName eq "EMP-2001"`); len(got) != 0 {
		t.Fatalf("there is somebody already: %v", got)
	}
	made := p.asks(201, "hr", "POST", "/Users", oktaUser)
	version, at := made.Header.Get("ETag"), made.Header.Get("Location")
	meta, _ := made.JSON["meta"].(map[string]any)
	if at != "https://gavel.example/poolpatrol/scim/v2/Users/EMP-2001" || meta["location"] != at || meta["version"] != version ||
		version == "" || made.JSON["id"] != "EMP-2001" || made.JSON["password"] != nil {
		t.Errorf("%s at %s, version %s", made.Body, at, version)
	}
	if got, want := p.employee("EMP-2001"), "active|Ana Silva|ana@example.org|en|PLANT-1|EMP-2002|94538|SHIFT_DAY 2026-01-01"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	p.fails(409, scim.Uniqueness, "hr", "POST", "/Users", oktaUser)
	for _, filter := range []string{`userName eq "emp-2001"`, `externalId eq "00u1a2b3"`, `id eq "EMP-2001"`} {
		if got := p.find(filter); len(got) != 1 {
			t.Errorf("%s finds %d", filter, len(got))
		}
	}
	read := p.asks(200, "hr", "GET", "/Users/EMP-2001", "")
	p.asks(304, "hr", "GET", "/Users/EMP-2001", "", "If-None-Match", version)
	// Okta writes the whole it knows, which is not all: what it does not say stays.
	whole := strings.Replace(`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User"],"id":"EMP-2001","userName":"EMP-2001","externalId":"00u1a2b3","name":{"givenName":"Ana","familyName":"Costa"},"active":true,"meta":META}`,
		"META", `{"resourceType":"User"}`, 1)
	put := p.asks(200, "hr", "PUT", "/Users/EMP-2001", whole, "If-Match", read.Header.Get("ETag"))
	if got, want := p.employee("EMP-2001"),
		"active|Ana Costa|ana@example.org|en|PLANT-1|EMP-2002|94538|SHIFT_DAY 2026-01-01"; got != want ||
		put.Header.Get("ETag") == version {
		t.Errorf("got %s, want %s; version %s", got, want, put.Header.Get("ETag"))
	}
	p.fails(412, "", "hr", "PUT", "/Users/EMP-2001", whole, "If-Match", version)
	got := p.asks(200, "hr", "PATCH", "/Users/EMP-2001", patchSchema+`[{"op":"replace","value":{"active":false}}]}`)
	if got.JSON["active"] != false || !strings.HasPrefix(p.employee("EMP-2001"), "inactive|Ana Costa|") {
		t.Errorf("%s", got.Body)
	}
}

// TestEntraProvisionsSomebody walks the way of a client in Entra ID's shapes:
// capital operations, truths in strings, paths with filters, then deletion.
func TestEntraProvisionsSomebody(t *testing.T) {
	p := newProvisioner(t)
	if got := p.find(`externalId eq "9f1c"`); len(got) != 0 {
		t.Fatal(got)
	}
	p.asks(201, "hr", "POST", "/Users",
		`{"schemas":["urn:ietf:params:scim:schemas:core:2.0:User","urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],"externalId":"9f1c","userName":"EMP-2003","active":true,
		"displayName":"Bo Ek","emails":[{"type":"work","value":"bo@example.org"}],"meta":{"resourceType":"User"},"title":"Welder","addresses":[{"type":"work","locality":"X"}],
		"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User":{"department":"Y"}}`)
	p.asks(200, "hr", "PATCH", "/Users/EMP-2003",
		patchSchema+`[{"op":"Replace","path":"displayName","value":"Bo Ekman"},{"op":"Add","path":"emails[type eq \"work\"].value","value":"bo.ekman@example.org"},
		{"op":"Add","path":"urn:gavel:poolpatrol:2.0:Employee:shift_id","value":"SHIFT_NIGHT"},{"op":"Add","path":"urn:gavel:poolpatrol:2.0:Employee:effective_from","value":"2026-02-01"},
		{"op":"Add","value":{"preferredLanguage":"es-MX","urn:gavel:poolpatrol:2.0:Employee":{"site_id":"PLANT-1"}}}]}`)
	if got, want := p.employee("EMP-2003"), "active|Bo Ekman|bo.ekman@example.org|es|PLANT-1||SHIFT_NIGHT 2026-02-01"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := p.asks(200, "hr", "PATCH", "/Users/EMP-2003",
		patchSchema+`[{"op":"Replace","path":"active","value":"False"}]}`); got.JSON["active"] != false {
		t.Errorf("%s", got.Body)
	}
	p.asks(204, "hr", "DELETE", "/Users/EMP-2003", "")
	p.fails(404, "", "hr", "GET", "/Users/EMP-2003", "")
	p.fails(404, "", "hr", "DELETE", "/Users/EMP-2003", "")
	if got := p.find(`externalId eq "9f1c"`); len(got) != 0 || !strings.HasPrefix(p.employee("EMP-2003"), "inactive|Bo Ekman|") {
		t.Errorf("after deletion there are %v and %s", got, p.employee("EMP-2003"))
	}
	p.asks(201, "hr", "POST", "/Users", `{"userName":"EMP-2003","externalId":"9f1c"}`)
	if !strings.HasPrefix(p.employee("EMP-2003"), "active|Bo Ekman|") {
		t.Errorf("who comes back is %s", p.employee("EMP-2003"))
	}
}

// TestProvisioningIsRefusedByDefault promises who may do what, and that no
// organisation sees another's.
func TestProvisioningIsRefusedByDefault(t *testing.T) {
	p := newProvisioner(t)
	p.asks(201, "hr", "POST", "/Users", oktaUser)
	for _, as := range []string{"officer", "admin", "reader", "staff"} {
		p.fails(403, "", as, "GET", "/Users", "")
		p.fails(403, "", as, "POST", "/Users", oktaUser)
		p.fails(403, "", as, "DELETE", "/Users/EMP-2001", "")
	}
	p.fails(401, "", "", "GET", "/Users", "")
	p.fails(401, "", "", "GET", "/ServiceProviderConfig", "")
	p.fails(403, "", "auditor", "PATCH", "/Users/EMP-2001", patchSchema+`[{"op":"replace","path":"active","value":false}]}`)
	p.asks(200, "auditor", "GET", "/Users/EMP-2001", "")
	p.fails(404, "", "south", "GET", "/Users/EMP-2001", "")
	p.fails(404, "", "south", "PATCH", "/Users/EMP-2001", patchSchema+`[{"op":"replace","path":"active","value":false}]}`)
	p.fails(404, "", "south", "DELETE", "/Users/EMP-2001", "")
	if got := p.asks(200, "south", "GET", "/Users?filter="+url.QueryEscape(`externalId eq "00u1a2b3"`),
		"").JSON["totalResults"]; got != 0.0 {
		t.Errorf("south finds %v", got)
	}
	if !strings.HasPrefix(p.employee("EMP-2001"), "active|") {
		t.Error("somebody who may not has changed the records")
	}
}

// TestProvisioningRefusesWhatAnImportWould promises the same checks, told in the
// protocol's words.
func TestProvisioningRefusesWhatAnImportWould(t *testing.T) {
	p := newProvisioner(t)
	p.asks(201, "hr", "POST", "/Users", oktaUser)
	own := func(field, value string) string {
		return patchSchema + `[{"op":"replace","path":"urn:gavel:poolpatrol:2.0:Employee:` + field + `","value":"` + value + `"}]}`
	}
	for name, tt := range map[string]struct {
		status             int
		kind               scim.Kind
		method, path, body string
	}{
		"a site not on record": {400, scim.InvalidValue, "PATCH", "/Users/EMP-2001", own("site_id", "PLANT-9")},
		"no shift's name":      {400, scim.InvalidValue, "PATCH", "/Users/EMP-2001", own("shift_id", "days")},
		"no employee":          {400, scim.InvalidValue, "PATCH", "/Users/EMP-2001", own("manager", "Bob")},
		"no address": {400, scim.InvalidValue, "PATCH", "/Users/EMP-2001",
			patchSchema + `[{"op":"replace","path":"emails","value":[{"value":"a, b"}]}]}`},
		"a line break": {400, scim.InvalidValue, "PATCH", "/Users/EMP-2001",
			patchSchema + `[{"op":"replace","path":"displayName","value":"a\nb"}]}`},
		"another's externalId": {409, scim.Uniqueness, "POST", "/Users", `{"userName":"EMP-2009","externalId":"00u1a2b3"}`},
		"no userName":          {400, scim.InvalidValue, "POST", "/Users", `{"displayName":"x"}`},
		"a mail as userName":   {400, scim.InvalidValue, "POST", "/Users", `{"userName":"ana@example.org"}`},
		"no JSON":              {400, scim.InvalidSyntax, "POST", "/Users", `{"userName"`},
		"two of them":          {400, scim.InvalidSyntax, "POST", "/Users", `{"userName":"EMP-2008"}{}`},
		"too much":             {413, "", "POST", "/Users", `{"displayName":"` + strings.Repeat("x", scim.MaxBody) + `"}`},
		"no such user":         {404, "", "PUT", "/Users/EMP-9999", oktaUser},
		"no id":                {404, "", "GET", "/Users/ana", ""},
		"a filter":             {400, scim.InvalidFilter, "GET", "/Users?filter=active+eq+true", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := *p.rig
			r.t = t // a subtest fails by its own
			provisioner{&r}.fails(tt.status, tt.kind, "hr", tt.method, tt.path, tt.body)
		})
	}
	if got, want := p.employee("EMP-2001"), "active|Ana Silva|ana@example.org|en|PLANT-1|EMP-2002|94538|SHIFT_DAY 2026-01-01"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestUsersAreListedInPages promises the bounds of a list, and its count.
func TestUsersAreListedInPages(t *testing.T) {
	p := newProvisioner(t)
	file := "employee_id,status\n"
	for _, n := range []string{"3001", "3002", "3003", "3004", "3005"} {
		file += "EMP-" + n + ",active\n"
	}
	h := record.Handover{Kind: "employees", File: []byte(file), Whole: true}
	preview, err := p.app.store.Preview(t.Context(), rigPeople["manager"], h)
	if err == nil {
		_, err = p.app.store.Import(t.Context(), rigPeople["manager"], h, preview.SHA256)
	}
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]struct {
		start float64
		ids   string
	}{
		"":                           {1, "EMP-3001 EMP-3002 EMP-3003 EMP-3004 EMP-3005"},
		"?startIndex=2&count=2":      {2, "EMP-3002 EMP-3003"},
		"?startIndex=-7&count=1":     {1, "EMP-3001"},
		"?startIndex=6":              {6, ""},
		"?count=0":                   {1, ""},
		"?count=-1":                  {1, ""},
		"?count=100000&startIndex=x": {1, "EMP-3001 EMP-3002 EMP-3003 EMP-3004 EMP-3005"},
	} {
		got := p.asks(200, "hr", "GET", "/Users"+query, "").JSON
		some, _ := got["Resources"].([]any)
		var ids []string
		for _, one := range some {
			u, _ := one.(map[string]any)
			id, _ := u["id"].(string)
			ids = append(ids, id)
		}
		if got["totalResults"] != 5.0 || got["startIndex"] != want.start || got["itemsPerPage"] != float64(len(some)) ||
			strings.Join(ids, " ") != want.ids {
			t.Errorf("%s: %v", query, got)
		}
	}
}

// TestTheServiceDescribesItself promises that what a client asks first is answered.
func TestTheServiceDescribesItself(t *testing.T) {
	p := newProvisioner(t)
	if got := p.asks(200, "hr", "GET", "/ServiceProviderConfig", ""); !strings.Contains(got.Body, `"patch":{"supported":true}`) ||
		!strings.Contains(got.Body, `"bulk":{"maxOperations":0`) {
		t.Errorf("%s", got.Body)
	}
	for _, path := range []string{"/ResourceTypes", "/ResourceTypes/User", "/Schemas", "/Schemas/" + scim.CoreUser,
		"/Schemas/" + scim.Extension} {
		if got := p.asks(200, "hr", "GET", path, ""); !strings.Contains(got.Body, scim.Extension) &&
			!strings.HasSuffix(path, "core:2.0:User") {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
	p.fails(404, "", "hr", "GET", "/Schemas/urn:none", "")
	for _, none := range []string{"GET /Groups", "GET /", "GET /Users/EMP-2001/more", "POST /Bulk", "DELETE /Users"} {
		method, path, _ := strings.Cut(none, " ")
		p.fails(404, "", "hr", method, path, "")
	}
	p.fails(401, "", "", "GET", "/Groups", "")
}

// TestOpenCasesNoticeWhatIsProvisioned promises that a change by SCIM is one on
// record, that the cases of whom it is about look at it, and no others are woken.
func TestOpenCasesNoticeWhatIsProvisioned(t *testing.T) {
	s := newRiderStage(t)
	machine := identity.Actor{Kind: identity.Machine, ID: "hr", Name: "HR", Org: postgrestest.North, Scopes: []string{"ingest:poolpatrol"}}
	s.Set(t, `update poolpatrol.employee set changed_at = now() - interval '2 days'`)
	waiting := func() (woken []string, logged int) {
		s.In(t, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `select coalesce((select array_agg(target order by id) from gavel.outbox), '{}'),
				(select count(*) from gavel.record where kind = 'poolpatrol_import')`).Scan(&woken, &logged)
		})
		return woken, logged
	}
	before, _ := waiting()
	made, err := scim.ReadUser([]byte(`{"userName":"EMP-9901","displayName":"Nobody's Rider"}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.app.store.ScimCreate(t.Context(), machine, made); err != nil {
		t.Fatal(err)
	}
	c, err := scim.ReadPatch([]byte(patchSchema +
		`[{"op":"replace","path":"urn:gavel:poolpatrol:2.0:Employee:home_zip","value":"99999"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.app.store.ScimChange(t.Context(), machine, "EMP-9901", "", c); err != nil {
		t.Fatal(err)
	}
	woken, logged := waiting()
	if len(woken) != len(before) {
		t.Errorf("somebody on no case woke %v", woken[len(before):])
	}
	if _, err := s.app.store.ScimChange(t.Context(), machine, s.who, "", c); err != nil {
		t.Fatal(err)
	}
	own, _, err := s.Deps.Cases.Wake(s.file)
	if err != nil {
		t.Fatal(err)
	}
	woken, now := waiting()
	if woken = woken[len(before):]; !slices.Equal(woken, []string{own}) || now != logged+1 {
		t.Errorf("woken are %v, want %s; %d records and %d", woken, own, logged, now)
	}
	steps := s.app.work.Steps()
	if _, err := steps.Advance(t.Context(), casefile.Input{Org: postgrestest.North, Case: s.file.ID}, time.Now()); err != nil {
		t.Fatal(err)
	}
	s.In(t, func(tx pgx.Tx) error {
		var noticed bool
		err := tx.QueryRow(t.Context(), `select exists (select from poolpatrol.case_event where case_id = $1
			and key like 'data_changed:' || $2 || ':%')`, s.file.ID, string(s.who)).Scan(&noticed)
		if !noticed {
			t.Error("the case has not noticed")
		}
		return err
	})
}
