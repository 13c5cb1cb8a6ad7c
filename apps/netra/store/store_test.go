package store_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var analyst = netratest.Person(identity.Analyst)

// take brings signals in, in parts of at most so many, in an order of its own.
func take(t *testing.T, r netratest.Rig, lot *rand.Rand, all []signal.Signal, most int) (last store.Ingest) {
	t.Helper()
	all = slices.Clone(all)
	lot.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for part := range slices.Chunk(all, most) {
		var err error
		last, err = r.Store.Take(t.Context(), analyst, store.Part{Ingest: last.ID, Name: "test", Feed: "ndjson", Lines: len(part),
			Signals: part})
		if err != nil {
			t.Fatal(err)
		}
	}
	return last
}

func TestOrganisationsAreKeptApart(t *testing.T) {
	postgrestest.Walls(t, platform.Migrations(platform.App{Migrations: []postgres.MigrationSet{store.Migrations()}})...)
}

// TestBucketedLayersEqualTheNaiveSumInTheDatabase promises that what the tables answer is what adding up each signal gives, to
// 1e-9 of what was added up, for random signals, windows, times and both profiles, in whatever order and parts they came.
func TestBucketedLayersEqualTheNaiveSumInTheDatabase(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(20, 25))
	const districts = 3
	until := r.Store.Now().Add(-time.Hour)
	all := netratest.Heard(lot, 2700, districts, until, 9*24*time.Hour)
	crowded := []time.Duration{5 * time.Hour, 29 * time.Hour, 77 * time.Hour, 173 * time.Hour}
	for i, back := range crowded {
		netratest.Crowd(lot, all[i*300:(i+1)*300], until.Add(-back))
	}
	take(t, r, lot, all, 400)
	if n := r.Number(t, `select count(distinct (hour, lgd)) from netra.hour`); n != len(crowded)*districts {
		t.Errorf("%d hours have sums of their minutes, want %d", n, len(crowded)*districts)
	}
	for i := range 60 {
		p := []score.Profile{score.SeedV1(), score.V2()}[lot.IntN(2)]
		span := []time.Duration{24 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour}[lot.IntN(3)]
		asOf := until.Add(-time.Duration(lot.Int64N(int64(30 * time.Hour))))
		if lot.IntN(2) == 0 { // in a crowded hour, and the windows' other ends in others
			asOf = until.Add(-crowded[0]).Truncate(time.Hour).Add(time.Duration(lot.Int64N(int64(time.Hour))))
		}
		if lot.IntN(3) == 0 {
			asOf = asOf.Truncate([]time.Duration{time.Minute, time.Hour, 24 * time.Hour}[lot.IntN(3)])
		}
		sameAsNaive(t, r, all, p, bucket.Window{AsOf: asOf, Span: span}, districts, i%2 == 0)
	}
}

func sameAsNaive(t *testing.T, r netratest.Rig, all []signal.Signal, p score.Profile, w bucket.Window, districts int, named bool) {
	t.Helper()
	recent, older := score.TrendWindows(w.AsOf)
	q := store.Question{Windows: []store.Ask{{Window: w, Floor: p.RecencyFloor}, {Window: recent}, {Window: older, Once: true}},
		Named: named}
	for lgd := 1; lgd <= districts; lgd++ {
		q.LGD = append(q.LGD, lgd)
	}
	sums, err := r.Store.Totals(t.Context(), analyst, q)
	if err != nil {
		t.Fatal(err)
	}
	for lgd, s := range sums {
		own := slices.DeleteFunc(slices.Clone(all), func(x signal.Signal) bool { return x.LGD != lgd })
		got := score.Score(p, score.Usual(), score.Input{Window: w, Layers: s.Layers(0), All: s[0][0], Recent: s[1][0], Older: s[2][0]})
		want := score.Of(p, score.Usual(), w, own)
		for i, l := range want.Layers {
			g := got.Layers[i]
			if math.Abs(g.Score-l.Score) > 1e-9*max(l.Escalation, l.Score) || g.Signals != l.Signals || g.Excluded != l.Excluded ||
				named && len(g.Contributions) != len(l.Contributions) {
				t.Fatalf("%d %s %s %v: got %+v, want %+v", lgd, p.Name, l.Layer, w, g, l)
			}
			for j, c := range l.Contributions[:len(g.Contributions)] {
				if math.Abs(g.Contributions[j].Weight-c.Weight) > 1e-9 {
					t.Fatalf("%d %s %s: got %+v, want %+v", lgd, p.Name, l.Layer, g.Contributions[j], c)
				}
			}
		}
		whoIsMeant(t, r, lgd, s, own)
		if got.Status != want.Status || got.Trend != want.Trend || got.Movement != want.Movement || got.Signals != want.Signals {
			t.Fatalf("%d: got %+v, want %+v", lgd, got, want)
		}
	}
}

// whoIsMeant makes sure that the short names of the sums lead to the signals that weigh so much.
func whoIsMeant(t *testing.T, r netratest.Rig, lgd int, sums store.Sums, own []signal.Signal) {
	t.Helper()
	var spots []store.Spot
	weights := map[store.Spot]float64{}
	for _, top := range sums[0][1].Top {
		for _, x := range top {
			s := store.Spot{LGD: lgd, At: x.At.UnixMicro(), ID: x.ID}
			spots, weights[s] = append(spots, s), x.Weight
		}
	}
	found, err := r.Store.Named(t.Context(), analyst, spots)
	if err != nil || len(found) != len(spots) {
		t.Fatalf("got %d of %d, %v", len(found), len(spots), err)
	}
	for s, x := range found {
		if x.Weight() != weights[s] || !slices.ContainsFunc(own, func(o signal.Signal) bool {
			return o.ID == x.ID && o.At.Equal(x.At) &&
				o.Severity == x.Severity
		}) {
			t.Fatalf("got %+v for %+v", x, s)
		}
	}
}

// sumsText is all sums of an organisation, as they are kept.
func sumsText(t *testing.T, r netratest.Rig) []string {
	t.Helper()
	return r.Texts(t, `select day || ' ' || lgd || ' ' || layer || md5(sums) || md5(hours) || md5(tops) || md5(heard)
		from netra.day
		union all select hour || ' ' || lgd || ' ' || layer || md5(minutes) || md5(tops) from netra.hour order by 1`)
}

// TestSumsDoNotDependOnTheOrder promises the same bytes however signals come: in another order, in other parts, and with parts
// that are sent again.
func TestSumsDoNotDependOnTheOrder(t *testing.T) {
	lot := rand.New(rand.NewPCG(21, 25))
	a, b := netratest.New(t), netratest.New(t)
	all := netratest.Heard(lot, 600, 2, a.Store.Now().Add(-time.Hour), 3*24*time.Hour)
	netratest.Crowd(lot, all[100:400], a.Store.Now().Add(-9*time.Hour))
	take(t, a, lot, all, 600)
	take(t, b, lot, all[:400], 70)
	last := take(t, b, lot, all, 130) // two thirds of it are known
	if last.Taken != 200 || last.Known != 400 || last.Lines != 600 || last.Parts != 5 {
		t.Errorf("got %+v, want 200 taken and 400 known in 5 parts", last)
	}
	if one, other := sumsText(t, a), sumsText(t, b); !slices.Equal(one, other) || len(one) == 0 ||
		a.Number(t, `select count(*) from netra.hour`) == 0 {
		t.Errorf("%d and %d rows of sums differ", len(one), len(other))
	}
	if n := b.Number(t, `select count(*) from netra.signal`); n != len(all) {
		t.Errorf("got %d signals, want %d", n, len(all))
	}
}

// TestAPartIsThereWholeOrNotAtAll promises that what breaks off half-way leaves neither signals nor sums.
func TestAPartIsThereWholeOrNotAtAll(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(22, 25))
	all := netratest.Heard(lot, 50, 2, r.Store.Now().Add(-time.Hour), 24*time.Hour)
	broken := store.Part{Ingest: "NIN-00000000", Name: "test", Feed: "ndjson", Lines: len(all), Signals: all} // that ingest is none
	if _, err := r.Store.Take(t.Context(), analyst, broken); !fault.Is(err, fault.NotFound) {
		t.Fatalf("got %v, want not found", err)
	}
	if n := r.Number(t, `select (select count(*) from netra.signal) + (select count(*) from netra.day) + (select count(*)
		from netra.hour)`); n != 0 {
		t.Errorf("%d rows were left behind", n)
	}
	take(t, r, lot, all, 50)
	if n := r.Number(t, `select count(*) from netra.signal`); n != len(all) {
		t.Errorf("got %d signals, want %d", n, len(all))
	}
}

// TestNobodyCountsForAnother promises that organisations have their own signals, sums and districts.
func TestNobodyCountsForAnother(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(23, 25))
	all := netratest.Heard(lot, 40, 1, r.Store.Now().Add(-time.Hour), 12*time.Hour)
	take(t, r, lot, all, 40)
	south := analyst
	south.Org = postgrestest.South
	q := store.Question{LGD: []int{1}, Windows: []store.Ask{{Window: bucket.Window{AsOf: r.Store.Now(), Span: 24 * time.Hour}}}}
	sums, err := r.Store.Totals(t.Context(), south, q)
	if err != nil || sums[1][0][0].Signals() != 0 {
		t.Errorf("got %d, %v: the south sees what the north heard", sums[1][0][0].Signals(), err)
	}
	if sums, err = r.Store.Totals(t.Context(), analyst, q); err != nil || sums[1][0][0].Signals() != int64(len(all)) {
		t.Errorf("got %d, %v, want %d", sums[1][0][0].Signals(), err, len(all))
	}
	if i, err := r.Store.Take(t.Context(), south, store.Part{Name: "test", Feed: "ndjson", Lines: len(all), Signals: all}); err != nil ||
		i.Taken != 40 {
		t.Errorf("the same events are new to the south: got %+v, %v", i, err)
	}
}

// TestWhatWasKeptItsTimeGoes promises that days go whole, with their sums, and that later ones stay.
func TestWhatWasKeptItsTimeGoes(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(24, 25))
	now := r.Store.Now()
	old := netratest.Heard(lot, 20, 1, now.Add(-100*24*time.Hour), 24*time.Hour)
	young := netratest.Heard(lot, 20, 1, now, 24*time.Hour)
	take(t, r, lot, append(old, young...), 40)
	if _, err := store.Purge(t.Context(), r.DB.System, now.Add(store.SignalsKept-50*24*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n := r.Number(t, `select count(*) from netra.signal`); n != len(young) {
		t.Errorf("got %d signals, want %d", n, len(young))
	}
	if n := r.Number(t, `select count(*) from netra.day where day < now() - interval '40 days'`); n != 0 {
		t.Errorf("%d sums of old days are left", n)
	}
	if n := r.Number(t, `select count(*) from netra.day`); n == 0 {
		t.Error("the sums of the last days went too")
	}
}

// TestQuarantineKeepsKindsAlone promises that of what was stopped only its line and the kinds are kept, once.
func TestQuarantineKeepsKindsAlone(t *testing.T) {
	r := netratest.New(t)
	p := store.Part{Name: "test", Feed: "ndjson", Lines: 2, Refused: map[string]int{"it has no time": 1},
		Held: []store.Held{{Line: 7, Kinds: map[pii.Kind]int{pii.Mobile: 2}}}}
	i, err := r.Store.Take(t.Context(), analyst, p)
	if err != nil || i.Quarantined != 1 || i.Refused != 1 || i.Reasons["it has no time"] != 1 {
		t.Fatalf("got %+v, %v", i, err)
	}
	_, held, err := r.Store.Ingest(t.Context(), analyst, i.ID, 10)
	if err != nil || len(held) != 1 || held[0].Line != 7 || held[0].Kinds[pii.Mobile] != 2 {
		t.Errorf("got %+v, %v", held, err)
	}
}

// TestDistrictsHaveDates promises that a code means the district there was at a time, and that no two hold at once.
func TestDistrictsHaveDates(t *testing.T) {
	r := netratest.New(t)
	officer := netratest.Person(identity.Officer)
	all := netratest.Districts(2)
	all[0].To = all[0].From.AddDate(3, 0, 0)
	after := all[0]
	after.Name, after.From, after.To = "Renamed", all[0].To, time.Time{}
	if n, err := r.Store.ImportDistricts(t.Context(), officer, append(all, after)); err != nil || n != 3 {
		t.Fatalf("got %d, %v", n, err)
	}
	book, err := r.Store.Book(t.Context(), analyst)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]string{all[0].From.Add(time.Hour): "Made-up 1", after.From.Add(-1): "Made-up 1",
		after.From: "Renamed"} {
		if e, ok := book.Find(1, at); !ok || e.Name != want {
			t.Errorf("%v: got %+v, want %s", at, e, want)
		}
	}
	clash := after
	clash.From = after.From.AddDate(0, 1, 0)
	if _, err := r.Store.ImportDistricts(t.Context(), officer, []gazette.Entry{clash}); !fault.Is(err, fault.Invalid) {
		t.Errorf("two at one time: got %v", err)
	}
	if _, err := r.Store.ImportDistricts(t.Context(), analyst, all); !fault.Is(err, fault.Refused) {
		t.Errorf("an analyst: got %v", err)
	}
	if _, err := (store.New()).Book(t.Context(), analyst); err == nil {
		t.Error("a store that is not opened answers")
	}
}

// TestFrozenScoresStay promises that what was given out is listed as it was, and that nobody changes it.
func TestFrozenScoresStay(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(25, 25))
	now := r.Store.Now()
	w := bucket.Window{AsOf: now, Span: 24 * time.Hour}
	result := score.Of(score.V2(), score.Usual(), w, netratest.Heard(lot, 20, 1, now, 24*time.Hour))
	silent := score.Of(score.V2(), score.Usual(), w, nil)
	if n, err := r.Store.Freeze(t.Context(), analyst, map[int][]score.Result{1: {result}, 2: {silent}}); err != nil || n != 2 {
		t.Fatalf("got %d, %v", n, err)
	}
	first, err := r.Store.History(t.Context(), analyst, store.HistoryQuery{Limit: 1})
	if err != nil || len(first) != 1 || first[0].LGD != 2 || first[0].Score != nil || first[0].Status != score.NoSignals {
		t.Fatalf("got %+v, %v", first, err)
	}
	rest, err := r.Store.History(t.Context(), analyst, store.HistoryQuery{After: first[0].Listed(), Limit: 9})
	if err != nil || len(rest) != 1 || rest[0].LGD != 1 || rest[0].Score == nil || *rest[0].Score != result.Score.Value {
		t.Errorf("got %+v, %v", rest, err)
	}
	err = r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update netra.score set score = 0`)
		return err
	})
	if err == nil || errors.Is(err, pgx.ErrNoRows) {
		t.Error("a frozen score was changed")
	}
}
