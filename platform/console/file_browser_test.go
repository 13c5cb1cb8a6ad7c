//go:build browser

package console_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// fullFile is a case with everything that a file can have: evidence on every
// side, sealed and missing; notes that cite it; acts that ended well and badly; a
// draft, and evidence that came after it.
func (s *stage) fullFile(t *testing.T) (casefile.Case, review.Proposal) {
	t.Helper()
	c := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 5*time.Hour)
	id := c.ID
	s.pings(t, id)
	s.onSide(t, id, evidence.Against, "Driver's reply, 14 Nov 11:20")
	s.sealedReply(t, id)
	officer := person(postgrestest.North, identity.Officer)
	for _, text := range []string{
		"The van stopped {{F2}} off its route, {{F4|1}} in the mean of three pings. See E1 and F2.",
		"Check whether a roster swap explains the two day-shift riders before we write to anyone. E2 says the road was closed.",
		"चालक का उत्तर: “सेक्टर 9 की सड़क दो रात बंद थी, इसलिए दूसरा रास्ता लिया।” E2",
	} {
		if err := s.store.Note(t.Context(), officer, id, "", text); err != nil {
			t.Fatal(err)
		}
	}
	for _, end := range []act.End{{State: act.Done, Result: []byte(`{}`)},
		{State: act.Failed, Reason: "the depot did not answer within a minute"}} {
		p := s.offer(t, c, "place_order")
		s.answer(t, identity.Officer, p, review.Approve, "")
		claim, err := s.Acts.Begin(t.Context(), postgrestest.North, p.Key, p.ArgsSHA256, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Acts.Finish(t.Context(), postgrestest.North, p.Key, claim.Fence, end, nil); err != nil {
			t.Fatal(err)
		}
	}
	back := s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, back, review.SendBack, "Check the roster before we write to anyone.")
	draft := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Shown = canon(t, map[string]any{"tool": "send_letter", "line": "Send a letter to a rider.", "effect": "outside", "args": p.Args,
			"agent": "outreach", "case": c.ID,
			"said": "The van stopped off its route on 6 of 9 nights (F2). Each letter shows only the reader's own data, asks them to " +
				"correct the record, and says that nothing changes until a person has read the answer.",
			"verdict": map[string]any{"label": "likely", "confidence": map[string]any{"value": 0.78, "low": 0.64, "high": 0.87,
				"scale": "share"}, "rule_version": "shift-3"}})
	})
	return c, draft
}

// pings puts a table of positions on a case, and the facts read from it.
func (s *stage) pings(t *testing.T, id casefile.CaseID) {
	t.Helper()
	const table = "time,off_km,speed\n23:10:02,0.4,22\n23:12:40,2.3,0\n23:48:11,2.3,4\n"
	snap, err := s.Evidence.Take(t.Context(), bundletest.Analyst, evidence.Receipt{Source: "cpcb", ContentType: "text/csv"},
		strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Evidence.Put(t.Context(), bundletest.Analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: "GPS pings, 12 Nov",
		Side:  evidence.For,
		Range: &evidence.Range{CSV: &evidence.Records{From: 1, To: 3}}})
	if err != nil {
		t.Fatal(err)
	}
	var facts []fact.Fact
	for row, number := range []string{"0.4", "2.3", "2.3"} {
		f, err := fact.Read(fact.Reading{Kind: fact.Observed, Number: number, Unit: "km", Decimals: 1,
			Subject: fact.Subject{Type: "van", IDs: map[string]string{"van": "14", "ping": strconv.Itoa(row + 1)},
				Names: fact.Names{EN: []string{"Off route"}, HI: []string{"मार्ग से दूर"}}},
			Source: fact.Source{Snapshot: snap.SHA256.String(),
				Selector: fact.Selector{CSV: &fact.CSVCell{Row: row + 1, Column: "off_km"}}}})
		if err != nil {
			t.Fatal(err)
		}
		facts = append(facts, f)
	}
	if _, err := s.Evidence.Record(t.Context(), bundletest.Analyst, id, facts...); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evidence.Derive(t.Context(), bundletest.Analyst, id, fact.Mean, "F1", "F2", "F3"); err != nil {
		t.Fatal(err)
	}
}

// sealedReply puts personal data on a case.
func (s *stage) sealedReply(t *testing.T, id casefile.CaseID) {
	t.Helper()
	snap, err := s.Evidence.Take(t.Context(), bundletest.Analyst, evidence.Receipt{Source: "riders", ContentType: "text/plain",
		Case:     string(id),
		Subjects: []seal.Subject{{Type: "rider", ID: "R-7"}}}, strings.NewReader("I was at home that week."))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Evidence.Put(t.Context(), bundletest.Analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: "A rider's answer",
		Side: evidence.Unknown}); err != nil {
		t.Fatal(err)
	}
}

// TestTheCasePageIsFitForPeople promises of the file, its evidence and the page of
// the person concerned what TestPagesAreFitForPeople promises of all pages.
func TestTheCasePageIsFitForPeople(t *testing.T) {
	s := newStageWith(t, samplePart())
	c, draft := s.fullFile(t)
	at := "/cases/" + string(c.ID)
	link := s.tell(t, c.ID, url.Values{"fact": {"F1", "F4"}, "proposal": {"P-1"}})
	answered := s.tell(t, c.ID, url.Values{"fact": {"F1"}})
	path, k, _ := strings.Cut(answered, "?k=")
	k, _ = url.QueryUnescape(k)
	s.visit(t, path+"/objection", url.Values{"k": {k}, "text": {"I was ill that week; the roster is wrong."}})
	runs, _ := s.sampleRuns(t)
	show := func(role identity.Role, langs string, paths ...string) {
		s.node(t, "check.mjs", append([]string{"--base", s.server.URL, "--token", token(t, postgrestest.North, role), "--out", shots(t),
			"--langs", langs}, paths...)...)
	}
	show(identity.Officer, "en,hi", "file@"+at, "file-evidence@"+at+"#E1", "file-reject@"+at+"?answer=reject",
		"file-runs@/cases/"+string(runs.ID),
		"piece@"+at+"/evidence/1", "piece-sealed@"+at+"/evidence/3", "concern@"+at+"/concerned", "proposal-verdict@/proposals/"+draft.ID)
	show(identity.Auditor, "en", "file-auditor@"+at, "file-against@"+at+"?side=against")
	s.onSide(t, c.ID, evidence.Against, "A second reply, which came late")
	show(identity.Officer, "en,hi", "file-stale@"+at)
	s.node(t, "check.mjs", "--base", s.server.URL, "--out", shots(t), "--langs", "en,hi", "concerned@"+link,
		"concerned-if@"+link+"&fact=F1&value=12", "concerned-waits@"+answered,
		"concerned-none@/c/"+c.Ref+"?k=x=404")
}
