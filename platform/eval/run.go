package eval

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Report is what a run over a set came to.
type Report struct {
	Set     string  `json:"set"`
	Dataset Dataset `json:"dataset"`
	Model   string  `json:"model"` // who answered what only a model can; "none" where nobody did
	Cases   int     `json:"cases"`
	Passed  int     `json:"passed"`
	Failed  int     `json:"failed"`
	// Of those that failed, the ones that were not answered at all. They are in no
	// metric.
	Unanswered int `json:"unanswered"`
	// Open are those that nobody was there to answer in full. They have neither
	// passed nor failed.
	Open     int        `json:"open"`
	Failures []Failure  `json:"failures"` // the first of them
	Metrics  []Measured `json:"metrics"`

	Evaluator string `json:"evaluator"` // digest of what was counted, and how
	Subject   string `json:"subject,omitempty"`
	Items     []Item `json:"items,omitempty"` // of every case, to compare with another report
}

// A Failure is a case that was answered otherwise than expected.
type Failure struct {
	ID          string   `json:"id"`
	Differences []string `json:"differences"`
}

// maxFailures bounds how many are told, maxDifferences how much of each.
const (
	maxFailures    = 20
	maxDifferences = 5
)

// A Status says how a metric stands to its goal.
type Status string

// The statuses.
const (
	Met         Status = "met"
	Missed      Status = "missed"
	Reported    Status = "reported"     // nothing is asked of it
	NotMeasured Status = "not_measured" // Why says why
)

// Why a metric was not measured.
const (
	NeedsModel = "needs a real model"
	NeedsJudge = "needs a judge that people have been compared with"
	NoCase     = "no case asks for it"
)

// A Measured is one metric over all cases.
type Measured struct {
	Name   string `json:"name"`
	Hits   int    `json:"hits"`
	Of     int    `json:"of"`
	Count  bool   `json:"count,omitempty"` // hits are a number of things, and no share of cases
	Value  string `json:"value,omitempty"` // for people: "98.3 %"
	Goal   string `json:"goal,omitempty"`
	Status Status `json:"status"`
	Why    string `json:"why,omitempty"`
	Less   bool   `json:"less,omitempty"` // less of it is better
}

// Text is the value, or why there is none.
func (m Measured) Text() string {
	if m.Status == NotMeasured {
		return "not measured: " + m.Why
	}
	return m.Value
}

// OK reports whether every case was answered and no goal was missed.
func (r Report) OK() bool {
	return r.Unanswered == 0 && !slices.ContainsFunc(r.Metrics, func(m Measured) bool { return m.Status == Missed })
}

// Run has every case of a set answered, in order, and tallies. It is told how far
// it has come; progress may be nil. A case that cannot be answered fails, and the
// others go on. An answer to a metric that the set does not have is a mistake of
// ours and ends the run.
func Run(ctx context.Context, s Set, with Models, progress func(done, of int)) (Report, error) {
	d, cases, err := Load(s.Files)
	if err != nil {
		return Report{}, fmt.Errorf("set %s: %w", s.Name, err)
	}
	r := Report{Set: s.Name, Dataset: d, Model: "none", Cases: len(cases), Failures: []Failure{}, Subject: s.Subject}
	if r.Evaluator, err = s.Evaluator(s.Name); err != nil {
		return Report{}, err
	}
	if with.Real != nil {
		r.Model = with.Real.Provider + "/" + with.Real.Model
	}
	sums := map[string]Mark{}
	for i, c := range cases {
		if err := ctx.Err(); err != nil {
			return Report{}, context.Cause(ctx)
		}
		got, err := s.Answer(ctx, c, with)
		if err != nil {
			r.Unanswered++
			got = Outcome{Differences: []string{fmt.Sprintf("it could not be answered: %.300s", err)}}
		}
		r.note(c.ID, got)
		add(sums, got.Marks)
		r.Items = append(r.Items, s.item(c, got, with))
		if progress != nil {
			progress(i+1, len(cases))
		}
	}
	return r, r.measure(s, sums, with)
}

// add adds marks to sums by their metric.
func add(sums map[string]Mark, marks []Mark) {
	for _, m := range marks {
		sum := sums[m.Metric]
		sums[m.Metric] = Mark{m.Metric, sum.Hits + m.Hits, sum.Of + m.Of}
	}
}

// item is what a case scored. Where no real model answered, nothing is said of what only one
// can answer.
func (s Set) item(c Case, got Outcome, with Models) Item {
	sums := map[string]Mark{}
	add(sums, got.Marks)
	out := Item{ID: c.ID, Tags: c.Tags(), Scores: map[string]float64{}}
	for _, m := range s.Metrics {
		if sum := sums[m.Name]; sum.Of > 0 && !m.Count && !m.Judge && (!m.Model || with.Real != nil) {
			out.Scores[m.Name] = float64(sum.Hits) / float64(sum.Of)
		}
	}
	return out
}

// note counts a case.
func (r *Report) note(id string, got Outcome) {
	switch {
	case len(got.Differences) > 0:
		r.Failed++
		if len(r.Failures) < maxFailures {
			r.Failures = append(r.Failures, Failure{id, got.Differences[:min(len(got.Differences), maxDifferences)]})
		}
	case got.Open:
		r.Open++
	default:
		r.Passed++
	}
}

// measure holds the sums against the goals.
func (r *Report) measure(s Set, sums map[string]Mark, with Models) error {
	for _, m := range s.Metrics {
		r.Metrics = append(r.Metrics, m.over(sums[m.Name], with))
		delete(sums, m.Name)
	}
	for name := range sums {
		return fault.New(fault.Internal, "set %s marks %.60q, and has no such metric", s.Name, name)
	}
	return nil
}

func (m Metric) over(sum Mark, with Models) Measured {
	out := Measured{Name: m.Name, Hits: sum.Hits, Of: sum.Of, Count: m.Count, Status: Reported}
	if m.Goal != nil {
		out.Less = m.Goal.Most
		out.Goal = m.Goal.text()
	}
	switch {
	case (m.Model || m.Judge) && with.Real == nil:
		out.Hits, out.Of, out.Status, out.Why = 0, 0, NotMeasured, NeedsModel
	case m.Judge:
		out.Hits, out.Of, out.Status, out.Why = 0, 0, NotMeasured, NeedsJudge
	case sum.Of == 0:
		out.Status, out.Why = NotMeasured, NoCase
	case m.Count:
		out.Value = strconv.Itoa(sum.Hits)
	default:
		out.Value = share(sum.Hits, sum.Of)
	}
	if m.Goal != nil && out.Status == Reported {
		out.Status = Missed
		if m.Goal.Met(sum.Hits, sum.Of) {
			out.Status = Met
		}
	}
	return out
}

func (g Goal) text() string {
	sign := "≥ "
	if g.Most {
		sign = "≤ "
	}
	return sign + share(g.PerMille, 1000)
}

// share is hits ÷ of in percent with one place, cut rather than rounded: 99.96 is
// not "100".
func share(hits, of int) string {
	tenths := hits * 1000 / of
	if tenths%10 == 0 {
		return strconv.Itoa(tenths/10) + " %"
	}
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + " %"
}
