package intake

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

func mustRead[T any](t testing.TB, table Table[T], file string) File[T] {
	t.Helper()
	f, err := Read(table, []byte(file))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func date(t testing.TB, s string) fleet.Date {
	t.Helper()
	d, err := fleet.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// anywhere knows every site and van that tests use.
func anywhere() Known {
	return Known{Sites: map[fleet.SiteID]bool{"PLANT-1": true}, Vanpools: map[fleet.VanpoolID]bool{"VP-101": true},
		Zone: func(s string) bool { return s == "America/Los_Angeles" }}
}

// TestSeveralLinesAreOnePerson promises that shifts with their dates and days off
// add up, and come out in order.
func TestSeveralLinesAreOnePerson(t *testing.T) {
	f := mustRead(t, EmployeeTable(),
		"\xef\xbb\xbfEmployee_ID,status,home_lat,home_lng,shift_id,effective_from,effective_until,pto_dates,shoe_size\n"+
			"EMP-1001,active,37.5,-121.9,SHIFT_NIGHT,2026-06-01,,2026-11-09..2026-11-13;2026-11-02,43\n"+
			"EMP-1002,on_leave,,,,,,2026-01-01..,41\n"+
			"EMP-1001,active,37.5,-121.9,SHIFT_DAY,2025-01-06,2026-05-31,2026-11-12..2026-11-14,43\n")
	if f.Count != 0 || len(f.Rows) != 2 || f.Lines != 3 || !slices.Equal(f.Ignored, []string{"shoe_size"}) {
		t.Fatalf("got %+v, want two people of three lines and one column ignored", f)
	}
	want := Employee{ID: "EMP-1001", Status: fleet.Active, Language: "en", Home: &fleet.Point{Lat: 37.5, Lng: -121.9},
		Shifts: []fleet.Assignment{{Shift: "SHIFT_DAY", From: date(t, "2025-01-06"), Until: date(t, "2026-05-31")},
			{Shift: "SHIFT_NIGHT", From: date(t, "2026-06-01")}},
		Away: []fleet.Span{{From: date(t, "2026-11-02"), Until: date(t, "2026-11-02")}, {From: date(t, "2026-11-09"),
			Until: date(t, "2026-11-14")}}}
	if got := f.Rows[0].Value; !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got := f.Rows[1].Value.Away; len(got) != 1 || got[0].Until != 0 {
		t.Errorf("got %v, want a leave without an end", got)
	}
}

// TestBadLinesAreRefusedByNumber promises that what cannot be taken is named with
// its line, and that words about people are not quoted.
func TestBadLinesAreRefusedByNumber(t *testing.T) {
	const head = "employee_id,status,email,name,home_lat,home_lng,shift_id,effective_from,effective_until,pto_dates\n"
	for _, tt := range []struct{ line, reason string }{
		{"EMP-1,active,,,,,,,,", "EMP-"},
		{"EMP-1001,retired,,,,,,,,", "status"},
		{"EMP-1001,active,Secretperson,,,,,,,", "email: use one address"},
		{"EMP-1001,active,,Secret\u0007person,,,,,,", "control character"},
		{"EMP-1001,active,,,91,0,,,,", "home_lat: use a number"},
		{"EMP-1001,active,,,1,,,,,", "home_lng: use a number"},
		{"EMP-1001,active,,,NaN,1,,,,", "home_lat: use a number"},
		{"EMP-1001,active,,,,,SHIFT_DAY,,,", "effective_from"},
		{"EMP-1001,active,,,,,SHIFT_DAY,2026-01-02,2026-01-01,", "is before"},
		{"EMP-1001,active,,,,,,2026-01-02,,", "shift"},
		{"EMP-1001,active,,,,,,,,2026-01-02..2026-01-01", "pto_dates"},
		{"EMP-1001,active,,,,,,,,tomorrow", "date"},
		{"EMP-1001,active,,\"" + strings.Repeat("Secretperson", 20) + "\",,,,,,", "name has more than 200"},
	} {
		f := mustRead(t, EmployeeTable(), head+"EMP-1000,active,,,,,,,,\n"+tt.line+"\n")
		if f.Count != 1 || f.List[0].Line != 3 || !strings.Contains(f.List[0].Reason, tt.reason) || strings.Contains(f.List[0].Reason,
			"Secret") {
			t.Errorf("%.60q: got %+v, want line 3 refused for %q without quoting anybody", tt.line, f.Refusals, tt.reason)
		}
	}
}

// TestFilesThatCannotBeRead promises that a file that is wrong as a whole is an
// error, with what to do.
func TestFilesThatCannotBeRead(t *testing.T) {
	for name, file := range map[string]string{
		"empty":               "",
		"a column is missing": "employee_id,name\nEMP-1001,x\n",
		"half a place":        "employee_id,status,home_lat\nEMP-1001,active,1\n",
		"half a shift":        "employee_id,status,shift_id\nEMP-1001,active,SHIFT_DAY\n",
		"twice a column":      "employee_id,status,status\nEMP-1001,active,active\n",
		"not UTF-8":           "employee_id,status\nEMP-1001,\xff\n",
		"cut in a quote":      "employee_id,status\nEMP-1001,\"act",
	} {
		if _, err := Read(EmployeeTable(), []byte(file)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if _, err := Read(SiteTable(), make([]byte, MaxBytes+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, want too large", err)
	}
}

// TestLinesOfOneThingAgree promises that a file that contradicts itself is not
// taken at its last word.
func TestLinesOfOneThingAgree(t *testing.T) {
	f := mustRead(t, EmployeeTable(),
		"employee_id,status,shift_id,effective_from\nEMP-1001,active,SHIFT_DAY,2026-01-01\nEMP-1001,inactive,SHIFT_DAY,2026-02-01\n")
	if f.Count != 1 || f.List[0].Line != 3 || !strings.Contains(f.List[0].Reason, "line 2") {
		t.Errorf("got %+v, want line 3 refused for line 2", f.Refusals)
	}
	g := mustRead(t, RiderTable(), "vanpool_id,employee_id\nVP-101,EMP-1001\nVP-101,EMP-1001\n")
	if g.Count != 1 || g.List[0].Line != 3 {
		t.Errorf("got %+v, want the second seat refused", g.Refusals)
	}
	h := mustRead(t, ShiftTable(), "shift_id,name,day,start_time,end_time\nSHIFT_DAY,Day,Mon,07:00,16:00\nSHIFT_DAY,Day,Mun,07:00,16:00\nSHIFT_DAY,Day,Tue,25:00,16:00\n")
	if h.Count != 2 || len(h.Rows[0].Value.Slots) != 1 {
		t.Errorf("got %+v, want two stretches refused", h)
	}
}

// TestAMissingColumnChangesNothing promises that a file without a column leaves
// it, and that an empty cell empties it.
func TestAMissingColumnChangesNothing(t *testing.T) {
	was := Employee{ID: "EMP-1001", Status: fleet.Active, Language: "en", Name: "Ann", ZIP: "94000", Home: &fleet.Point{Lat: 1, Lng: 2},
		Shifts: []fleet.Assignment{{Shift: "SHIFT_DAY", From: date(t, "2026-01-01")}}}
	for _, tt := range []struct {
		file   string
		fields []string
	}{
		{"employee_id,status\nEMP-1001,active\n", nil},
		{"employee_id,status,home_zip\nEMP-1001,inactive,\n", []string{"status", "home_zip"}},
		{"employee_id,status,home_lat,home_lng\nEMP-1001,active,1.0,2.00\n", nil},
		{"employee_id,status,shift_id,effective_from\nEMP-1001,active,,\n", []string{"shifts"}},
	} {
		d := Compare(EmployeeTable(), []Employee{was}, mustRead(t, EmployeeTable(), tt.file), Terms{Known: anywhere()})
		if len(tt.fields) == 0 {
			if d.Unchanged != 1 || len(d.Changed) != 0 {
				t.Errorf("%q: got %+v, want nothing changed", tt.file, d)
			}
			continue
		}
		if len(d.Changed) != 1 || !slices.Equal(d.List[0].Fields, tt.fields) || d.Changed[0].Name != "Ann" {
			t.Errorf("%q: got %+v, want %v changed and the name left", tt.file, d, tt.fields)
		}
	}
}

// TestWholeFiles promises who goes when a whole file leaves them out, and that a
// file cut short is noticed.
func TestWholeFiles(t *testing.T) {
	today := date(t, "2026-11-16")
	var was []Rider
	for i := range 10 {
		was = append(was, Rider{Vanpool: "VP-101", Employee: fleet.EmployeeID(fmt.Sprintf("EMP-%04d", 1000+i))})
	}
	was[9].Removed = date(t, "2026-01-01")
	for _, tt := range []struct {
		whole         bool
		listed, gone  int
		there, shrink bool
	}{
		{false, 1, 0, true, false}, {true, 9, 0, true, false}, {true, 8, 1, true, false}, {true, 7, 2, true, true},
		{true, 0, 9, true, true},
	} {
		f := mustRead(t, RiderTable(), "vanpool_id,employee_id\n")
		if tt.listed > 0 {
			f = mustRead(t, RiderTable(), string(Write(RiderTable(), was[:tt.listed]...)))
		}
		d := Compare(RiderTable(), was, f, Terms{Whole: tt.whole, Today: today, Known: anywhere()})
		if len(d.Gone) != tt.gone || d.Shrinks() != tt.shrink || d.There != 9 {
			t.Errorf("whole %v of %d: %d of %d go, shrinks %v; want %d of 9, %v", tt.whole, tt.listed, len(d.Gone), d.There, d.Shrinks(),
				tt.gone, tt.shrink)
		}
		for _, r := range d.Gone {
			if r.Removed != today {
				t.Errorf("%s is removed on %s, want %s", r.Employee, r.Removed, today)
			}
		}
	}
}

// TestTheRecordStands promises that no file brings back whom a case removed or who
// was erased, and that who joined again is back.
func TestTheRecordStands(t *testing.T) {
	removed := Rider{Vanpool: "VP-101", Employee: "EMP-1001", Since: date(t, "2025-01-01"), Removed: date(t, "2026-11-01"), ByCase: true}
	for file, kept := range map[string]int{
		"vanpool_id,employee_id,since,removed\nVP-101,EMP-1001,2025-01-01,\n": 1,
		"vanpool_id,employee_id,since,removed\nVP-101,EMP-1001,2026-11-10,\n": 0,
	} {
		d := Compare(RiderTable(), []Rider{removed}, mustRead(t, RiderTable(), file), Terms{Known: anywhere()})
		if d.Kept != kept || len(d.Changed) != 1-kept {
			t.Errorf("%q: kept %d and changed %d, want %d kept", file, d.Kept, len(d.Changed), kept)
		}
	}
	terms := Terms{Whole: true, Known: anywhere()}
	terms.Known.Erased = map[fleet.EmployeeID]bool{"EMP-1001": true}
	gone := Employee{ID: "EMP-1001", Status: fleet.Inactive, Language: "en"}
	if d := Compare(EmployeeTable(), []Employee{gone}, mustRead(t, EmployeeTable(), "employee_id,status,name\nEMP-1001,active,Ann\n"),
		terms); d.Kept != 1 || len(d.Changed) != 0 {
		t.Errorf("got %+v, want who was erased to stay erased", d)
	}
	if d := Compare(RiderTable(), nil, mustRead(t, RiderTable(), "vanpool_id,employee_id\nVP-101,EMP-1001\nVP-101,EMP-1002\n"),
		terms); d.Kept != 1 || len(d.Added) != 1 {
		t.Errorf("got %+v, want no seat for who was erased", d)
	}
	if d := Compare(BadgeTable(), nil, mustRead(t, BadgeTable(), "employee_id,site_id,date\nEMP-1001,PLANT-1,2026-01-01\n"),
		terms); d.Kept != 1 || len(d.Added) != 0 {
		t.Errorf("got %+v, want no reading of who was erased", d)
	}
	if d := Compare(PermitTable(), nil, mustRead(t, PermitTable(), "permit_id,employee_id,kind,from\nP,EMP-1001,daily,2026-01-01\n"),
		terms); d.Kept != 1 || len(d.Added) != 0 {
		t.Errorf("got %+v, want no permit of who was erased", d)
	}
}

// TestWhoIsListedRides promises that a file without a column of removals says that
// everybody in it rides, and that a removal counts from its day on.
func TestWhoIsListedRides(t *testing.T) {
	today := date(t, "2026-11-16")
	left := Rider{Vanpool: "VP-101", Employee: "EMP-1001", Since: date(t, "2025-01-01"), Removed: date(t, "2026-10-01")}
	for _, tt := range []struct{ file, removed string }{
		{"vanpool_id,employee_id\nVP-101,EMP-1001\n", ""},
		{"vanpool_id,employee_id,removed\nVP-101,EMP-1001,2026-11-16\n", "2026-11-16"},
		{"vanpool_id,employee_id,removed\nVP-101,EMP-1001,2026-11-17\n", ""},
	} {
		d := Compare(RiderTable(), []Rider{left}, mustRead(t, RiderTable(), tt.file), Terms{Today: today, Known: anywhere()})
		if len(d.Changed) != 1 || d.Changed[0].Removed.String() != tt.removed || d.Changed[0].Since != left.Since {
			t.Errorf("%q: got %+v, want a removal on %q", tt.file, d.Changed, tt.removed)
		}
	}
}

// TestWhatIsReferredToIsThere promises that a line about an unknown site, van or
// zone is refused, and a van with more riders than any has.
func TestWhatIsReferredToIsThere(t *testing.T) {
	terms := Terms{Known: anywhere()}
	if d := Compare(EmployeeTable(), nil, mustRead(t, EmployeeTable(), "employee_id,status,site_id\nEMP-1001,active,PLANT-9\n"),
		terms); d.Count != 1 || len(d.Added) != 0 {
		t.Errorf("unknown site: %+v", d)
	}
	if d := Compare(VanpoolTable(), nil, mustRead(t, VanpoolTable(), "vanpool_id,site_id,status\nVP-101,PLANT-9,active\n"),
		terms); d.Count != 1 {
		t.Errorf("unknown site: %+v", d)
	}
	if d := Compare(RiderTable(), nil, mustRead(t, RiderTable(), "vanpool_id,employee_id\nVP-999,EMP-1001\n"), terms); d.Count != 1 {
		t.Errorf("unknown van: %+v", d)
	}
	if d := Compare(SiteTable(), nil, mustRead(t, SiteTable(), "site_id,tz\nPLANT-1,Mars/Olympus\n"), terms); d.Count != 1 {
		t.Errorf("unknown zone: %+v", d)
	}
	var many strings.Builder
	many.WriteString("vanpool_id,employee_id\n")
	for i := range fleet.MaxRiders + 1 {
		fmt.Fprintf(&many, "VP-101,EMP-%04d\n", 1000+i)
	}
	if d := Compare(RiderTable(), nil, mustRead(t, RiderTable(), many.String()), terms); d.Count != 1 {
		t.Errorf("too many riders: %d refused", d.Count)
	}
}

// TestTheDigestIsOfFileAndRecords promises that another file, another state of the
// records, or another way to take it is another digest.
func TestTheDigestIsOfFileAndRecords(t *testing.T) {
	a, b := Site{ID: "A", Zone: "UTC"}, Site{ID: "B", Zone: "UTC"}
	base := Digest(SiteTable(), []Site{a, b}, []byte("x"), false)
	if got := Digest(SiteTable(), []Site{b, a}, []byte("x"), false); got != base {
		t.Error("the order in which records are read changes the digest")
	}
	changed := b
	changed.Name = "Plant"
	for name, got := range map[string]string{
		"file": Digest(SiteTable(), []Site{a, b}, []byte("y"), false), "whole": Digest(SiteTable(), []Site{a, b}, []byte("x"), true),
		"records": Digest(SiteTable(), []Site{a, changed}, []byte("x"), false), "fewer": Digest(SiteTable(), []Site{a}, []byte("x"), false),
	} {
		if got == base {
			t.Errorf("another %s has the same digest", name)
		}
	}
}

// TestWhatIsWrittenIsReadBack promises that a row written as a file is the same
// row when it is read, whatever it holds.
func TestWhatIsWrittenIsReadBack(t *testing.T) {
	day := rapid.Custom(func(t *rapid.T) fleet.Date { return fleet.Date(rapid.Int32Range(8000, 80_000).Draw(t, "day")) })
	person := rapid.Custom(func(t *rapid.T) Employee {
		e := Employee{ID: fleet.EmployeeID(fmt.Sprintf("EMP-%04d", rapid.IntRange(0, 99999).Draw(t, "id"))),
			Status: rapid.SampledFrom([]fleet.Standing{fleet.Active, fleet.Inactive, fleet.OnLeave}).Draw(t, "status"),
			Name:   strings.TrimSpace(rapid.StringMatching(`[ -~À-ÿ]{0,40}`).Draw(t, "name")), Language: "en", ZIPOnly: rapid.Bool().
				Draw(t, "zip"),
			Radius: rapid.Float64Range(0, 500).Draw(t, "radius")}
		if p := (fleet.Point{Lat: rapid.Float64Range(-90, 90).Draw(t, "lat"), Lng: rapid.Float64Range(-180, 180).
			Draw(t, "lng")}); p.Valid() {
			e.Home = &p
		}
		for range rapid.IntRange(0, 4).Draw(t, "shifts") {
			e.Shifts = append(e.Shifts, fleet.Assignment{Shift: rapid.SampledFrom([]fleet.ShiftID{"SHIFT_A", "SHIFT_B"}).Draw(t, "shift"),
				From: day.Draw(t, "from")})
		}
		for range rapid.IntRange(0, 40).Draw(t, "away") {
			from := day.Draw(t, "from")
			e.Away = append(e.Away, fleet.Span{From: from, Until: from + fleet.Date(rapid.IntRange(0, 20).Draw(t, "days"))})
		}
		return e
	})
	rapid.Check(t, func(t *rapid.T) {
		want := person.Draw(t, "person")
		if tidy(&want) != nil {
			return
		}
		f, err := Read(EmployeeTable(), Write(EmployeeTable(), want))
		if err != nil || f.Count != 0 || len(f.Rows) != 1 {
			t.Fatalf("got %+v, %v", f, err)
		}
		d := Compare(EmployeeTable(), []Employee{want}, f, Terms{Known: anywhere()})
		if d.Unchanged != 1 || !reflect.DeepEqual(f.Rows[0].Value, want) {
			t.Fatalf("got  %+v\nwant %+v", f.Rows[0].Value, want)
		}
	})
}

// FuzzRead promises that no file breaks the reader, and that what it takes it
// takes again when it is written.
func FuzzRead(f *testing.F) {
	f.Add([]byte("employee_id,status,home_lat,home_lng,shift_id,effective_from,pto_dates\nEMP-1001,active,1,2,SHIFT_DAY,2026-01-01,2026-01-02..\n"))
	f.Add([]byte("vanpool_id,site_id,status,day,start_time,end_time\nVP-101,PLANT-1,active,Mon,07:00,16:00\n"))
	f.Add([]byte("vanpool_id,employee_id,since\nVP-101,EMP-1001,2026-01-01\n"))
	f.Add([]byte("permit_id,employee_id,kind,from,until\nP1,EMP-1001,monthly,2026-01-01,\n"))
	f.Add([]byte("shift_id,day,start_time,end_time,latest_start\nSHIFT_X,Mon,22:00,06:00,23:00\n"))
	f.Add([]byte("site_id,tz,lat,lng\nP,UTC,-0,1e2\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		again(t, SiteTable(), file)
		again(t, ShiftTable(), file)
		again(t, EmployeeTable(), file)
		again(t, VanpoolTable(), file)
		again(t, RiderTable(), file)
		again(t, BadgeTable(), file)
		again(t, PermitTable(), file)
	})
}

func again[T any](t *testing.T, table Table[T], file []byte) {
	first, err := Read(table, file)
	if err != nil || first.Count > 0 {
		return
	}
	rows := make([]T, len(first.Rows))
	for i, r := range first.Rows {
		rows[i] = r.Value
	}
	written := Write(table, rows...)
	second, err := Read(table, written)
	if err != nil || second.Count > 0 || len(second.Rows) != len(rows) {
		t.Fatalf("%s: what was read of %q and written as %q is refused: %v %+v", table.Kind(), file, written, err, second.Refusals)
	}
	back := make([]T, len(second.Rows))
	for i, r := range second.Rows {
		back[i] = r.Value
	}
	if !bytes.Equal(Write(table, back...), written) {
		t.Fatalf("%s: %q is written another way the second time", table.Kind(), written)
	}
}
