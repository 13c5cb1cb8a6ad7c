package lake

import (
	"regexp"
	"strconv"
	"time"
)

// digits is a confidence that is a number in the file.
var digits = regexp.MustCompile(`^[0-9]+$`)

func (f Fire) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.number("latitude", f.Lat)
	l.number("longitude", f.Lon)
	l.some("brightness", f.Bright)
	if digits.MatchString(f.Confidence) {
		l.key("confidence")
		l = append(l, f.Confidence...)
	} else {
		l.text("confidence", f.Confidence)
	}
	at := f.Time.UTC()
	l.text("acq_date", at.Format(time.DateOnly))
	if !f.DayOnly {
		l.text("acq_time", at.Format("1504"))
	}
	l.text("satellite", f.Satellite)
	l.text("instrument", f.Instrument)
	l.some("frp", f.FRP)
	l.text("daynight", f.Light)
	l.some("scan", f.Scan)
	l.some("track", f.Track)
	l.text("version", f.Version)
	l.text("type", f.Kind)
	l.text("state", f.State)
	l.text("district", f.District)
	return append(l, '}')
}

func (c Cloud) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.moment("time", c.Time)
	l.number("lat", c.Lat)
	l.number("lon", c.Lon)
	l.number("fraction", c.Fraction)
	return append(l, '}')
}

func (s Source) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.text("name", s.Name)
	l.text("url", s.URL)
	l.moment("fetched_at", s.Fetched)
	l.key("bytes")
	l = strconv.AppendInt(l, s.Bytes, 10)
	l.text("sha256", s.SHA256)
	l.mark("stale", s.Stale)
	l.text("note", s.Note)
	return append(l, '}')
}

func (d Drop) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.text("part", d.Part)
	l.text("reason", d.Reason)
	l.number("count", float64(d.Count))
	return append(l, '}')
}

func (s Span) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.moment("from", s.From)
	l.moment("to", s.To)
	return append(l, '}')
}

func (s Stubble) write(to []byte) []byte {
	l := line(append(to, '{'))
	l.number("stubble_burning_percent", s.Percent)
	l.moment("timestamp", s.Time)
	l.moment("issued_at", s.Issued)
	l.text("valid_date", s.Valid)
	l.text("source_url", s.URL)
	l.text("captured_bytes_sha256", s.SHA256)
	l.text("captured_by", s.Captured)
	return append(l, '}')
}

func (w *Wind) write(to []byte) []byte {
	s := w.shape
	l := line(append(to, '{'))
	l.number("south", s.South)
	l.number("west", s.West)
	l.number("dlat", s.DLat)
	l.number("dlon", s.DLon)
	l.number("rows", float64(s.Rows))
	l.number("cols", float64(s.Cols))
	l.moment("start", s.Start)
	l.number("every_minutes", s.Every.Minutes())
	l.number("times", float64(s.Times))
	l.key("levels")
	l = append(l, '[')
	for i, level := range w.Levels() {
		if i > 0 {
			l = append(l, ',')
		}
		l = append(l, "\n{"...)
		l.text("level", string(level))
		l.column("u", w.levels[level].u, perMetre)
		l.column("v", w.levels[level].v, perMetre)
		l = append(l, '}')
	}
	l = append(l, ']')
	if w.mixing != nil {
		l.column("blh", w.mixing, 1)
	}
	return append(l, '}')
}

// column writes numbers and nulls.
func (l *line) column(name string, values []int16, scale int) {
	l.key(name)
	*l = append(*l, '[')
	for i, v := range values {
		if i > 0 {
			*l = append(*l, ',')
		}
		if v == missing {
			*l = append(*l, "null"...)
			continue
		}
		*l = strconv.AppendFloat(*l, float64(v)/float64(scale), 'f', -1, 64)
	}
	*l = append(*l, ']')
}
