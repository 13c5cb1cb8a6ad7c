package lawbook_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/platform/fault"
)

const today = "2026-11-15"

func book(t testing.TB) lawbook.Book {
	t.Helper()
	b, err := lawbook.Known()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestDirectionIsCitedForWhatItSaysOnly holds who may be told what under which
// provision. The dates and contents are those of the provisions as published;
// seasons are the official counting's.
func TestDirectionIsCitedForWhatItSaysOnly(t *testing.T) {
	paddy := func(on string, p lawbook.Purpose, against lawbook.Party) lawbook.Use {
		return lawbook.Use{On: on, Subject: lawbook.PaddyStubble, Purpose: p, Against: against}
	}
	wheat := lawbook.Use{On: "2026-04-20", Subject: lawbook.WheatStubble, Purpose: lawbook.Prevention}
	autumn, winter, late := wheat, paddy("2025-12-20", lawbook.ProsecuteOfficial, ""), paddy("2025-11-30", lawbook.ProsecuteOfficial, "")
	autumn.On = "2026-11-13"
	far := paddy("2025-11-14", lawbook.Complaint, "")
	far.State = "Madhya Pradesh"
	near := far
	near.State = "Haryana"
	for _, tt := range []struct {
		name string
		id   lawbook.ID
		use  lawbook.Use
		want string // empty: it may be cited
	}{
		{"95 takes an official to court", "caqm-direction-95", paddy("2025-11-14", lawbook.ProsecuteOfficial, lawbook.Official), ""},
		{"95 is no power to send notices to states", "caqm-direction-95", paddy("2025-11-14", lawbook.Complaint, lawbook.State),
			"it supports prosecute_official"},
		{"nor against a farmer", "caqm-direction-95", paddy("2025-11-14", lawbook.ProsecuteOfficial, lawbook.Farmer),
			"it is against official"},
		{"nor before its day", "caqm-direction-95", paddy("2025-09-30", lawbook.ProsecuteOfficial, lawbook.Official), "not yet in force"},
		{"nor about wheat", "caqm-direction-95", lawbook.Use{On: "2026-04-20", Subject: lawbook.WheatStubble,
			Purpose: lawbook.ProsecuteOfficial}, "it is about paddy_stubble"},
		{"nor out of season", "caqm-direction-95", winter, "outside its season"},
		{"the season's last day counts", "caqm-direction-95", late, ""},
		{"84 while it was the last", "caqm-direction-84", paddy("2024-11-05", lawbook.ProsecuteOfficial, lawbook.Official), ""},
		{"84 after 95", "caqm-direction-84", paddy("2025-11-05", lawbook.ProsecuteOfficial, lawbook.Official), "it was renewed"},
		{"96 in spring", "caqm-direction-96", wheat, ""},
		{"96 in autumn", "caqm-direction-96", autumn, "outside its season"},
		{"96 is about wheat", "caqm-direction-96", paddy("2026-11-13", lawbook.Prevention, ""), "it is about wheat_stubble"},
		{"waste is not stubble", "caqm-direction-91", paddy("2025-11-14", lawbook.Prevention, ""), "it is about open_waste"},
		{"a month's direction holds after the month", "caqm-direction-90", paddy("2025-09-20", lawbook.Prevention, ""), ""},
		{"and not in it: the day is not known", "caqm-direction-90", paddy("2025-05-30", lawbook.Prevention, ""), "not yet in force"},
		{"section 12 entertains complaints", "caqm-act-12", near, ""},
		{"section 12 reaches five states", "caqm-act-12", far, "does not reach"},
		{"section 14 exempts farmers", "caqm-act-14", paddy("2025-11-14", lawbook.Penalty, lawbook.Farmer), "exempts a farmer"},
		{"and nobody else", "caqm-act-14", paddy("2025-11-14", lawbook.Penalty, lawbook.Official), ""},
		{"section 15 is for them", "caqm-act-15", paddy("2025-11-14", lawbook.Compensation, lawbook.Farmer), ""},
		{"the Act is not older than its force", "caqm-act-12", paddy("2021-04-12", lawbook.Complaint, ""), "not yet in force"},
		{"a subject must be said", "caqm-act-12", lawbook.Use{On: today, Subject: lawbook.Any, Purpose: lawbook.Complaint}, "it is about"},
	} {
		got, err := book(t).Cite(tt.id, tt.use, today)
		if tt.want == "" {
			if err != nil || got.ID != tt.id {
				t.Errorf("%s: got %v, want it cited", tt.name, err)
			}
			continue
		}
		if !fault.Is(err, fault.Refused) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want it refused: %s", tt.name, err, tt.want)
		}
	}
}

// TestRenewedDirectionNamesTheNewOne promises that a refusal helps.
func TestRenewedDirectionNamesTheNewOne(t *testing.T) {
	_, err := book(t).Cite("caqm-direction-84", lawbook.Use{On: "2025-11-05", Subject: lawbook.PaddyStubble,
		Purpose: lawbook.ProsecuteOfficial}, today)
	if _, next := fault.Words(err); !strings.Contains(next, "Direction No. 95") {
		t.Errorf("got %q, want Direction No. 95 named", next)
	}
}

// TestDoubtsTravelWithTheCitation promises that what is not certain is said: the
// provision's own doubt, that it is as reported, and that the look was long ago.
func TestDoubtsTravelWithTheCitation(t *testing.T) {
	use := lawbook.Use{On: "2026-11-13", Subject: lawbook.PaddyStubble, Purpose: lawbook.ProsecuteOfficial}
	now, err := book(t).Cite("caqm-direction-95", use, today)
	if err != nil {
		t.Fatal(err)
	}
	later, err := book(t).Cite("caqm-direction-95", use, "2027-11-15")
	if err != nil {
		t.Fatal(err)
	}
	if len(now.Cautions) != 2 || !strings.Contains(now.Cautions[0], "2026 was not found") || !strings.Contains(now.Cautions[1],
		"as reported") {
		t.Errorf("got %q", now.Cautions)
	}
	if len(later.Cautions) != 3 || !strings.Contains(later.Cautions[2], "2026-11-15") {
		t.Errorf("a year later: got %q", later.Cautions)
	}
	act, err := book(t).Cite("caqm-act-12", lawbook.Use{On: today, Subject: lawbook.PaddyStubble, Purpose: lawbook.Complaint}, today)
	if err != nil || len(act.Cautions) != 0 || act.Cautions == nil {
		t.Errorf("got %q, %v, want no caution about the Act itself", act.Cautions, err)
	}
}

// TestUnknownAndUndatedAreRefused promises that nothing is cited that is not in the
// book or without a day.
func TestUnknownAndUndatedAreRefused(t *testing.T) {
	use := lawbook.Use{On: today, Subject: lawbook.PaddyStubble, Purpose: lawbook.Complaint}
	for _, id := range []lawbook.ID{"", "caqm-direction-97"} {
		if _, err := book(t).Cite(id, use, today); !fault.Is(err, fault.NotFound) {
			t.Errorf("%q: got %v, want not found", id, err)
		}
	}
	for _, on := range []string{"", "2026-11", "13/11/2026", "2026-02-30"} {
		use.On = on
		if _, err := book(t).Cite("caqm-act-12", use, today); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want it refused", on, err)
		}
	}
}

// TestForFindsWhatCiteAllows promises, for any use, that whatever is found may be
// cited: none is from the future, each is for its purpose, and no farmer is
// punished.
func TestForFindsWhatCiteAllows(t *testing.T) {
	b := book(t)
	rapid.Check(t, func(t *rapid.T) {
		use := lawbook.Use{
			On: rapid.SampledFrom([]string{"2020-01-01", "2022-10-20", "2024-11-05", "2025-06-15", "2025-11-14", "2026-04-20",
				"2026-11-13", "2026-12-24"}).Draw(t, "on"),
			Subject: rapid.SampledFrom([]lawbook.Subject{lawbook.PaddyStubble, lawbook.WheatStubble, lawbook.OpenWaste, lawbook.KilnFuel,
				"x"}).Draw(t, "subject"),
			Purpose: rapid.SampledFrom([]lawbook.Purpose{lawbook.Complaint, lawbook.Penalty, lawbook.ProsecuteOfficial, lawbook.Prevention,
				lawbook.Compensation}).Draw(t, "purpose"),
			Against: rapid.SampledFrom([]lawbook.Party{"", lawbook.Farmer, lawbook.Official, lawbook.State}).Draw(t, "against"),
		}
		for _, c := range b.For(use, today) {
			if c.Date > use.On && c.From == "" || !slices.Contains(c.Supports, use.Purpose) || slices.Contains(c.Excludes, use.Against) {
				t.Fatalf("%+v is cited for %+v", c, use)
			}
			if use.Against == lawbook.Farmer && use.Purpose == lawbook.Penalty {
				t.Fatalf("%s would punish a farmer", c.ID)
			}
		}
	})
}

// TestAProvisionHasItsTime promises that a provision is not cited after its last day,
// nor of a matter that goes back to a day it does not fit.
func TestAProvisionHasItsTime(t *testing.T) {
	for _, tt := range []struct {
		id        lawbook.ID
		on, since string
		purpose   lawbook.Purpose
		want      bool
	}{
		{"caqm-direction-90", "2025-11-30", "", lawbook.Prevention, true},
		{"caqm-direction-90", "2026-11-13", "", lawbook.Prevention, false}, // of the season of 2025
		{"caqm-direction-95", "2025-10-04", "2025-10-01", lawbook.ProsecuteOfficial, true},
		{"caqm-direction-95", "2025-10-03", "2025-09-30", lawbook.ProsecuteOfficial, false},
		{"caqm-direction-95", "2025-10-04", "yesterday", lawbook.ProsecuteOfficial, false},
		{"caqm-protocol-2021", "2025-11-13", "", lawbook.Monitoring, true},
		{"caqm-protocol-2021", "2026-01-13", "", lawbook.Monitoring, false}, // out of the season
	} {
		_, err := book(t).Cite(tt.id, lawbook.Use{On: tt.on, Since: tt.since, Subject: lawbook.PaddyStubble, Purpose: tt.purpose}, today)
		if (err == nil) != tt.want {
			t.Errorf("%s on %s since %q: %v, want cited %v", tt.id, tt.on, tt.since, err, tt.want)
		}
	}
	for _, id := range []lawbook.ID{"caqm-direction-84", "caqm-direction-95"} {
		on := map[lawbook.ID]string{"caqm-direction-84": "2024-11-01", "caqm-direction-95": "2025-11-01"}[id]
		c, err := book(t).Cite(id, lawbook.Use{On: on, Subject: lawbook.PaddyStubble, Purpose: lawbook.ProsecuteOfficial,
			State: "Uttar Pradesh"}, today)
		if err != nil || !strings.Contains(strings.Join(c.Cautions, " "), "National Capital Region only") {
			t.Errorf("%s: cautions %q, %v", id, c.Cautions, err)
		}
	}
}

// TestBookWithAGapIsRefused promises that no book is used in which a provision
// lacks what makes it defensible.
func TestBookWithAGapIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(*lawbook.Book){
		"no version":       func(b *lawbook.Book) { b.Version = "" },
		"no last day":      func(b *lawbook.Book) { b.Citations[0].Until = "2025" },
		"no source":        func(b *lawbook.Book) { b.Citations[0].Source = "" },
		"no date":          func(b *lawbook.Book) { b.Citations[0].Date = "2025" },
		"not looked at":    func(b *lawbook.Book) { b.Citations[0].VerifiedOn = "" },
		"no purpose":       func(b *lawbook.Book) { b.Citations[0].Supports = nil },
		"no addressee":     func(b *lawbook.Book) { b.Citations[0].Addressees = nil },
		"twice":            func(b *lawbook.Book) { b.Citations[1].ID = b.Citations[0].ID },
		"renewed by none":  func(b *lawbook.Book) { b.Citations[0].RenewedBy = "caqm-direction-1" },
		"no such season":   func(b *lawbook.Book) { b.Citations[0].Seasonal = true },
		"season's days":    func(b *lawbook.Book) { b.Seasons[lawbook.PaddyStubble] = lawbook.Season{From: "15-09", Until: "11-30"} },
		"certainty":        func(b *lawbook.Book) { b.Citations[0].Certainty = "sure" },
		"endless sentence": func(b *lawbook.Book) { b.Citations[0].Says = strings.Repeat("x", 1001) },
	} {
		b := book(t)
		spoil(&b)
		file, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lawbook.Read(file); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want it refused", name, err)
		}
	}
}

// TestSeasonMayRunOverTheTurnOfTheYear promises that a winter's season holds in
// both its years.
func TestSeasonMayRunOverTheTurnOfTheYear(t *testing.T) {
	b := book(t)
	b.Seasons = map[lawbook.Subject]lawbook.Season{lawbook.PaddyStubble: {From: "11-15", Until: "02-10"}}
	for on, want := range map[string]bool{"2025-11-14": false, "2025-11-15": true, "2025-12-31": true, "2026-02-10": true,
		"2026-02-11": false} {
		_, err := b.Cite("caqm-direction-95", lawbook.Use{On: on, Subject: lawbook.PaddyStubble, Purpose: lawbook.ProsecuteOfficial}, today)
		if (err == nil) != want {
			t.Errorf("%s: got %v, want cited %v", on, err, want)
		}
	}
}

// FuzzRead promises that a book that is taken answers every use without falling
// over, and is taken again as it is written.
func FuzzRead(f *testing.F) {
	file, err := json.Marshal(book(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add([]byte(`{"version":"1","seasons":{"a":{"from":"11-01","until":"02-01"}},"citations":[]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := lawbook.Read(file)
		if err != nil {
			return
		}
		for _, c := range b.Citations {
			b.For(lawbook.Use{On: "2026-11-13", Subject: c.Subjects[0], Purpose: c.Supports[0]}, today)
		}
		again, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lawbook.Read(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}

// TestPendingProceedingsStayUnderTheOldLaw holds the day the law of evidence
// changed.
func TestPendingProceedingsStayUnderTheOldLaw(t *testing.T) {
	for day, want := range map[string]string{"2024-06-30": "65B", "2024-07-01": "section 63", "2026-11-15": "section 63"} {
		if got, err := lawbook.EvidenceLaw(day); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, %v, want %s", day, got, err, want)
		}
	}
	if _, err := lawbook.EvidenceLaw("2024"); err == nil {
		t.Error("a year passed for a day")
	}
}
