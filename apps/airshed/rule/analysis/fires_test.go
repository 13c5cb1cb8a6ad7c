package analysis_test

import (
	"reflect"
	"runtime"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// TestAFireWithoutItsHourCarriesNoClaim promises that the first design's rows, which
// have a day only, are in the circle's count and in no share.
func TestAFireWithoutItsHourCarriesNoClaim(t *testing.T) {
	o := whole(t)
	for i := range o.Fires {
		o.Fires[i].DayOnly, o.Fires[i].Time = true, o.Fires[i].Time.Truncate(24*time.Hour)
	}
	a := only(t, o)
	if a.Attribution.Verdict != plume.Unattributed || len(a.Attribution.States) > 0 || !hasReason(a, analysis.FiresUnweighed) ||
		hasReason(a, plume.NoFires) {
		t.Errorf("attribution %+v", a.Attribution)
	}
	if a.Fires.DayOnly != 18 || a.Fires.Kept != 0 || !hasGap(a, analysis.FiresDayOnly) {
		t.Errorf("fires %+v", a.Fires)
	}
	o.Fires[0].Confidence, o.Fires[1].Confidence = "29", "l"
	if b := only(t, o); b.Legacy.Fires != 10 || b.Fires.DayOnly != 18 {
		t.Errorf("legacy %+v, want the doubtful left out", b.Legacy)
	}
	if a.Legacy.Fires != 12 || a.Legacy.DayOnly != 12 { // of 11 and 12 November; the 13th is after the worst hour
		t.Errorf("legacy %+v", a.Legacy)
	}
}

// TestEveryRowIsUsedOrCounted promises that what cannot be weighed is left out by
// name, and that the sums are right.
func TestEveryRowIsUsedOrCounted(t *testing.T) {
	good := burning(315, 150, 10)[6]
	with := func(km int, change func(*lake.Fire)) lake.Fire {
		f := good
		f.Lat += float64(km) / 111 // apart, so that none is another's twin
		change(&f)
		return f
	}
	o := whole(t)
	o.Fires = []lake.Fire{
		good,
		with(3, func(f *lake.Fire) { f.Satellite = "" }),
		with(6, func(f *lake.Fire) { f.Satellite = "N99" }),
		with(9, func(f *lake.Fire) { f.FRP = 0 }),
		with(12, func(f *lake.Fire) { f.Confidence = "85" }), // a percentage of an instrument that has classes
		with(15, func(f *lake.Fire) { f.Confidence = "l" }),
		with(18, func(f *lake.Fire) { f.Kind = "2" }),
		with(21, func(f *lake.Fire) { f.Satellite, f.Instrument, f.Confidence = "Aqua", "MODIS", "29" }),
		with(24, func(f *lake.Fire) { f.Satellite, f.Instrument, f.Confidence = "A", "", "30" }),
		with(0, func(f *lake.Fire) { f.Satellite, f.FRP = "N21", 4 }), // the same fire, seen by another
		with(0, func(f *lake.Fire) { f.Lat, f.Lon = -10, 20 }),        // in Africa
	}
	a := only(t, o)
	unusable := []analysis.Tally{{Name: "confidence_of_another_instrument", Count: 1}, {Name: "no_power", Count: 1},
		{Name: "no_satellite", Count: 1}, {Name: "unknown_satellite", Count: 1}}
	if got, want := a.Fires.Unusable, unusable; !reflect.DeepEqual(got, want) {
		t.Errorf("unusable %v, want %v", got, want)
	}
	dropped := []analysis.Tally{{Name: "low_confidence", Count: 2}, {Name: "not_vegetation", Count: 1}, {Name: "seen_by_another_satellite",
		Count: 1}}
	if got, want := a.Fires.Dropped, dropped; !reflect.DeepEqual(got, want) {
		t.Errorf("dropped %v, want %v", got, want)
	}
	if a.Fires.Rows != 11 || a.Fires.Elsewhere != 1 || a.Fires.Kept != 2 || !hasGap(a, analysis.FiresUnusable) {
		t.Errorf("fires %+v", a.Fires)
	}
	if got, want := a.Fires.Used, []fire.Satellite{"NOAA-20", "Aqua"}; !reflect.DeepEqual(got, want) {
		t.Errorf("used %v, want %v", got, want)
	}
}

// TestPreliminaryAndFinalRowsAreToldApart promises the mark that a record made of
// preliminary rows must carry.
func TestPreliminaryAndFinalRowsAreToldApart(t *testing.T) {
	for _, tt := range []struct {
		first, others string
		want          analysis.Stage
	}{{"2.0NRT", "2.0NRT", analysis.Preliminary}, {"2.0", "2.0", analysis.Final}, {"2.0", "2.0URT", analysis.Both},
		{"", "", analysis.Preliminary}} {
		o := whole(t)
		for i := range o.Fires {
			o.Fires[i].Version = tt.others
		}
		o.Fires[0].Version = tt.first
		a := only(t, o)
		if a.Fires.Stage != tt.want || hasWarning(a, analysis.StagesMixed) != (tt.want == analysis.Both) {
			t.Errorf("%q and %q: %s, %v", tt.first, tt.others, a.Fires.Stage, a.Warnings)
		}
		if got, want := len(a.Fires.Mixed) == 1, tt.want == analysis.Both; got != want {
			t.Errorf("%q and %q: mixed %v", tt.first, tt.others, a.Fires.Mixed)
		}
	}
}

// TestBoundariesGoBeforeARowsOwnWord promises whose word counts about a state, and
// that fires abroad are a class of their own.
func TestBoundariesGoBeforeARowsOwnWord(t *testing.T) {
	o := whole(t)
	for i := range o.Fires {
		o.Fires[i].State = east
	}
	a := only(t, o)
	if a.Attribution.First != west || a.Fires.Disagreed != len(o.Fires) || !hasWarning(a, analysis.StatesDisagree) {
		t.Errorf("first %s, %d disagreed", a.Attribution.First, a.Fires.Disagreed)
	}
	r := rules(t)
	r.Places = nil
	d, err := analysis.Prepare(o, r)
	if err != nil {
		t.Fatal(err)
	}
	if _, all, err := d.Run(analysis.Demands); err != nil || all[0].Attribution.First != east || all[0].Fires.RowPlaced != len(o.Fires) ||
		!hasGap(all[0], analysis.PlacesUnknown) {
		t.Errorf("without boundaries: %+v, %v", all, err)
	}
	for i := range o.Fires {
		o.Fires[i].State = "Punjab" // there is one on either side of the border
	}
	r.Places = func(fire.Point) fire.Place { return fire.Place{State: "Punjab", Abroad: true} }
	if d, err = analysis.Prepare(o, r); err != nil {
		t.Fatal(err)
	}
	if _, all, err := d.Run(analysis.Demands); err != nil || all[0].Attribution.First != analysis.Abroad || all[0].Legacy.Abroad != 12 ||
		all[0].Fires.Disagreed != 0 {
		t.Errorf("abroad: %+v, %v", all, err)
	}
}

// TestDistrictsAreNamedByBoundariesOnly promises that nothing is said about districts
// on a row's own word, and that boundaries which have them are not said to be missing
// where there is no wind.
func TestDistrictsAreNamedByBoundariesOnly(t *testing.T) {
	o := whole(t)
	if a := only(t, o); len(a.Attribution.Districts) != 0 || !hasGap(a, analysis.DistrictsUnknown) {
		t.Errorf("districts %+v", a.Attribution.Districts)
	}
	for i := range o.Fires {
		o.Fires[i].State, o.Fires[i].District = "west", "Jind"
	}
	if a := only(t, o); len(a.Attribution.Districts) != 0 || !hasGap(a, analysis.DistrictsUnknown) {
		t.Errorf("districts by the rows' word %+v", a.Attribution.Districts)
	}
	r := rules(t)
	r.Places = func(p fire.Point) fire.Place { return fire.Place{State: west, District: "Jind"} }
	a := by(t, o, r)
	if len(a.Attribution.Districts) != 1 || a.Attribution.Districts[0].District != "Jind" || hasGap(a, analysis.DistrictsUnknown) {
		t.Errorf("districts by boundaries %+v", a.Attribution.Districts)
	}
	o.Wind = nil
	if a := by(t, o, r); len(a.Attribution.Districts) != 0 || hasGap(a, analysis.DistrictsUnknown) {
		t.Errorf("without wind %+v", a.Gaps)
	}
}

// by is the only episode of an object by some rules.
func by(t *testing.T, o *lake.Object, r analysis.Rules) analysis.Analysis {
	t.Helper()
	d, err := analysis.Prepare(o, r)
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := d.Run(analysis.Demands)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d episodes, %v", len(all), err)
	}
	return all[0]
}

// TestFiresNearALineAreCounted promises that fires which may lie in the next state,
// and those a row alone gives a state, are said with what that costs.
func TestFiresNearALineAreCounted(t *testing.T) {
	o, r := whole(t), rules(t)
	if a := by(t, o, r); a.Fires.Unsure != 0 || hasGap(a, analysis.NearLine) || hasGap(a, analysis.RowPlaced) {
		t.Errorf("nobody can say: %d, %+v", a.Fires.Unsure, a.Gaps)
	}
	line := o.Fires[0].Lat
	r.Unsure = func(p fire.Point) bool { return p.Lat == line }
	r.Places = func(fire.Point) fire.Place { return fire.Place{} }
	for i := range o.Fires {
		o.Fires[i].State = west
	}
	a := by(t, o, r)
	if a.Fires.Unsure != 2 || !hasGap(a, analysis.NearLine) || !hasGap(a, analysis.RowPlaced) { // one a day, on two of the days
		t.Errorf("%d of %d near a line, %+v", a.Fires.Unsure, a.Fires.InTime, a.Gaps)
	}
}

// TestTheForecastIsDoubtedWhereItMustBe promises warnings for figures that have
// never been, and no use of a figure for another day.
func TestTheForecastIsDoubtedWhereItMustBe(t *testing.T) {
	o := whole(t)
	o.Stubble.Percent = 70.1
	if a := only(t, o); !hasWarning(a, analysis.StubbleTooHigh) || hasWarning(a, analysis.StubbleOffSeason) {
		t.Errorf("70.1 %%: %+v", a.Warnings)
	}
	o.Stubble.Percent = 70
	if a := only(t, o); hasWarning(a, analysis.StubbleTooHigh) {
		t.Errorf("70 %%: %+v", a.Warnings)
	}
	for day, want := range map[string]bool{"2025-09-24": true, "2025-09-25": false, "2025-12-05": false, "2025-12-06": true} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		for _, percent := range []float64{5, 5.1} {
			o := given(350)
			o.Time = at.Add(12 * time.Hour)
			o.Air[0].Time = o.Time
			o.Stubble = &lake.Stubble{Percent: percent, Valid: day}
			if a := only(t, o); hasWarning(a, analysis.StubbleOffSeason) != (want && percent > 5) {
				t.Errorf("%v %% on %s: %+v", percent, day, a.Warnings)
			}
		}
	}
	for _, s := range []lake.Stubble{{Percent: 15, Valid: "2025-11-08"}, {Percent: 15, Valid: "2025-11-16"}, {Percent: 15}} {
		o := whole(t)
		o.Stubble = &s
		a := only(t, o)
		if a.Stubble.Available || a.Have.Stubble || !hasGap(a, analysis.StubbleOtherDay) || a.Score.Confidence != 60 {
			t.Errorf("%+v: %+v, %+v", s, a.Stubble, a.Score)
		}
	}
}

// TestARowThatContradictsItselfIsPointedOut promises the first design's own example:
// PM2.5 of 350.5 over a day is an index of 477, and its row says 450.
func TestARowThatContradictsItselfIsPointedOut(t *testing.T) {
	o := given(450)
	o.Air[0].Values = []lake.Value{{Pollutant: aqi.PM25, Amount: 350_500_000}, {Pollutant: aqi.PM10, Amount: 420_200_000}}
	a := only(t, o)
	if !hasWarning(a, analysis.IndexOdd) || *a.Surge.PM25 != 350.5 || *a.Surge.PM10 != 420.2 || a.Surge.Label == "" {
		t.Errorf("%+v, %+v", a.Surge, a.Warnings)
	}
	o = given(477)
	o.Air[0].Values = []lake.Value{{Pollutant: aqi.PM25, Amount: 350_500_000}}
	if a := only(t, o); hasWarning(a, analysis.IndexOdd) {
		t.Errorf("%+v", a.Warnings)
	}
}

// TestStationsLeftOutAreListedWithTheReason promises that no station goes missing
// without a word.
func TestStationsLeftOutAreListedWithTheReason(t *testing.T) {
	o := whole(t)
	// Narela: quiet for 30 hours
	dark := measured("site_1426", "", 300, 60)[30:]
	// Bawana: PM2.5 alone makes no index
	lone := measured("site_1560", "", 300, 40)
	// Mundka: half an hour out of step
	odd := measured("site_1561", "", 300, 2)
	// which of the two, nobody says
	dwarka := lake.Air{Station: "Dwarka", Lat: 28.59, Lon: 77.05, Index: 400, Time: now.Add(-30 * time.Minute)}
	for i := range lone {
		lone[i].Values = lone[i].Values[:1]
	}
	odd[1].Time = odd[1].Time.Add(30 * time.Minute)
	o.Air = append(append(append(append(o.Air, dark...), lone...), odd...), dwarka)
	b := prepare(t, o).Board()
	why := map[aqi.Site]analysis.Why{}
	for _, l := range b.Left {
		why[l.Site] = l.Why
	}
	for site, want := range map[aqi.Site]analysis.Why{"site_1426": analysis.Quiet, "site_1560": analysis.NoIndex,
		"site_1561": analysis.OutOfStep, "site_301": analysis.NoData, "site_5024": ""} {
		if got := why[site]; got != want {
			t.Errorf("%s is left out as %q, want %q", site, got, want)
		}
	}
	if b.Others != 1 || len(b.Episodes) != 1 || b.Border+b.Interior+len(b.Left) != len(surge.Stations()) {
		t.Errorf("%d other rows, %d episodes, %d + %d looked at and %d left out of %d", b.Others, len(b.Episodes), b.Border, b.Interior,
			len(b.Left), len(surge.Stations()))
	}
}

// TestAnInteriorStationNeedsNoIndex promises that fine particles alone suffice to be
// compared with by the hour.
func TestAnInteriorStationNeedsNoIndex(t *testing.T) {
	o := whole(t)
	inside := measured("site_1434", "", 100, 40)
	for i := range inside {
		inside[i].Values = inside[i].Values[:1]
	}
	o.Air = append(measured("site_5024", "", 300, 40), inside...)
	a := only(t, o)
	if a.Control.Verdict != surge.Above || a.Control.Difference != 200 { // 300 less 100
		t.Errorf("control %+v", a.Control)
	}
	if len(a.Beside) != 3 || a.Beside[1].Interior != nil || a.Beside[0].Interior == nil || *a.Beside[0].Difference != 200 {
		t.Errorf("beside %+v", a.Beside)
	}
}

// TestByDayOrByNightIsTakenFromTheSunWhereNothingSaysIt promises that a pass at noon
// in India is one by day, and that it matters: what is seen at night is not taken to
// burn on into the evening.
func TestByDayOrByNightIsTakenFromTheSunWhereNothingSaysIt(t *testing.T) {
	of := func(light string) analysis.Attribution {
		o := whole(t)
		beyond := burning(315, 260, 10)
		for i := range beyond {
			beyond[i].Light = light
		}
		o.Fires = append(o.Fires, beyond...)
		return only(t, o).Attribution
	}
	day, night, unsaid := of("D"), of("N"), of("")
	if !reflect.DeepEqual(day, unsaid) {
		t.Errorf("unsaid it is %+v, want as by day %+v", unsaid.States, day.States)
	}
	if reflect.DeepEqual(day.States, night.States) {
		t.Errorf("by night it is as by day: %+v", night.States)
	}
}

// TestNothingConclusiveRestsOnAnUnsaidWindow promises that a file which does not say
// while when fires were looked for is never conclusive, however far its rows reach.
func TestNothingConclusiveRestsOnAnUnsaidWindow(t *testing.T) {
	o := whole(t)
	o.Looked = lake.Span{}
	a := only(t, o)
	if a.Attribution.Conclusive || !hasReason(a, plume.FiresUnknown) || !hasGap(a, analysis.FiresWindow) {
		t.Errorf("first fire on the 11th: %+v", a.Attribution.Reasons)
	}
	early := o.Fires[0]
	early.Time = time.Date(2025, 11, 8, 20, 0, 0, 0, time.UTC)
	o.Fires = append(o.Fires, early)
	a = only(t, o)
	if a.Attribution.Conclusive || !hasReason(a, plume.FiresUnknown) || !hasGap(a, analysis.FiresWindow) {
		t.Errorf("first fire on the 8th: %+v", a.Attribution.Reasons)
	}
}

// TestASeasonInOneFileChangesNothing promises that fires of months ago, for which
// one index would be too long, leave the attribution as it was.
func TestASeasonInOneFileChangesNothing(t *testing.T) {
	o := whole(t)
	o.Looked.From = now.AddDate(0, 0, -90)
	want := only(t, o).Attribution
	for _, f := range burning(315, 150, 50) {
		f.Time = f.Time.AddDate(0, 0, -80)
		o.Fires = append(o.Fires, f)
	}
	a := only(t, o)
	if got := a.Attribution; !reflect.DeepEqual(got, want) {
		t.Errorf("attribution %+v, want %+v", got, want)
	}
	if a.Fires.Kept != 36 || a.Fires.InTime != 12 {
		t.Errorf("%d fires kept, %d in time", a.Fires.Kept, a.Fires.InTime)
	}
}

// TestWhatComesOfAnIndexIsLabelled promises that concentrations worked out from
// sub-indices never pass for measured ones.
func TestWhatComesOfAnIndexIsLabelled(t *testing.T) {
	o := given(400)
	o.Air[0].Basis, o.Air[0].Derived = lake.SubIndex, true
	o.Air[0].Values = []lake.Value{{Pollutant: aqi.PM25, Amount: 250_000_000}, {Pollutant: aqi.NO2, Amount: 40_000_000}}
	a := only(t, o)
	if !a.Surge.Derived || a.Surge.Label != aqi.DerivedLabel || *a.Surge.PM25 != 250 || a.Surge.PM10 != nil || a.Surge.Peak != nil {
		t.Errorf("surge %+v", a.Surge)
	}
	if len(a.Beside) != 2 || !a.Beside[0].Derived || !a.Beside[1].Derived {
		t.Errorf("beside %+v", a.Beside)
	}
}

// TestNoMemberHasFiresOfItsOwn promises that memory does not grow with members times
// fires: an episode of sixty members takes less than four copies of the fires.
func TestNoMemberHasFiresOfItsOwn(t *testing.T) {
	o := whole(t)
	const many = 10_000
	for i := range many {
		f := o.Fires[i%6]
		f.Lat, f.Lon = 29+float64(i/200)*0.08, 73+float64(i%200)*0.02
		o.Fires = append(o.Fires, f)
	}
	d := prepare(t, o)
	key := d.Keys()[0]
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	a, err := d.Analyse(key, analysis.Demands)
	runtime.ReadMemStats(&after)
	if err != nil || a.Fires.InTime < many/2 || a.Attribution.Members != 60 {
		t.Fatalf("%d fires in time, %d members, %v", a.Fires.InTime, a.Attribution.Members, err)
	}
	const bytesOfOne = 300
	if got, most := after.TotalAlloc-before.TotalAlloc, uint64(4*many*bytesOfOne); got > most {
		t.Errorf("the analysis took %d bytes, want at most %d", got, most)
	}
}
