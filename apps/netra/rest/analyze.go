package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// An AskBody is the question for a score.
type AskBody struct {
	District string     `json:"district,omitempty" maxLength:"100" doc:"Its name, with its state; or its code."`
	State    string     `json:"state,omitempty" maxLength:"100"`
	LGD      int        `json:"district_lgd,omitempty" minimum:"1" maximum:"999999"`
	Window   int        `json:"window_hours,omitempty" minimum:"1" maximum:"744" doc:"Left out: 24. The product's are 24, 72 and 168."`
	AsOf     *time.Time `json:"as_of,omitempty" doc:"Left out: now."`
	Profile  string     `json:"profile,omitempty" enum:"v2,seed-v1" doc:"Left out: v2."`
	Language string     `json:"language,omitempty" enum:"en,hi" doc:"Of the rationale; left out: en."`
}

// A BatchBody is the question for several scores.
type BatchBody struct {
	Districts []int      `json:"districts,omitempty" maxItems:"1000" doc:"Their codes; left out: all there are."`
	Window    int        `json:"window_hours,omitempty" minimum:"1" maximum:"744" doc:"Left out: 24."`
	AsOf      *time.Time `json:"as_of,omitempty" doc:"Left out: now."`
	Profile   string     `json:"profile,omitempty" enum:"v2,seed-v1" doc:"Left out: v2."`
	Language  string     `json:"language,omitempty" enum:"en,hi"`
}

// An AnalysisBody is the score of a district: first the fields of the first design, under its names, then ours.
type AnalysisBody struct {
	District   string          `json:"district"`
	State      string          `json:"state"`
	Score      *float64        `json:"score" doc:"0 to 100, to two decimals. Null: there is none, and status says why."`
	RiskLevel  string          `json:"risk_level" enum:"low,medium,high,very_high,critical" doc:"The band under its first name."`
	Trend      score.Trend     `json:"trend" enum:"rising,stable,falling,insufficient"`
	Primary    signal.Layer    `json:"primary_trigger" enum:"cognitive,network,physical,none"`
	Secondary  []signal.Layer  `json:"secondary_triggers"`
	Layers     LayerScoresBody `json:"layer_scores"`
	Top        []TopBody       `json:"top_contributing_signals"`
	Threshold  ThresholdBody   `json:"threshold"`
	Window     string          `json:"time_window"`
	Signals    int64           `json:"signal_count"`
	At         time.Time       `json:"timestamp" doc:"The moment it speaks of."`
	Governance string          `json:"governance_disclaimer"`
	LGD        int             `json:"district_lgd"`
	Status     score.Status    `json:"status" enum:"scored,no_signals,only_enforcement"`
	Profile    string          `json:"profile"`
	Hash       string          `json:"profile_hash" doc:"Of all the profile says."`
	ByScore    string          `json:"band_by_score" doc:"The band by the score alone; the threshold is the higher of this and the next."`
	ByLayer    string          `json:"band_by_layer"`
	Rationale  string          `json:"rationale"`
	Points     []LayerBody     `json:"layers" doc:"Each layer with its points. Those of the named signals and of the others add up to it."`
	Heard      score.Movement  `json:"movement" doc:"What the trend compares."`
	Checked    string          `json:"personal_data_rules" doc:"By which texts were looked at for personal data. Nobody can say that a text is free of it."`
}

// LayerScoresBody are the layers, 0 to 10, to two decimals.
type LayerScoresBody struct {
	Cognitive float64 `json:"cognitive"`
	Network   float64 `json:"network"`
	Physical  float64 `json:"physical"`
}

// A ThresholdBody is the band.
type ThresholdBody struct {
	Label   string `json:"label"`
	Range   string `json:"range" doc:"As the first design printed it."`
	Crossed bool   `json:"crossed" doc:"It is not the lowest."`
	Exact   string `json:"exact_range" doc:"[ is from, ) is below."`
}

// A TopBody is one of the signals that move a score most.
type TopBody struct {
	Summary    string         `json:"event_summary"`
	Severity   int            `json:"severity"`
	At         time.Time      `json:"timestamp" doc:"To the hour: an exact time with a place and a rare event can tell who was meant."`
	SourceType string         `json:"source_type"`
	Layers     []signal.Layer `json:"layers"`
	Location   string         `json:"location"`
	ID         string         `json:"event_id"`
	Layer      signal.Layer   `json:"layer" doc:"To which its points belong."`
	Points     float64        `json:"points" doc:"With their sign."`
	Relief     float64        `json:"relief" doc:"Of the layer's relief, 0 or less; in no sum of points."`
	Basis      signal.Basis   `json:"basis" doc:"Where what is known of it comes from."`
}

// A LayerBody is a layer with its points.
type LayerBody struct {
	Layer      signal.Layer `json:"layer"`
	Score      float64      `json:"score"`
	Escalation float64      `json:"escalation" doc:"What it would be without relief."`
	Relief     float64      `json:"relief"`
	Signals    int64        `json:"signals"`
	Excluded   int64        `json:"excluded" doc:"Left out: the police's own."`
	Others     float64      `json:"points_of_others" doc:"Of all signals that are not named."`
	Named      []PointsBody `json:"contributions"`
}

// A PointsBody is what one signal adds to a layer.
type PointsBody struct {
	ID     string  `json:"event_id"`
	Points float64 `json:"points"`
	Relief float64 `json:"relief"`
}

type askInput struct{ Body AskBody }

type analysisOutput struct{ Body AnalysisBody }

func (s *Answers) analyze(ctx context.Context, who identity.Actor, in *askInput) (*analysisOutput, error) {
	b, err := s.one(ctx, who, in.Body)
	return &analysisOutput{b}, err
}

// one scores the district that is asked about.
func (s *Answers) one(ctx context.Context, who identity.Actor, b AskBody) (AnalysisBody, error) {
	a, err := ask(b.Window, b.AsOf, b.Profile)
	if err != nil {
		return AnalysisBody{}, err
	}
	at := a.AsOf
	if at.IsZero() {
		at = s.store.Now()
	}
	lgd, err := s.district(ctx, who, b.LGD, b.District, b.State, at)
	if err != nil {
		return AnalysisBody{}, err
	}
	a.LGD = []int{lgd}
	all, err := s.desk.Score(ctx, who, a)
	if err != nil {
		return AnalysisBody{}, err
	}
	return analysisOf(all[0], language(b.Language))
}

// ask is a question for one window, with the heaviest signals.
func ask(hours int, asOf *time.Time, profile string) (casework.Ask, error) {
	if hours == 0 {
		hours = 24
	}
	p, err := score.Named(profile)
	a := casework.Ask{Windows: []time.Duration{time.Duration(hours) * time.Hour}, Profile: p, Named: true}
	if asOf != nil {
		a.AsOf = *asOf
	}
	return a, err
}

func language(text string) reason.Lang {
	if text == "" {
		return reason.English
	}
	return reason.Lang(text)
}

type batchInput struct{ Body BatchBody }

type batchOutput struct {
	Body struct {
		Items []AnalysisBody `json:"items"`
	}
}

func (s *Answers) batch(ctx context.Context, who identity.Actor, in *batchInput) (*batchOutput, error) {
	a, err := ask(in.Body.Window, in.Body.AsOf, in.Body.Profile)
	if err != nil {
		return nil, err
	}
	a.LGD = in.Body.Districts
	all, err := s.desk.Score(ctx, who, a)
	if err != nil {
		return nil, err
	}
	out := &batchOutput{}
	out.Body.Items = make([]AnalysisBody, len(all))
	for i, one := range all {
		if out.Body.Items[i], err = analysisOf(one, language(in.Body.Language)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// analysisOf is a score as the API shows it.
func analysisOf(s casework.Scored, lang reason.Lang) (AnalysisBody, error) {
	r := s.Results[0]
	governance, err := reason.Governance(lang)
	if err != nil {
		return AnalysisBody{}, err
	}
	story := reason.Story{District: s.Name, LGD: s.LGD, Result: r, Told: map[string]string{}}
	b := AnalysisBody{District: s.Name, State: s.State, RiskLevel: r.Band.RiskLevel(), Trend: r.Trend, Primary: r.Primary,
		Secondary: r.Secondary,
		Layers: LayerScoresBody{rounded(r.Layer(signal.Cognitive).Score), rounded(r.Layer(signal.Network).Score),
			rounded(r.Layer(signal.Physical).Score)},
		Top: []TopBody{}, Threshold: ThresholdBody{r.Band.String(), s.Limits.SeedRange(r.Band), r.Crossed, r.Range},
		Window: windowOf(r.WindowHours), Signals: r.Signals, At: r.AsOf, Governance: governance, LGD: s.LGD, Status: r.Status,
		Profile: r.Profile, Hash: r.ProfileHash, ByScore: r.ByScore.String(), ByLayer: r.ByLayer.String(), Heard: r.Movement,
		Checked: pii.Rules}
	if r.Score.Known {
		shown := rounded(r.Score.Value)
		b.Score = &shown
	}
	for _, c := range r.Top {
		x := s.Told[c.ID]
		story.Told[c.ID] = x.Summary
		b.Top = append(b.Top, TopBody{Summary: pii.Mask(x.Summary), Severity: x.Severity, At: signal.Shown(x.At), SourceType: x.SourceType,
			Layers:   x.Layers,
			Location: s.Name, ID: c.ID, Layer: c.Layer, Points: float64(c.Printed) / 100, Relief: rounded(c.Relief), Basis: x.Basis})
	}
	for _, l := range r.Layers {
		b.Points = append(b.Points, layerOf(l))
	}
	b.Rationale, err = reason.Plain(lang, story)
	return b, err
}

func layerOf(l score.LayerScore) LayerBody {
	b := LayerBody{Layer: l.Layer, Score: float64(l.Printed) / 100, Escalation: rounded(l.Escalation), Relief: rounded(l.Relief),
		Signals:  l.Signals,
		Excluded: l.Excluded, Others: float64(l.Others.Printed) / 100, Named: []PointsBody{}}
	for _, c := range l.Contributions {
		b.Named = append(b.Named, PointsBody{c.ID, float64(c.Printed) / 100, rounded(c.Relief)})
	}
	return b
}

// rounded is a number as it is shown.
func rounded(x float64) float64 { return math.Round(x*100) / 100 }

// windowOf is a window as the first design calls it.
func windowOf(hours float64) string {
	if hours == 7*24 {
		return "7d"
	}
	return fmt.Sprintf("%gh", hours)
}

// maxAsk is the most a question may hold, in bytes.
const maxAsk = 64 << 10

// Routes registers the address under the application's own name, which is not in the document of the API.
func (s *Answers) Routes(m *web.Mux) {
	m.Handle("POST "+plainAddress, s.plain, web.Needs(store.ActRead), web.MaxBody(maxAsk))
}

// plain answers as the API does.
func (s *Answers) plain(w http.ResponseWriter, r *http.Request) error {
	who, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	var b AskBody
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&b); err != nil {
		return fault.From(fault.Invalid, err, "the body is no question for a score").WithNext("send %s", analyzeExample)
	}
	out, err := s.one(r.Context(), who, b)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(out)
}
