package console_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// leave makes a report on a case as an application will, and lets it go.
func (s *stage) leave(t testing.TB, id casefile.CaseID) string {
	t.Helper()
	facts := map[fact.ID]fact.Fact{}
	for _, one := range []fact.ID{"F1", "F6"} {
		f, err := s.Evidence.Fact(t.Context(), postgrestest.North, id, fact.Ref{ID: one})
		if err != nil {
			t.Fatal(err)
		}
		facts[one] = f
	}
	find := func(id fact.ID) (fact.Fact, bool) { f, ok := facts[id]; return f, ok }
	body, err := render.Renderer{Find: find}.HTML("At the first hour {{F1}}, and {{F6}} on the mean.")
	if err != nil {
		t.Fatal(err)
	}
	page := "<!doctype html><html lang=en><head>" + report.NewID().Tag() + "</head><body><p>" + body + "</p></body></html>"
	if _, err := s.reports.Note(t.Context(), person(postgrestest.North, identity.Analyst), time.Now(), string(id),
		[]byte(page)); err != nil {
		t.Fatal(err)
	}
	return page
}

// TestAStrangerLearnsHowAReportStands promises what the page says of a report
// and of a list that left: genuine with its proof, how a copy differs, or that
// it is not known.
func TestAStrangerLearnsHowAReportStands(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	s.drain(t)
	page := s.leave(t, id)
	list := s.ask(t, "/audit.csv", url.Values{}).body
	if got := s.send(t, []byte(page), ""); !strings.Contains(got.body, "a question stays open") || strings.Contains(got.body, "Genuine") {
		t.Error("a report whose record is not in the log yet is not called open")
	}
	s.drain(t)
	if got := s.send(t, []byte(page), ""); !strings.Contains(got.body, "has been published yet") || strings.Contains(got.body, "Genuine") {
		t.Error("a report whose record is in no published copy yet is not called open")
	}
	s.publish(t)
	_, stranger, err := audit.NewKey("gavel.test/log")
	if err != nil {
		t.Fatal(err)
	}
	made := strings.Replace(page, page[strings.Index(page, "rpt_"):strings.Index(page, "rpt_")+36], string(report.NewID()), 1)
	genuine := []string{"Genuine: exactly this file left from here", "The signed tree holds it", "Does not prove",
		"rec_", "&#34;checkpoint&#34;"}
	for _, tt := range []struct {
		name, file, key string
		want            []string
	}{
		{"genuine report", page, "", append(genuine, "Report", string(id), "which the log itself names")},
		{"genuine list", list, string(s.Public), append(genuine, "List of records", "a key that you trust")},
		{"by another key", page, string(stranger), []string{"it is none that you trust", "this log is not signed with your key"}},
		{"another number", strings.Replace(page, "µg/m³</data>", "mg/m³</data>", 1), "", []string{"This copy differs from the report",
			"F1 said “", "SHA-256 on record"}},
		{"other words", strings.Replace(page, "first", "last", 1), "", []string{"This copy differs from the report",
			"Every tagged number is the one that left"}},
		{"another list", list + "x", "", []string{"Not known here"}},
		{"a made-up id", made, "", []string{"Not known here"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.send(t, []byte(tt.file), tt.key)
			for _, want := range tt.want {
				if !strings.Contains(got.body, want) {
					t.Errorf("%d, the page lacks %q", got.status, want)
				}
			}
			if tt.name[:3] != "gen" && strings.Contains(got.body, "Genuine") {
				t.Error("the page calls it genuine")
			}
			if strings.Contains(tt.want[0], "Not known") && strings.Contains(got.body, "SHA-256 on record") {
				t.Error("the page tells of a record to who does not have the file")
			}
		})
	}
}

// TestAListThatCanBeMadeUpIsToldOnlyWhereItLeft: a list with nobody in it has the
// same bytes everywhere, and a stranger who makes it up must not learn that an
// organisation took it out.
func TestAListThatCanBeMadeUpIsToldOnlyWhereItLeft(t *testing.T) {
	s := newStage(t)
	list := []byte("id,title\n")
	nothing := []byte("[]\n")
	for name, file := range map[string][]byte{"list": list, "inbox": nothing} {
		if _, err := s.log.NoteExport(t.Context(), person(postgrestest.North, identity.Analyst), time.Now(),
			audit.Departure{File: name, Subject: name, SHA256: blob.Sum(file), Size: int64(len(file))}); err != nil {
			t.Fatal(err)
		}
	}
	none := []byte(s.ask(t, "/audit.csv?kind=nothing", url.Values{}).body)
	s.drain(t)
	s.publish(t)
	for name, file := range map[string][]byte{"a list": list, "an inbox": nothing, "no records": none} {
		for who, tt := range map[string]struct {
			cookie string
			known  bool
		}{
			"a stranger":   {"", false},
			"an officer":   {"gavel_dev=" + token(t, postgrestest.North, identity.Officer), true},
			"one of south": {"gavel_dev=" + token(t, postgrestest.South, identity.Officer), false},
		} {
			got := s.send(t, file, "", "Cookie", tt.cookie)
			if known := strings.Contains(got.body, "Genuine"); known != tt.known || !known &&
				!strings.Contains(got.body, "Not known here") {
				t.Errorf("%s: %s is told %t, want %t", name, who, known, tt.known)
			}
			if !tt.known && strings.Contains(got.body, "rec_") {
				t.Errorf("%s: %s sees its record", name, who)
			}
		}
	}
}

// TestADraftDoesNotReadAsFiled promises that a file which an application hands out as a
// draft is called one, and from then on filed, when the same bytes were.
func TestADraftDoesNotReadAsFiled(t *testing.T) {
	s := newStage(t)
	file := []byte(`{"report_id": "R-1"}`)
	for i, tt := range []struct {
		as          string
		want, never []string
	}{
		{audit.Drafted, []string{"Genuine, and only a draft", "Draft of a report, not filed", "R-1", "case_1"},
			[]string{"as it was filed", "exactly this file left"}},
		{audit.Rehearsed, []string{"exactly this file left from here", "filed with a simulator"},
			[]string{"only a draft", "as it was filed"}},
	} {
		if _, err := s.log.NoteExport(t.Context(), identity.Gavel(postgrestest.North), time.Now().Add(time.Duration(i)*time.Second),
			audit.Departure{File: tt.as, Name: "R-1", Subject: "case_1", SHA256: blob.Sum(file), Size: int64(len(file))}); err != nil {
			t.Fatal(err)
		}
		s.drain(t)
		s.publish(t)
		got := s.send(t, file, "").body
		for _, want := range tt.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the page lacks %q", tt.as, want)
			}
		}
		for _, never := range tt.never {
			if strings.Contains(got, never) {
				t.Errorf("%s: the page says %q", tt.as, never)
			}
		}
	}
	if got := s.send(t, append(file, ' '), "").body; !strings.Contains(got, "Not known here") {
		t.Error("a changed file is known")
	}
}

// TestAFileIsNoBetterThanItsRecord promises that a record which was changed does
// not vouch for a file.
func TestAFileIsNoBetterThanItsRecord(t *testing.T) {
	s := newStage(t)
	s.open(t, postgrestest.North, "k", "Smoke", 0)
	list := s.ask(t, "/audit.csv", url.Values{}).body
	s.drain(t)
	s.publish(t)
	if got := s.send(t, []byte(list), ""); !strings.Contains(got.body, "Genuine") {
		t.Fatal("the list is not genuine before its record is changed")
	}
	s.set(t, `alter table gavel.record disable trigger user`)
	for _, change := range []string{`replace(json, '"rows":1', '"rows":2')`, `replace(json, '"rows"', '"rows" ')`} {
		s.set(t, `update gavel.record set json = `+change+` where kind = 'export'`)
		if got := s.send(t, []byte(list), ""); !strings.Contains(got.body, "The log contradicts itself") ||
			strings.Contains(got.body, "Genuine") {
			t.Errorf("%s: answered %d without saying so", change, got.status)
		}
	}
}

// TestAReplacedKeyIsNotEnough promises that a bundle signed with an earlier key
// is genuine if it is on record, and only then: a key may have been replaced
// because it was stolen.
func TestAReplacedKeyIsNotEnough(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	before := s.Export(t, id)
	s.drain(t)
	secret, public, err := audit.NewKey("gavel.test/log")
	if err != nil {
		t.Fatal(err)
	}
	s.Rotate(t, secret, s.Secret)
	wait.Until(t, "the log goes on with the new key", func() bool { // the stage's own server may be at it, and is let go first
		s.drain(t)
		keys, err := audit.ReadKeys(t.Context(), s.db.System)
		return err == nil && keys.Newest() == public
	})
	page := s.ask(t, "/verify", nil).body
	if now, old := strings.Index(page, string(public)), strings.Index(page, string(s.Public)); now < 0 || old < now ||
		!strings.Contains(page, "Earlier keys: 1") {
		t.Errorf("the keys stand at %d and %d; want the one in force first", now, old)
	}
	if got := s.send(t, before, ""); !strings.Contains(got.body, "Genuine") {
		t.Error("a bundle that left before the key was replaced is not genuine")
	}
	if got := s.send(t, before, string(public)); strings.Contains(got.body, "Genuine") {
		t.Error("compared with the new key alone it is genuine")
	}
	s.set(t, `alter table gavel.record disable trigger user`)
	s.set(t, `delete from gavel.record where kind = 'export'`)
	if got := s.send(t, before, ""); !strings.Contains(got.body, "Signed with an earlier key, and not on record") ||
		strings.Contains(got.body, "Genuine") {
		t.Error("a bundle of an earlier key that is not on record is believed")
	}
}
