package fire

import (
	"io"
	"math"

	"github.com/gavelhq/gavel/platform/fault"
)

// ReadLooks reads a file of what watchers saw, which the fire service gives under the
// heading of VIIRS: no instrument, sides of a pixel of nought, and confidence in percent.
// Rows of satellites that are not in the watch are counted as unknown: one source holds
// what all the world's watchers see.
func ReadLooks(r io.Reader, w Watch) (File, error) {
	rows, err := newReader(r, Constellation{}, &w)
	if err != nil {
		return File{}, err
	}
	f, err := rows.all()
	f.Instrument = "" // each row's own
	return f, err
}

// look reads one line of such a file.
func (f *Reader) look(p *parser, bad func(Reason, string) Row) Row {
	by, known := f.watch.Called(p.cell(satellite))
	if !known {
		return bad(UnknownSatellite, fault.New(fault.Invalid, "no geostationary satellite is called %.20q", p.cell(satellite)).Text)
	}
	d := Detection{
		Line: f.line, Satellite: by.Satellite, Instrument: by.Instrument, Time: p.moment(), Light: p.light(),
		At:     Point{Lat: p.number(latitude, -90, 90), Lon: p.number(longitude, -180, 180)},
		Bright: p.number(bright, 0, maxKelvin), Background: p.number(background, 0, maxKelvin),
		Scan: p.number(scan, 0, maxPixel), Track: p.number(track, 0, maxPixel), FRP: p.number(frp, 0, maxPower),
		Version: f.share(p.version()), Percent: int(math.Floor(p.number(confidence, 0, 100))),
	}
	if p.err != nil {
		return bad(Unreadable, p.err.Text)
	}
	if d.Confidence = by.Class(d.Percent); d.Scan == 0 || d.Track == 0 {
		d.Scan, d.Track = by.Scan, by.Track
	}
	return Row{Detection: d}
}
