package lake

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// maxTexts is how many different short texts are kept once.
const maxTexts = 10_000

// share is one copy of a text that comes again and again.
func (r *reader) share(s string) string {
	if kept, ok := r.texts[s]; ok {
		return kept
	}
	if len(r.texts) < maxTexts {
		r.texts[s] = s
	}
	return s
}

// An airRow is a row of the air as a file has it.
type airRow struct {
	Station   loose `json:"station"`
	Site      loose `json:"site_id"`
	Timestamp loose `json:"timestamp"`
	AQI       loose `json:"aqi"`
	PM25      loose `json:"pm25"`
	PM10      loose `json:"pm10"`
	NO2       loose `json:"no2"`
	O3        loose `json:"o3"`
	CO        loose `json:"co"`
	SO2       loose `json:"so2"`
	NH3       loose `json:"nh3"`
	Latitude  loose `json:"latitude"`
	Longitude loose `json:"longitude"`
	Basis     Basis `json:"basis"`
	Derived   bool  `json:"derived"`
}

// values are the concentrations of a row, in the order of aqi.Pollutants.
func (w airRow) values() []loose { return []loose{w.PM25, w.PM10, w.NO2, w.O3, w.CO, w.SO2, w.NH3} }

func (r *reader) air(number int) error {
	var w airRow
	if err := r.decode(AirPart, number, &w); err != nil {
		return err
	}
	a, err := r.airOf(w)
	if err == nil {
		err = a.check()
	}
	if err != nil {
		return bad(AirPart, number, err)
	}
	r.out.Air = append(r.out.Air, a)
	return nil
}

func (r *reader) airOf(w airRow) (Air, error) {
	a := Air{Station: r.share(string(w.Station)), Site: aqi.Site(r.share(string(w.Site))), Basis: w.Basis, Derived: w.Derived}
	var (
		odd bool
		err error
	)
	if a.Time, err = moment("timestamp", w.Timestamp); err != nil {
		return Air{}, err
	}
	if a.Lat, err = w.Latitude.number("latitude", -90, 90); err != nil {
		return Air{}, err
	}
	if a.Lon, err = w.Longitude.number("longitude", -180, 180); err != nil {
		return Air{}, err
	}
	if a.Index, odd, err = w.AQI.index("aqi"); err != nil {
		return Air{}, err
	}
	if odd {
		r.left(AirPart, OffScale)
	}
	for p, text := range w.values() {
		amount, ok, odd, err := text.amount(aqi.Pollutant(p).String())
		switch {
		case err != nil:
			return Air{}, err
		case odd:
			r.left(AirPart, OutOfOrder)
		case ok:
			a.Values = append(a.Values, Value{aqi.Pollutant(p), amount})
		}
	}
	a.Values = slices.Clip(a.Values)
	return a, nil
}

// left counts a value that is left out.
func (r *reader) left(part, reason string) {
	for i := range r.drops {
		if r.drops[i].Part == part && r.drops[i].Reason == reason {
			r.drops[i].Count++
			return
		}
	}
	r.drops = append(r.drops, Drop{part, reason, 1})
}

// A fireRow is a row about a fire as a file has it.
type fireRow struct {
	Latitude   loose `json:"latitude"`
	Longitude  loose `json:"longitude"`
	Brightness loose `json:"brightness"`
	Confidence loose `json:"confidence"`
	Date       loose `json:"acq_date"`
	Time       loose `json:"acq_time"`
	State      loose `json:"state"`
	District   loose `json:"district"`
	Satellite  loose `json:"satellite"`
	Instrument loose `json:"instrument"`
	FRP        loose `json:"frp"`
	DayNight   loose `json:"daynight"`
	Scan       loose `json:"scan"`
	Track      loose `json:"track"`
	Version    loose `json:"version"`
	Type       loose `json:"type"`
}

func (r *reader) fire(number int) error {
	var w fireRow
	if err := r.decode(FiresPart, number, &w); err != nil {
		return err
	}
	f, err := r.fireOf(w)
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return bad(FiresPart, number, err)
	}
	r.out.Fires = append(r.out.Fires, f)
	return nil
}

func (r *reader) fireOf(w fireRow) (Fire, error) {
	f := Fire{
		Confidence: r.share(strings.ToLower(string(w.Confidence))), State: r.share(string(w.State)), District: r.share(string(w.District)),
		Satellite: r.share(string(w.Satellite)), Instrument: r.share(strings.ToUpper(string(w.Instrument))),
		Light: r.share(strings.ToUpper(string(w.DayNight))), Version: r.share(string(w.Version)), Kind: r.share(string(w.Type)),
	}
	var err error
	number := func(to *float64, of loose, name string, most float64) {
		if err == nil {
			*to, err = of.number(name, 0, most)
		}
	}
	number(&f.Bright, w.Brightness, "brightness", maxKelvin)
	number(&f.FRP, w.FRP, "frp", maxPower)
	number(&f.Scan, w.Scan, "scan", maxPixel)
	number(&f.Track, w.Track, "track", maxPixel)
	if err == nil {
		f.Lat, err = w.Latitude.needed("latitude", -90, 90)
	}
	if err == nil {
		f.Lon, err = w.Longitude.needed("longitude", -180, 180)
	}
	if err == nil {
		f.Time, f.DayOnly, err = overpass(w.Date, w.Time)
	}
	if n, bad := strconv.ParseFloat(f.Confidence, 64); bad == nil && n == float64(int(n)) {
		f.Confidence = r.share(strconv.Itoa(int(n))) // 85.0 is 85
	}
	return f, err
}

// overpass reads date and time of a pass, which are told in UTC. The time has no
// leading zeros: 5 is 00:05 and 659 is 06:59.
func overpass(date, clock loose) (at time.Time, dayOnly bool, err error) {
	day, err := time.Parse(time.DateOnly, string(date))
	if err != nil || day.Year() < firstYear || day.Year() > lastYear {
		return time.Time{}, false, fault.New(fault.Invalid, "acq_date %.40q is no day as 2025-11-13", date)
	}
	if clock == "" {
		return day, true, nil
	}
	n, err := strconv.ParseUint(string(clock), 10, 16)
	if err != nil || len(clock) > 4 || n/100 > 23 || n%100 > 59 {
		return time.Time{}, false, fault.New(fault.Invalid, "acq_time %.40q is no time as 659 or 0659", clock)
	}
	return day.Add(time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute), false, nil
}
