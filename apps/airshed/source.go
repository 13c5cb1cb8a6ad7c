package airshed

import (
	"context"
	"errors"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
)

// The names of the sources, as records and the sources page have them.
const (
	FirmsSource   = "firms"
	DataGovSource = "data-gov-in"
	OpenAQSource  = "openaq"
	MeteoSource   = "open-meteo"
	StubbleSource = "iitm-dss"
	LakeSource    = "lake"
)

// Sources declares where data comes from and what stops working without it.
func Sources() []evidence.Source {
	return []evidence.Source{
		{Name: DataGovSource, Title: "CPCB air quality index (data.gov.in)", Licence: "Government Open Data License - India: name the source",
			ExpectedEvery: 2 * time.Hour, MaxBytes: 16 << 20,
			Without: "no surge can be found, and no report is made"},
		{Name: OpenAQSource, Title: "OpenAQ hourly concentrations", Licence: "as each provider says; CPCB's under the Government Open Data License - India",
			ExpectedEvery: 6 * time.Hour, MaxBytes: 16 << 20,
			Without: "episodes rest on the 24-hour index alone, and no hour can be weighed by its PM2.5"},
		{Name: FirmsSource, Title: "NASA FIRMS active fires", Licence: "free of charge; name NASA FIRMS",
			ExpectedEvery: 12 * time.Hour, MaxBytes: 128 << 20,
			Without: "fires cannot be counted and no state is named; the report says so, and confidence falls by 40 points"},
		{Name: MeteoSource, Title: "Open-Meteo wind, mixing height and cloud", Licence: "CC BY 4.0: Open-Meteo.com; no key for use that is not commercial",
			ExpectedEvery: 12 * time.Hour, MaxBytes: 32 << 20,
			Without: "nobody can say where the air came from: no state is named, and the circle's count stands alone, labelled as such"},
		{Name: StubbleSource, Title: "IITM decision support system, entered by a person", Licence: "as published by the institute",
			ExpectedEvery: 48 * time.Hour, MaxBytes: 16 << 20,
			Without: "the stubble share of Delhi's PM2.5 is left out, and confidence falls by 20 points"},
		{Name: LakeSource, Title: "Data lake", Licence: "as the sources listed in each object say",
			ExpectedEvery: 6 * time.Hour, MaxBytes: lake.MaxBytes,
			Without: "the last good object is used and said to be old; where there is none, no report is made"},
	}
}

// declared is a source by its name; the names are this file's.
func declared(name string) evidence.Source {
	for _, s := range Sources() {
		if s.Name == name {
			return s
		}
	}
	return evidence.Source{Name: name, Title: name}
}

// A Snapshot is what a source answered, byte for byte.
type Snapshot struct {
	Name        string // of the source
	URL         string // what was asked, without any key
	FetchedAt   time.Time
	SHA256      blob.Digest
	Bytes       int64
	ContentType string // as the source says
	Body        []byte
}

// snapshotOf is the snapshot of some bytes.
func snapshotOf(name, url, contentType string, at time.Time, body []byte) Snapshot {
	return Snapshot{Name: name, URL: url, FetchedAt: at.UTC().Truncate(time.Second), SHA256: blob.Sum(body), Bytes: int64(len(body)), ContentType: contentType, Body: body}
}

// Listed is the snapshot as the lake lists its sources.
func (s Snapshot) Listed() lake.Source {
	return lake.Source{Name: s.Name, URL: s.URL, Fetched: s.FetchedAt, Bytes: s.Bytes, SHA256: s.SHA256.String()}
}

// An Away is the fault of a source that gave nothing that can be used. It says
// what that costs, so that whoever goes on without it can say so too.
type Away struct {
	Source string // its name
	Costs  string // what is lost, as evidence.Source.Without says

	fault *fault.Error
}

// Error is what was tried, what is wrong and what it costs.
func (a *Away) Error() string { return a.fault.Error() }

// Unwrap is the fault, by which the kind and the words are found.
func (a *Away) Unwrap() error { return a.fault }

// away makes the fault of a source. A context that ended is the caller's doing and
// stays what it is.
func away(ctx context.Context, s evidence.Source, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*Away](err); ok {
		return err
	}
	if ctx.Err() != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	text, next := fault.Words(err)
	f := fault.From(fault.KindOf(err), err, "%s: %s; without it %s", s.Title, text, s.Without)
	if next != "" {
		f = f.WithNext("%s", next)
	}
	return &Away{Source: s.Name, Costs: s.Without, fault: f}
}

// A Network is what all clients of outside services share.
type Network struct {
	Clock durable.Clock // tells when something was fetched
	// Wait pauses before a request is tried again; nil waits in real time. It is
	// not the scaled clock that is waited by: the services outside live in real
	// time, whatever a demonstration does.
	Wait func(ctx context.Context, d time.Duration) error
	// Patience bounds one try, from the first byte sent to the last received; 0 is
	// a minute.
	Patience time.Duration
}

// pause waits in real time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer, stop := context.WithTimeout(ctx, d)
	defer stop()
	<-timer.Done()
	return context.Cause(ctx)
}
