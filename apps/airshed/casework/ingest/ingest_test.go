package ingest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// written reads the object an ingest wrote, as a scan would.
func (r rig) written(t *testing.T, i store.Ingest) *lake.Object {
	t.Helper()
	found, err := r.surveyor.Lake().Lake.At(t.Context(), i.Object)
	if err != nil || found.Snapshot.SHA256.String() != i.Data {
		t.Fatalf("%v: the object of %+v", err, i)
	}
	return found.Object
}

// beginIngest starts an ingest as an analyst.
func (r rig) beginIngest(t *testing.T, key string) store.Ingest {
	t.Helper()
	i, err := r.Start(t.Context(), airshedtest.Person(identity.Analyst), key)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// TestAnIngestAsksEverybodyOnceAndWritesOneObject promises that what the services say
// lies in the lake as one object, that each of them was asked no question twice though
// every step was done twice, that each answer is a snapshot without a key, that a scan
// of it follows, and that the scan finds the episode that is in it.
func TestAnIngestAsksEverybodyOnceAndWritesOneObject(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	i, came := r.ingestWhole(t, r.beginIngest(t, "one"))
	if i.State != job.Done || i.Object == "" || i.Scan == "" {
		t.Fatalf("got %+v", i)
	}
	// One page; one list, then two stations and six sensors; three spans of two
	// satellites; 72 places at 50 a question.
	for source, want := range map[string]int{origin.DataGov: 1, origin.OpenAQ: 9, origin.Firms: 6, origin.Meteo: 2} {
		c := came[source]
		if !c.Had || c.Answers != want || w.Asked(source) != want || c.Bytes == 0 || c.AsOf == nil || c.Costs != "" {
			t.Errorf("%s: asked %d times, got %+v, want %d answers", source, w.Asked(source), c, want)
		}
		kept, err := r.store.Kept().Snapshots(t.Context(), postgrestest.North, evidence.SnapshotQuery{Source: source})
		if err != nil || len(kept) != want {
			t.Errorf("%s: %d snapshots, %v, want %d", source, len(kept), err, want)
		}
		for _, k := range kept {
			if strings.Contains(k.Place, feedtest.Key) {
				t.Errorf("%s shows the key", k.Place)
			}
		}
	}
	if c := came[origin.Stubble]; c.Had || c.Costs == "" || !strings.Contains(c.Note, "gavel airshed import dss") {
		t.Errorf("nobody entered a share: got %+v", c)
	}
	o := r.written(t, i)
	if len(o.Air) < 600 || len(o.Fires) == 0 || o.Fires[0].State != "Punjab" || o.Wind == nil || len(o.Cloud) == 0 || o.Stubble != nil ||
		o.Looked.IsZero() {
		t.Errorf("the object has %d air, %d fires, wind %t, %d clouds, stubble %v", len(o.Air), len(o.Fires), o.Wind != nil, len(o.Cloud),
			o.Stubble)
	}
	scan, err := r.store.Scan(t.Context(), airshedtest.Person(identity.Analyst), i.Scan)
	if err != nil || scan.Kind != store.Event || scan.Object != i.Object {
		t.Fatalf("the scan: got %+v, %v", scan, err)
	}
	if scan = r.carry(t, scan); scan.State != job.Done || scan.Found != 1 || scan.Fresh != 1 || scan.Stale != "" {
		t.Errorf("the scan found %+v", scan)
	}
	if again := r.beginIngest(t, "one"); again.ID != i.ID {
		t.Errorf("the same key made %s beside %s", again.ID, i.ID)
	}
}

// TestWithoutTheAirNothingIsWritten promises a plain error that says what to do, no
// object, and no question to anybody else.
func TestWithoutTheAirNothingIsWritten(t *testing.T) {
	w := feedtest.New(t)
	w.Down(origin.DataGov)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	i, _ := r.ingestWhole(t, r.beginIngest(t, "one"))
	if i.State != job.Refused || !strings.Contains(i.Reason, "refuses our key") || !strings.Contains(i.Reason, "no surge can be found") ||
		i.Object != "" {
		t.Errorf("got %+v", i)
	}
	for _, source := range []string{origin.OpenAQ, origin.Firms, origin.Meteo} {
		if w.Asked(source) != 0 {
			t.Errorf("%s was asked", source)
		}
	}
	if _, err := r.surveyor.Lake().Lake.Latest(t.Context()); !fault.Is(err, fault.NotFound) {
		t.Errorf("something lies in the lake: %v", err)
	}
}

// TestWhatElseIsMissingStopsNobody promises that the object is written without a
// source that fails or is not set up, and that each gap is listed with its price.
func TestWhatElseIsMissingStopsNobody(t *testing.T) {
	w := feedtest.New(t)
	w.Down(origin.Firms)
	w.Down(origin.Meteo)
	set := settingsOf(t, w)
	delete(set, outside.SettingOpenAQKey)
	r := newRig(t).onWorld(t, set)
	i, came := r.ingestWhole(t, r.beginIngest(t, "one"))
	if i.State != job.Done {
		t.Fatalf("got %+v", i)
	}
	if w.Asked(origin.OpenAQ) != 0 || !strings.Contains(came[origin.OpenAQ].Note, outside.SettingOpenAQKey) {
		t.Errorf("without a key: asked %d times, %+v", w.Asked(origin.OpenAQ), came[origin.OpenAQ])
	}
	o := r.written(t, i)
	if len(o.Air) != 2 || o.Fires != nil || o.Wind != nil {
		t.Errorf("%d rows of air, %d fires, wind %t", len(o.Air), len(o.Fires), o.Wind != nil)
	}
	missing := 0
	for _, s := range o.Sources {
		if strings.HasPrefix(s.Note, "not had: ") {
			missing++
		}
	}
	for _, source := range []string{origin.OpenAQ, origin.Firms, origin.Meteo, origin.Stubble} {
		if c := came[source]; c.Had || c.Costs == "" {
			t.Errorf("%s: got %+v", source, c)
		}
	}
	if missing != 4 {
		t.Errorf("the object lists %d missing sources, want 4", missing)
	}
}

// TestAnIngestGoesOnWhereItWasCutShort promises that answers which were kept are not
// asked for again by another process, and that without them the object is not made up.
func TestAnIngestGoesOnWhereItWasCutShort(t *testing.T) {
	w := feedtest.New(t)
	set := settingsOf(t, w)
	r := newRig(t).onWorld(t, set)
	i := r.beginIngest(t, "one")
	in := store.IngestInput{Org: postgrestest.North, Ingest: i.ID}
	m := &memory{store: r.store, in: in}
	if _, err := r.part(t.Context(), m, i, origin.Firms, new(outside.Parts)); err != nil { // and the process dies before it says so
		t.Fatal(err)
	}
	asked := w.Asked(origin.Firms)
	other := rigOn(r.Rig).onWorld(t, set)
	if done, _ := other.ingestWhole(t, i); done.State != job.Done || w.Asked(origin.Firms) != asked {
		t.Errorf("asked %d and then %d times, got %+v", asked, w.Asked(origin.Firms), done)
	}
	closed := &memory{store: r.store, in: in, closed: true}
	if _, _, err := closed.Find(t.Context(), origin.Firms, "https://firms.example/never"); !fault.Is(err, fault.Conflict) {
		t.Errorf("an answer nobody kept: %v", err)
	}
}

// TestFilesWithoutAKeyAreRead promises fires of the last week where nobody has a key,
// and only of the satellites that are wanted.
func TestFilesWithoutAKeyAreRead(t *testing.T) {
	w := feedtest.New(t)
	set := settingsOf(t, w)
	delete(set, outside.SettingFirmsKey)
	set[outside.SettingSatellites] = "NOAA-20"
	r := newRig(t).onWorld(t, set)
	i, came := r.ingestWhole(t, r.beginIngest(t, "one"))
	o := r.written(t, i)
	if came[origin.Firms].Answers != 1 || len(o.Fires) == 0 || o.Fires[0].Satellite != "NOAA-20" {
		t.Errorf("got %+v and %d fires", came[origin.Firms], len(o.Fires))
	}
	if days := o.Looked.To.Sub(o.Looked.From).Hours() / 24; days != 7 {
		t.Errorf("looked for %v days", days)
	}
}

// TestAShareThatAPersonEnteredIsInTheObject promises the figure, who entered it and
// the hash of what they looked at; that the last entry for a day counts; and that odd
// figures are taken with a warning.
func TestAShareThatAPersonEnteredIsInTheObject(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	now := r.store.Now()
	today := fire.IndianDay(now)
	page := []byte("<html>stubble 22 %</html>")
	enter := func(percent float64, day string) (store.ShareEntry, error) {
		return r.EnterShare(t.Context(), airshedtest.Person(identity.Officer), feed.Share{Percent: percent, ValidDate: day, IssuedAt: now,
			SourceURL: "https://ews.tropmet.res.in/dss/"}, "text/html", page)
	}
	if e, err := enter(71, today); err != nil || len(e.Warnings) == 0 || e.Warnings[0] != string(feed.ImplausibleShare) {
		t.Errorf("71 percent: got %+v, %v", e, err)
	}
	last, err := enter(22, today)
	if err != nil {
		t.Fatal(err)
	}
	i := r.beginIngest(t, "one")
	if _, err := enter(90, today); err != nil { // too late for this ingest
		t.Fatal(err)
	}
	done, came := r.ingestWhole(t, i)
	s := r.written(t, done).Stubble
	if s == nil || s.Percent != 22 || s.Captured != "asha" || s.SHA256 != blob.Sum(page).String() || s.Valid != today ||
		!came[origin.Stubble].Had {
		t.Errorf("the object has %+v, want that of %+v", s, last)
	}
	for what, f := range map[string]func() error{
		"no page":   func() error { page = nil; _, err := enter(22, today); return err },
		"above all": func() error { page = []byte("x"); _, err := enter(101, today); return err },
		"no day":    func() error { _, err := enter(22, "tomorrow"); return err },
		"another role": func() error {
			_, err := r.EnterShare(t.Context(), airshedtest.Person(identity.Auditor), feed.Share{}, "", page)
			return err
		},
	} {
		if err := f(); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.Refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestNobodyIngestsWithoutARoleOrALake promises that both are refused by default.
func TestNobodyIngestsWithoutARoleOrALake(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	for _, role := range []identity.Role{identity.Auditor, identity.Operator, identity.OrgAdmin, identity.HR} {
		if _, err := r.Start(t.Context(), airshedtest.Person(role), "x"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s ingests: %v", role, err)
		}
	}
	if _, err := r.store.StartIngest(t.Context(), identity.Gavel(postgrestest.North), "x"); !fault.Is(err, fault.Refused) {
		t.Errorf("the system ingests by itself: %v", err)
	}
	south := airshedtest.Person(identity.Analyst)
	south.Org = postgrestest.South
	if _, err := r.Start(t.Context(), south, "x"); !fault.Is(err, fault.Conflict) {
		t.Errorf("an organisation without a lake: %v", err)
	}
	i := r.beginIngest(t, "mine")
	if _, _, err := r.store.Ingest(t.Context(), south, i.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation reads it: %v", err)
	}
}

// TestWhatWatchesIsAskedWhereSomebodyWantsIt promises that geostationary satellites are off
// until they are set, and are then a source of their own, with its own age, whose fires
// lie in the object and are counted once; and that a key is needed for them.
func TestWhatWatchesIsAskedWhereSomebodyWantsIt(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	if _, came := r.ingestWhole(t, r.beginIngest(t, "off")); w.Asked(feedtest.Looks) != 0 || came[origin.Looks].Source != "" {
		t.Errorf("asked %d times without being wanted: %+v", w.Asked(feedtest.Looks), came[origin.Looks])
	}
	set := settingsOf(t, w)
	set[outside.SettingWatchers] = "Meteosat-9"
	r = newRig(t).onWorld(t, set)
	i, came := r.ingestWhole(t, r.beginIngest(t, "on"))
	c := came[origin.Looks]
	if i.State != job.Done || !c.Had || c.Answers < 2 || c.AsOf == nil || c.At.Sub(*c.AsOf) > 24*time.Hour {
		t.Fatalf("got %+v of %+v", c, i)
	}
	found, err := r.surveyor.Lake().Lake.Latest(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	looks := 0
	for _, f := range found.Object.Fires {
		if f.Satellite == "Meteosat-9" {
			looks++
		}
	}
	if looks < 27 || looks%3 != 0 {
		t.Errorf("%d looks lie in the object", looks)
	}
	fresh, err := r.store.Fresh(t.Context(), airshedtest.Person(identity.Analyst))
	at := slices.IndexFunc(fresh, func(f evidence.Freshness) bool { return f.Source.Name == origin.Looks })
	if err != nil || at < 0 || fresh[at].Last.IsZero() {
		t.Errorf("the source's freshness: %+v, %v", fresh, err)
	}

	delete(set, outside.SettingFirmsKey)
	r = newRig(t).onWorld(t, set)
	if _, came = r.ingestWhole(t, r.beginIngest(t, "no key")); came[origin.Looks].Had || !strings.Contains(came[origin.Looks].Note,
		outside.SettingFirmsKey) {
		t.Errorf("without a key: %+v", came[origin.Looks])
	}
}
