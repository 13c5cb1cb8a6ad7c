package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

var reportID = regexp.MustCompile(`^CAQM-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6}$`)

func (m Meta) check() error {
	switch {
	case !reportID.MatchString(m.ID):
		return fault.New(fault.Invalid, "report id %.40q: use the form CAQM-2025-11-14-001", m.ID)
	case m.GeneratedAt.IsZero():
		return fault.New(fault.Invalid, "a report says when it was made")
	case plain(m.Organisation) == "" || plain(m.Organisation) != m.Organisation:
		return fault.New(fault.Invalid, "organisation %.40q: one line of at most %d characters is needed", m.Organisation, maxName)
	case m.VerifyAt != "" && !isPage(m.VerifyAt):
		return fault.New(fault.Invalid,
			"%.60q is no address where a report could be checked: use one like https://gavel.example.org/verify", m.VerifyAt)
	}
	return nil
}

// isPage reports whether people can open an address: on the web, without a query, and
// short enough for a QR code that a telephone reads from paper.
func isPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == "" &&
		len(address) <= maxName && address == plain(address) && !strings.ContainsAny(address, ` "<>`)
}

// Build writes the report of an analysis. The same analysis, meta and book of law
// give the same report.
func Build(a analysis.Analysis, m Meta, book lawbook.Book) (Report, error) {
	if err := m.check(); err != nil {
		return Report{}, err
	}
	facts, err := factsFor(a, m)
	if err != nil {
		return Report{}, err
	}
	_, sum, err := Digest(a)
	if err != nil {
		return Report{}, err
	}
	law, err := lawFor(a, m.GeneratedAt, book)
	if err != nil {
		return Report{}, err
	}
	r := frame(a, m, law)
	r.Facts, r.Custody.Analysis = facts, sum
	for _, lang := range Langs() {
		s, err := newSpeaker(lang, facts)
		if err != nil {
			return Report{}, err
		}
		texts, err := (&writer{speaker: s, a: a, m: m, law: law}).write()
		if err != nil {
			return Report{}, err
		}
		if lang == Hindi {
			r.Texts.Hindi = texts
			continue
		}
		r.Texts.English = texts
	}
	return r, r.fill()
}

// Unfiled is the report on an analysis before anybody has decided anything. It is of
// the moment of its data, so that the same data makes the same bytes.
func Unfiled(a analysis.Analysis, organisation string, received []lawbook.Record) (Report, error) {
	book, err := lawbook.Known()
	if err != nil {
		return Report{}, err
	}
	return Build(a, Meta{ID: "CAQM-" + a.At.UTC().Format("2006-01-02") + "-000", GeneratedAt: a.At, Organisation: organisation,
		Records: received}, book)
}

// factsFor are the facts of a report with their numbers: as a case gave them, or
// from F1 on.
func factsFor(a analysis.Analysis, m Meta) ([]Named, error) {
	read, err := Read(a)
	if err != nil {
		return nil, err
	}
	if m.Facts == nil {
		return Enter(fact.NewBook(m.ID), read)
	}
	if len(m.Facts) != len(read) {
		return nil, fault.New(fault.Invalid, "the analysis has %d facts, and %d were recorded", len(read), len(m.Facts))
	}
	for i, f := range m.Facts {
		if f.Name != read[i].Name || f.Key != read[i].Key || f.Value != read[i].Value || f.ID == "" {
			return nil, fault.New(fault.Invalid, "fact %s was not recorded as the analysis has it", read[i].Name)
		}
	}
	return m.Facts, nil
}

// frame is a report without its texts.
func frame(a analysis.Analysis, m Meta, law Law) Report {
	r := Report{
		ID: m.ID, Time: m.GeneratedAt.UTC(), Fires: orEmpty(a.Legacy.States), Confidence: a.Score.Confidence, Quality: a.Have,
		Legal: law.citations(), Surge: SurgeDetails{Station: shortName(a.Station.Name), AQI: a.Surge.Index, PM25: a.Surge.PM25,
			PM10: a.Surge.PM10, Time: a.Surge.Time.UTC()},
		Format: Format, Status: or(m.Status, Draft), Channel: or(m.Channel, Mock), VerifyAt: m.VerifyAt, Organisation: m.Organisation,
		WordedBy: byCode, Completeness: a.Score.Completeness, FireMethod: seedmethod.Method, Episode: a.Episode, Station: a.Station,
		Control: a.Control, Satellites: orEmpty(a.Fires.Satellites), Legacy: a.Legacy, Warnings: orEmpty(a.Warnings), Law: law,
		Inputs: orEmpty(a.Inputs), Rules: orEmpty(a.Rules), Custody: Custody{Device: m.Device, Records: orEmpty(m.Records),
			Outages: m.Outages},
		Attribution: Attribution{Shares: []Share{}, Ranges: []Range{}, Conclusive: a.Attribution.Conclusive, Verdict: a.Attribution.Verdict,
			Means: a.Attribution.Means, Whose: judged(a.Whose)},
		Analysis: a,
	}
	for _, s := range a.Attribution.States {
		r.Attribution.Shares = append(r.Attribution.Shares, Share{s.State, s.Median})
		r.Attribution.Ranges = append(r.Attribution.Ranges, Range{s.State, s.Low, s.High})
	}
	if a.Stubble.Available {
		r.Stubble = &a.Stubble.Percent
	}
	return r
}

// fill renders the English texts into the keys that hold them.
func (r *Report) fill() error {
	t, p := r.Texts.English, &printer{Renderer: r.renderer(English)}
	r.Summary, r.Reasoning = strings.Join(p.all(t.Summary), " "), strings.Join(p.all(t.Reasoning), "\n")
	r.LowerBound, r.Alternatives = strings.Join(p.all(t.LowerBound), " "), p.all(t.Alternatives)
	r.Band, r.Legal.Request, r.Recommendations = p.one(t.Band), p.one(t.Request), p.all(t.Recommendations)
	r.Attribution.Reasons, r.Gaps = []Doubt{}, []Missing{}
	for _, d := range t.Reasons {
		r.Attribution.Reasons = append(r.Attribution.Reasons, Doubt{d.Code, p.one(d.Text), p.one(d.Settle)})
	}
	for _, g := range t.Gaps {
		r.Gaps = append(r.Gaps, Missing{g.Code, p.one(g.Text), p.one(g.Costs)})
	}
	if p.err != nil {
		return p.err
	}
	var err error
	r.Notices, err = r.NoticesIn(English)
	return err
}

// renderer shows a report's facts in a language.
func (r Report) renderer(lang Lang) render.Renderer {
	byID := make(map[fact.ID]fact.Fact, len(r.Facts))
	for _, f := range r.Facts {
		byID[f.ID] = f.Fact
	}
	return render.Renderer{Style: Style(lang), Find: func(id fact.ID) (fact.Fact, bool) { f, ok := byID[id]; return f, ok }}
}

// Parts is all texts in all languages, for Verify.
func (r Report) Parts() []verify.Part {
	return append(r.Texts.English.Parts(English), r.Texts.Hindi.Parts(Hindi)...)
}

// NoticesIn is the notices as they are sent in a language.
func (r Report) NoticesIn(lang Lang) ([]Notice, error) {
	p, out := &printer{Renderer: r.renderer(lang)}, []Notice{}
	for _, n := range r.Texts.In(lang).Notices {
		out = append(out, Notice{n.State, p.one(n.Subject), p.all(n.Body)})
	}
	return out, p.err
}

// Show is one of the report's texts as people read it, empty where it cites a fact
// that the report has not.
func (r Report) Show(text string, lang Lang) string {
	out, err := r.renderer(lang).Text(text)
	if err != nil {
		return ""
	}
	return out
}

// A printer renders texts and keeps the first thing that went wrong.
type printer struct {
	render.Renderer
	err error
}

func (p *printer) one(text string) string {
	out, err := p.Text(text)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("render %.60q: %w", text, err)
	}
	return out
}

func (p *printer) all(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = p.one(t)
	}
	return out
}

// JSON is the report as it is filed: the same report has the same bytes.
func (r Report) JSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r); err != nil {
		return nil, fmt.Errorf("write report %s: %w", r.ID, err)
	}
	return b.Bytes(), nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func or[T ~string](s, otherwise T) T {
	if s == "" {
		return otherwise
	}
	return s
}
