package lake

import (
	"github.com/gavelhq/gavel/platform/fault"
)

// A stubbleRow is the forecast as a file has it.
type stubbleRow struct {
	Percent  loose `json:"stubble_burning_percent"`
	Time     loose `json:"timestamp"`
	Issued   loose `json:"issued_at"`
	Valid    loose `json:"valid_date"`
	URL      loose `json:"source_url"`
	SHA256   loose `json:"captured_bytes_sha256"`
	Captured loose `json:"captured_by"`
}

func (r *reader) stubble() error {
	var w *stubbleRow
	if err := r.whole(StubblePart, &w); err != nil {
		return err
	}
	if w == nil || *w == (stubbleRow{}) {
		return nil
	}
	s := Stubble{Valid: string(w.Valid), URL: string(w.URL), SHA256: string(w.SHA256), Captured: string(w.Captured)}
	var err error
	if s.Percent, err = w.Percent.needed("stubble_burning_percent", 0, 100); err != nil {
		return fault.New(fault.Invalid, "dss_data: %s", err.Error()).WithNext("write null for dss_data where the figure is not known")
	}
	if w.Time != "" {
		if s.Time, err = moment("dss_data timestamp", w.Time); err != nil {
			return err
		}
	}
	if w.Issued != "" {
		if s.Issued, err = moment("dss_data issued_at", w.Issued); err != nil {
			return err
		}
	}
	r.out.Stubble = &s
	return s.check()
}

func (r *reader) cloud(number int) error {
	var w struct {
		Time     loose `json:"time"`
		Lat      loose `json:"lat"`
		Lon      loose `json:"lon"`
		Fraction loose `json:"fraction"`
	}
	if err := r.decode(CloudPart, number, &w); err != nil {
		return err
	}
	if w.Fraction == "" {
		return nil // a forecast's gap says nothing
	}
	var (
		c   Cloud
		err error
	)
	if c.Time, err = moment("time", w.Time); err == nil {
		c.Lat, err = w.Lat.needed("lat", -90, 90)
	}
	if err == nil {
		c.Lon, err = w.Lon.needed("lon", -180, 180)
	}
	if err == nil {
		c.Fraction, err = w.Fraction.needed("fraction", 0, 1)
	}
	if err != nil {
		return bad(CloudPart, number, err)
	}
	r.out.Cloud = append(r.out.Cloud, c)
	return nil
}

func (r *reader) source(number int) error {
	var w struct {
		Name    loose `json:"name"`
		URL     loose `json:"url"`
		Fetched loose `json:"fetched_at"`
		Bytes   int64 `json:"bytes"`
		SHA256  loose `json:"sha256"`
		Stale   bool  `json:"stale"`
		Note    loose `json:"note"`
	}
	if err := r.decode(SourcesPart, number, &w); err != nil {
		return err
	}
	s := Source{Name: string(w.Name), URL: string(w.URL), Bytes: w.Bytes, SHA256: string(w.SHA256), Stale: w.Stale, Note: string(w.Note)}
	var err error
	if w.Fetched != "" {
		s.Fetched, err = moment("fetched_at", w.Fetched)
	}
	if err == nil {
		err = s.check()
	}
	if err != nil {
		return bad(SourcesPart, number, err)
	}
	r.out.Sources = append(r.out.Sources, s)
	return nil
}

func (r *reader) drop(number int) error {
	var d Drop
	if err := r.decode("dropped", number, &d); err != nil {
		return err
	}
	if err := d.check(); err != nil {
		return bad("dropped", number, err)
	}
	r.drops = append(r.drops, d)
	return nil
}
