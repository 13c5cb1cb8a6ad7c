package program

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
)

// A soul is somebody made up of whom everything can be told from everybody else's.
type soul struct {
	ID, Van, Site, Given, Family, Email, Address, ZIP, Shift, ShiftName, Hours string
	Lat, Lng                                                                   float64
	Schedule                                                                   []fleet.Slot
	Fails                                                                      string // shift, location or both; empty: fits
}

// marks are what could tell of them, and what each is.
func (s soul) marks() map[string]string {
	return map[string]string{s.ID: "employee id", s.Given: "first name", s.Family: "last name", s.Email: "address for mail",
		s.Address: "home address",
		s.ZIP:     "home zip", s.Shift: "shift", s.ShiftName: "name of the shift", s.Hours: "hours"}
}

// souls are the riders of a made-up town, each given what nobody else has. In every
// van the last rider fails, and in every fifth the last two.
func souls(vans int) (all []soul, town madeup.Town) {
	town = madeup.Plan{Seed: 8, Vans: vans, Riders: 5}.Build()
	for i := range town.Vanpools {
		v := &town.Vanpools[i]
		v.Schedule = madeup.Slots("Mon Tue Wed", clockOf(300+5*i), clockOf(300+5*i+540))
		for j := range v.Riders {
			n := len(all)
			e := town.Employees[n]
			s := soul{ID: string(e.ID), Van: string(v.ID), Site: string(v.Site), Given: fmt.Sprintf("Wren%05d", n),
				Family: fmt.Sprintf("Hollis%05d", n),
				Email:  fmt.Sprintf("mail%05d@riders.example.org", n), Address: fmt.Sprintf("%d Larkspur%05d Lane", n, n),
				ZIP: fmt.Sprint(90000 + n), Shift: fmt.Sprintf("SHIFT_R%05d", n), ShiftName: fmt.Sprintf("Kestrel%05d", n),
				Lat: e.Home.At.Lat, Lng: e.Home.At.Lng}
			start, length := 300+5*i+j, 541
			if j == 4 || j == 3 && i%5 == 0 {
				s.Fails = []string{"shift", "location", "both"}[n%3]
			}
			if s.Fails == "shift" || s.Fails == "both" {
				start, length = start+720, 481
			}
			if s.Fails == "location" || s.Fails == "both" {
				s.Lat += 2
			}
			s.Schedule = madeup.Slots("Mon Tue Wed", clockOf(start), clockOf(start+length))
			s.Hours = clockOf(start) + "-" + clockOf(start+length)
			all = append(all, s)
		}
	}
	return all, town
}

// clockOf is a minute of the day as a clock shows it.
func clockOf(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60%24, minute%60) }

// fillTown writes a town down.
func (g *patrol) fillTown(all []soul, town madeup.Town) {
	g.t.Helper()
	const rows = `with site as (insert into poolpatrol.site (org, id, name, zone, lat, lng)
			select 'north', s->>'id', s->>'name', 'America/Los_Angeles', (s->'coords'->>'lat')::float8, (s->'coords'->>'lng')::float8
			from jsonb_array_elements($1::jsonb) s returning id),
		shift as (insert into poolpatrol.shift select 'north', s->>'Shift', s->>'ShiftName', s->'Schedule'
		from jsonb_array_elements($3::jsonb) s),
		van as (insert into poolpatrol.vanpool (org, id, site_id, pickup_lat, pickup_lng, capacity, coordinator_id, schedule, status,
		changed_at)
			select 'north', v->>'id', v->>'site_id', (v->'pickup_coords'->>'lat')::float8, (v->'pickup_coords'->>'lng')::float8, 7,
			v->>'coordinator_id', v->'schedule', 'active', now() - interval '1 day'
			from jsonb_array_elements($2::jsonb) v),
		person as (insert into poolpatrol.employee (org, id, status, site_id, name, email, home_address, home_zip, home_lat, home_lng,
		changed_at)
			select 'north', s->>'ID', 'active', s->>'Site', (s->>'Given') || ' ' || (s->>'Family'), s->>'Email', s->>'Address', s->>'ZIP',
			(s->>'Lat')::float8, (s->>'Lng')::float8, now() - interval '1 day'
			from jsonb_array_elements($3::jsonb) s),
		works as (insert into poolpatrol.assignment select 'north', s->>'ID', s->>'Shift', '2020-01-01'
		from jsonb_array_elements($3::jsonb) s),
		rides as (insert into poolpatrol.rider (org, vanpool_id, employee_id) select 'north', s->>'Van', s->>'ID'
		from jsonb_array_elements($3::jsonb) s)
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', k, now(), 'api', 'test'
		from unnest(array['sites', 'shifts', 'employees', 'vanpools']) k`
	var args []any
	for _, v := range []any{town.Sites, town.Vanpools, all} {
		text, err := json.Marshal(v)
		if err != nil {
			g.t.Fatal(err)
		}
		args = append(args, string(text))
	}
	g.does(rows, args...)
}

// A register knows everybody by their marks.
type register struct {
	byMark  map[string]soul
	byEmail map[string]soul
	byVan   map[string][]soul
}

func newRegister(all []soul) register {
	r := register{map[string]soul{}, map[string]soul{}, map[string][]soul{}}
	for _, s := range all {
		for mark := range s.marks() {
			r.byMark[mark] = s
		}
		r.byEmail[s.Email], r.byVan[s.Van] = s, append(r.byVan[s.Van], s)
	}
	return r
}

// markForm is whatever has the form of a mark.
var markForm = regexp.MustCompile(`EMP-\d{4}|Wren\d{5}|Hollis\d{5}|mail\d{5}@riders\.example\.org|\d+ Larkspur\d{5} Lane|SHIFT_R\d{5}|Kestrel\d{5}|\d\d:\d\d-\d\d:\d\d|\b9\d{4}\b`)

// leaks are what a mail says that it may not: anything of anybody but its recipient,
// and of them what does not belong where it stands.
func (r register) leaks(t testing.TB, raw string) (found []string) {
	t.Helper()
	head, text := unfolded(t, raw)
	to, err := netmail.ParseAddress(head["To"])
	if err != nil {
		return []string{"it is to nobody: " + head["To"]}
	}
	own, known := r.byEmail[to.Address]
	seat := strings.HasPrefix(head["Subject"], "A seat in your vanpool") // to who coordinates the van, whether they fit or not
	if !known || own.Fails == "" && !seat {
		return []string{"it is to " + to.Address + ", whom nothing is asked of"}
	}
	for name, value := range head {
		if name != "To" {
			found = append(found, r.in(own, name, value, nil)...)
		}
	}
	found = append(found, r.in(own, "To", head["To"], []string{own.Given, own.Family, own.Email})...)
	may := []string{own.Given}
	if seat {
		return append(found, r.in(own, "the text", text, may)...)
	}
	if own.Fails != "location" {
		may = append(may, own.ShiftName, own.Hours)
	}
	if own.Fails != "shift" {
		may = append(may, own.ZIP)
	}
	return append(found, r.in(own, "the text", text, may)...)
}

// ourIDs are digests and keys that letters are known by: one in some thousand has five
// digits in a row that are somebody's zip.
var ourIDs = regexp.MustCompile(`\b(MSG|CASE)-[0-9A-F]{8}\b|\.[0-9a-f]{24}@|\.[a-z2-7]{10}@|-[a-z2-7]{12}@`)

// in are the marks in a text but for those that may be there.
func (r register) in(own soul, where, text string, may []string) (found []string) {
	text = ourIDs.ReplaceAllString(text, "@")
	for _, mark := range markForm.FindAllString(text, -1) {
		if of, known := r.byMark[mark]; known && !slices.Contains(may, mark) {
			found = append(found, fmt.Sprintf("%s has the %s of %s", where, of.marks()[mark], of.ID))
		}
	}
	for _, other := range r.byVan[own.Van] { // however it is written
		for mark, what := range other.marks() {
			if other.ID != own.ID && strings.Contains(strings.ToLower(text), strings.ToLower(mark)) {
				found = append(found, fmt.Sprintf("%s has the %s of %s, of the same van", where, what, other.ID))
			}
		}
	}
	return found
}

// unfolded is all that a mail says, out of its encodings: its header by field, but
// for what servers on the way wrote, and the text of all its parts.
func unfolded(t testing.TB, raw string) (head map[string]string, text string) {
	t.Helper()
	m, err := netmail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	head = map[string]string{}
	for name, values := range m.Header {
		word, err := new(mime.WordDecoder).DecodeHeader(strings.Join(values, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if name != "Received" {
			head[name] = word
		}
	}
	return head, bodyOf(t, m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
}

func bodyOf(t testing.TB, kind, encoding string, body io.Reader) string {
	t.Helper()
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	}
	media, params, err := mime.ParseMediaType(kind)
	if err == nil && strings.HasPrefix(media, "multipart/") {
		var all strings.Builder
		for parts := multipart.NewReader(body, params["boundary"]); ; {
			part, err := parts.NextRawPart()
			if err != nil {
				return all.String()
			}
			all.WriteString(bodyOf(t, part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part) + "\n")
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
