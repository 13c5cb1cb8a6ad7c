package post_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

var update = flag.Bool("update", false, "write the golden files")

func office() post.Office {
	return post.Office{Programme: "The vanpool programme", Portal: "https://portal.example/me", Contact: "vanpool-desk@example.com",
		Appeal: "https://portal.example/appeal", Zone: time.FixedZone("PST", -8*3600)}
}

func own() post.Own {
	return post.Own{
		Case: "CASE-A3F8B291", Vanpool: "VP-101", Employee: "EMP-1006", FirstName: "Robin", Checks: []check.Name{"location", "shift"},
		ShiftName: "Night shift", ShiftHours: "Mon Tue Wed Thu 22:00-06:00", VanHours: "Mon Tue Wed Thu 07:00-16:00",
		ZIP: "94000", Miles: "61.2", Limit: "50", Last: fleet.NewDate(2026, 3, 31),
		Offer: "VP-114 has a free seat, runs for your hours, and its pickup is 6 miles from your home.",
		Page:  "https://gavel.example/poolpatrol/answer?k=test.AbC",
	}
}

// TestLettersReadAsTheyShould holds the words of every letter that is written
// from a template.
func TestLettersReadAsTheyShould(t *testing.T) {
	for speaks, golden := range map[post.Language]string{post.English: "testdata/letters.golden",
		post.Hindi: "testdata/letters-hi.golden"} {
		got := everyLetter(t, speaks)
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("letters have changed; run with -update and read the difference\n%s", got)
		}
	}
}

// everyLetter is each letter there is a template for, in a language.
func everyLetter(t *testing.T, speaks post.Language) string {
	t.Helper()
	deadline := lifecycle.Standard().Deadline(madeup.Now())
	var b strings.Builder
	for _, tt := range []struct {
		kind   post.Kind
		checks []check.Name
	}{
		{post.First, []check.Name{"shift"}}, {post.First, []check.Name{"location"}}, {post.First, []check.Name{"shift", "location"}},
		{post.Again, []check.Name{"location"}}, {post.Answer, []check.Name{"shift"}}, {post.Rechecking, nil}, {post.Portal, nil},
		{post.Closing, nil}, {post.Removed, nil}, {post.Removed, []check.Name{"shift", "location"}},
	} {
		o := own()
		o.Checks, o.Language = tt.checks, speaks
		if o.Offer = post.Offered(speaks, "VP-114", fleet.ToMiles(6.2), fleet.InMiles); len(tt.checks) < 2 {
			o.Offer = ""
		}
		if len(tt.checks) == 2 {
			o.Answered = []fleet.Date{fleet.NewDate(2026, 3, 3), fleet.NewDate(2026, 3, 12)}
		}
		if tt.kind == post.Again {
			o.Unit = fleet.InKilometres
		}
		l, err := post.Compose(tt.kind, o, office(), deadline)
		if err != nil {
			t.Fatal(err)
		}
		if l.Language != speaks {
			t.Errorf("a letter in %s says that it is in %s", speaks, l.Language)
		}
		fmt.Fprintf(&b, "=== %s %s\nSubject: %s\n\n%s\n", l.Kind, l.Template, l.Subject, l.Text)
	}
	l := post.SeatNotice("Kim", speaks, "CASE-A3F8B291", "VP-101", fleet.NewDate(2026, 3, 31), office())
	fmt.Fprintf(&b, "=== %s\nSubject: %s\n\n%s", l.Kind, l.Subject, l.Text)
	return b.String()
}

// TestEveryPhraseIsThereInBothLanguages promises that nothing of a Hindi letter is left in
// English, or left out, and that who reads another language is written to in English and
// told so.
func TestEveryPhraseIsThereInBothLanguages(t *testing.T) {
	latin := regexp.MustCompile(`[A-Za-z]{3,}`)
	for line := range strings.SplitSeq(everyLetter(t, post.Hindi), "\n") {
		if strings.HasPrefix(line, "===") || strings.Contains(line, "http") {
			continue
		}
		for _, word := range latin.FindAllString(line, -1) { // names, what the records call things, and one word that is a name itself
			if !slices.Contains([]string{"CASE", "Subject", "Robin", "Kim", "PST", "ZIP", "Night", "shift", "The", "vanpool",
				"programme", "desk", "example", "com"}, word) {
				t.Errorf("%q is left in English: %s", word, line)
			}
		}
	}
	if en, hi := strings.Count(everyLetter(t, post.English), "\n"), strings.Count(everyLetter(t, post.Hindi), "\n"); en != hi {
		t.Errorf("the letters have %d lines in English and %d in Hindi", en, hi)
	}
	for theirs, want := range map[string]post.Language{"hi": post.Hindi, "en": post.English, "es": post.English, "": post.English} {
		if got := post.Speaks(theirs); got != want {
			t.Errorf("who reads %q is written to in %s, want %s", theirs, got, want)
		}
	}
}

// TestThePrintedDeadlineIsTheOneThatRuns promises one value for both.
func TestThePrintedDeadlineIsTheOneThatRuns(t *testing.T) {
	rules := lifecycle.Standard()
	for _, patience := range []time.Duration{rules.Patience, 3 * 24 * time.Hour} {
		rules.Patience = patience
		l, err := post.Compose(post.First, own(), office(), rules.Deadline(madeup.Now()))
		if err != nil {
			t.Fatal(err)
		}
		printed := post.English.Moment(madeup.Now().Add(patience), office().Zone)
		if !strings.Contains(l.Text, "reply by "+printed+".") || !l.Deadline.Equal(madeup.Now().Add(patience)) {
			t.Errorf("with %s: %q is not in\n%s", patience, printed, l.Text)
		}
		if !l.Fair(madeup.Now().Add(time.Minute), patience, time.Hour) || l.Fair(madeup.Now().Add(2*time.Hour), patience, time.Hour) {
			t.Error("a letter that waited two hours may be sent with its old date, or one that waited a minute may not")
		}
	}
}

// TestNoLetterHoldsAnotherRidersData promises that whatever is wrong in a town,
// no letter names another rider, or their ZIP.
func TestNoLetterHoldsAnotherRidersData(t *testing.T) {
	town := madeup.Plan{Seed: 7, Vans: 400, Riders: 8, Percent: 100}.Build()
	zips, ids := map[fleet.EmployeeID]string{}, map[fleet.VanpoolID][]fleet.EmployeeID{}
	for i := range town.Employees { // a ZIP of one's own, so that finding it in a letter means something
		town.Employees[i].Home.ZIP = fmt.Sprintf("7%06d", i)
		zips[town.Employees[i].ID] = town.Employees[i].Home.ZIP
	}
	for _, v := range town.Vanpools {
		for _, r := range v.Riders {
			ids[v.ID] = append(ids[v.ID], r.Employee)
		}
	}
	book, err := fleet.NewBook(town.Records)
	if err != nil {
		t.Fatal(err)
	}
	letters := 0
	runs, err := audit.All(book, "", madeup.Now(), audit.Specialists(audit.Standard(), book, audit.Inputs{}), check.Exceptions{})
	if err != nil {
		t.Fatal(err)
	}
	for run := range runs {
		for _, f := range run.Findings() {
			o, err := post.About(f.Employee, "CASE-00000001", run.Verdicts)
			if err != nil {
				continue // not to be written to: the roster's findings
			}
			l, err := post.Compose(post.First, o, office(), madeup.Now())
			if err != nil {
				t.Fatal(err)
			}
			letters++
			for _, other := range ids[run.Vanpool] {
				if other != f.Employee && (strings.Contains(l.Text, string(other)) || strings.Contains(l.Text, zips[other])) {
					t.Fatalf("a letter to %s holds data of %s:\n%s", f.Employee, other, l.Text)
				}
			}
			if f.Check == "location" && !strings.Contains(l.Text, zips[f.Employee]) {
				t.Fatalf("a letter to %s does not say what we hold:\n%s", f.Employee, l.Text)
			}
		}
	}
	if letters < 200 {
		t.Errorf("only %d letters were looked at", letters)
	}
}

// TestHoursOfTwoPeopleAreNotTold promises that a van's hours are printed only
// where they are the van's own or those of three people or more.
func TestHoursOfTwoPeopleAreNotTold(t *testing.T) {
	for day, told := range map[int]bool{2: false, 3: true} {
		var riders []fleet.Employee
		for i := range day {
			riders = append(riders, madeup.Worker(i+1, "SHIFT_DAY"))
		}
		riders = append(riders, madeup.Worker(9, "SHIFT_NIGHT"))
		book, err := fleet.NewBook(madeup.Records(madeup.Van(riders...), riders))
		if err != nil {
			t.Fatal(err)
		}
		run := audit.Of(book, "VP-101", madeup.Now(), audit.Specialists(audit.Standard(), book, audit.Inputs{}), check.Exceptions{})
		o, err := post.About("EMP-0009", "CASE-00000001", run.Verdicts)
		if err != nil {
			t.Fatal(err)
		}
		if (o.VanHours != "") != told {
			t.Errorf("with %d colleagues on the shift the van's hours are %q", day, o.VanHours)
		}
	}
}

// TestATemplateForWhatFails promises the choice of letters, and none for what a
// person must write.
func TestATemplateForWhatFails(t *testing.T) {
	for _, tt := range []struct {
		checks []check.Name
		want   post.Template
	}{
		{[]check.Name{"shift"}, post.ShiftMismatch},
		{[]check.Name{"location"}, post.LocationMismatch},
		{[]check.Name{"location", "shift"}, post.BothMismatch},
		{[]check.Name{"shift", "parking"}, post.ShiftMismatch},
		{[]check.Name{"roster"}, ""},
		{nil, ""},
	} {
		got, err := post.TemplateFor(tt.checks)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%v: got %q, %v, want %q", tt.checks, got, err, tt.want)
		}
	}
	if _, err := post.Compose(post.Draft, own(), office(), madeup.Now()); err == nil {
		t.Error("a draft was written from a template")
	}
	if _, err := post.Compose(post.First, own(), office(), time.Time{}); err == nil {
		t.Error("a letter asks for a reply and does not say by when")
	}
}

// TestANameCannotAddLines promises that what stands in the staff records as a
// name stays a name.
func TestANameCannotAddLines(t *testing.T) {
	for name, want := range map[string]string{
		"Robin": "Dear Robin,", "Robin\r\nBcc: x@example.com": "Dear RobinBcc: x@example.com,", "": "Hello,", "\x00\x1b": "Hello,",
		strings.Repeat("x", 61): "Hello,", "Åsa-Märta": "Dear Åsa-Märta,",
	} {
		o := own()
		o.FirstName = name
		l, err := post.Compose(post.Closing, o, office(), time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		if got, _, _ := strings.Cut(l.Text, "\n"); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
