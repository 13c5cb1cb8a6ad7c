package analysis

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// An Analysis is what can be said about one episode. Shares are percent to 0.1,
// concentrations µg/m³ (CO mg/m³) to 0.1, powers MW to 0.1, speeds m/s to 0.01,
// distances km to 0.1.
type Analysis struct {
	Version     string             `json:"version"`
	At          time.Time          `json:"at"` // the moment of the data
	Key         surge.Key          `json:"key"`
	Station     surge.Station      `json:"station"`
	Episode     surge.Episode      `json:"episode"`
	Surge       Surge              `json:"surge"`
	Control     surge.Comparison   `json:"control"`
	Window      Window             `json:"window"`
	Fires       Fires              `json:"fires"`
	Attribution Attribution        `json:"attribution"`
	Whose       *Whose             `json:"whose,omitempty"` // by the second version, where it is asked for
	Stubble     Stubble            `json:"stubble"`
	Legacy      Legacy             `json:"legacy"`
	Score       seedmethod.Score   `json:"score"`
	Have        seedmethod.Sources `json:"data_quality"`
	Beside      []Beside           `json:"other_pollutants"`
	Ages        []lake.Age         `json:"ages"`
	Gaps        []Gap              `json:"gaps"`
	Warnings    []Warning          `json:"warnings"`
	Inputs      []Input            `json:"inputs"`
	Rules       []Rule             `json:"rules"`
}

// A Surge is the worst of the episode: the first of its hours with the highest
// index, which the whole analysis is about.
type Surge struct {
	Index    int          `json:"aqi"`
	Category aqi.Category `json:"category"`
	Time     time.Time    `json:"timestamp"`       // the end of that hour
	PM25     *float64     `json:"pm25"`            // mean of the 24 hours; null where not known
	PM10     *float64     `json:"pm10"`            //
	Derived  bool         `json:"derived"`         // PM2.5 and PM10 were worked out from the index
	Label    string       `json:"label,omitempty"` // what must stand beside them then
	Peak     *float64     `json:"peak_hour_pm25"`  // the worst hour of the episode
}

// A Window is the hours whose air was followed back.
type Window struct {
	From      time.Time `json:"from"`
	To        time.Time `json:"to"`
	Hours     int       `json:"hours"`     // of them, with a weight
	Of        int       `json:"of_hours"`  // 24
	Weighting Weighting `json:"weighting"` // how much each hour counts
}

// A Weighting is how much each hour of a window counts.
type Weighting string

// The weightings.
const (
	ByPM25  Weighting = "hourly_pm25"
	Equally Weighting = "equal" // hourly concentrations are not known
)

// Fires are the fires that were looked at: those that could have burnt while the
// air was on its way.
type Fires struct {
	Available  bool             `json:"available"`
	From       time.Time        `json:"from,omitzero"`
	To         time.Time        `json:"to,omitzero"`
	Rows       int              `json:"rows"`         // of the file, of any time and place
	Elsewhere  int              `json:"elsewhere"`    // of these, too far off to matter
	DayOnly    int              `json:"day_only"`     // without an hour: no transport claim can rest on them
	Unusable   []Tally          `json:"unusable"`     // rows that cannot be weighed, by reason
	Dropped    []Tally          `json:"dropped"`      // by the sifting of all hours, by reason
	Masked     []Tally          `json:"masked"`       // of those dropped as static, by the source's name
	Kept       int              `json:"kept"`         // of all hours
	InTime     int              `json:"in_time"`      // of the kept, while the air was on its way
	Satellites []fire.Count     `json:"satellites"`   // in time; powers to 0.1 MW
	Used       []fire.Satellite `json:"used"`         // satellites with rows in time
	Mixed      []fire.Satellite `json:"mixed_stages"` // of these preliminary and final rows stand side by side
	Stage      Stage            `json:"stage"`
	States     []StateFires     `json:"states"` // in time, the most first
	Coverage   *Coverage        `json:"coverage"`
	Statement  string           `json:"statement"`  // what must stand beside every count
	Disagreed  int              `json:"disagreed"`  // rows whose own state is not the one the boundaries say
	RowPlaced  int              `json:"row_placed"` // rows whose state is the row's own word only
	Unsure     int              `json:"near_line"`  // in time, so near to a line between states that it may be drawn wrongly
}

// A Stage says what processing the rows come from.
type Stage string

// The stages. A record made of preliminary rows is made again, as a supplement,
// when the standard ones come some months later.
const (
	NoRows      Stage = "none"
	Preliminary Stage = "preliminary"
	Final       Stage = "standard"
	Both        Stage = "mixed"
)

// A Tally is how many there are of something.
type Tally struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// A StateFires is the detections of one state while the air was on its way. It is
// a count, not a share of anything.
type StateFires struct {
	State      string  `json:"state"` // Abroad; empty where not known
	Detections int     `json:"detections"`
	Power      float64 `json:"power_mw"`
}

// A Coverage is what the satellites could have seen while the air was on its way.
type Coverage struct {
	From   time.Time   `json:"from"`
	To     time.Time   `json:"to"`
	Sums   fire.Sums   `json:"sums"`
	Passes []fire.Pass `json:"passes"`
}

// An Attribution is whose smoke it can have been.
type Attribution struct {
	Verdict    plume.Verdict  `json:"verdict"`
	Conclusive bool           `json:"conclusive"`
	First      string         `json:"first"` // the state of the largest share; empty where there is none
	Reasons    []plume.Reason `json:"reasons"`
	States     []Share        `json:"shares"`    // by median, the largest first
	Districts  []Share        `json:"districts"` // empty where no districts are known
	Members    int            `json:"members"`
	Of         int            `json:"of_members"`
	Agreed     int            `json:"agreed"`
	Needed     int            `json:"needed"`
	Levels     []wind.Level   `json:"levels"`    // that the members have
	Transport  []wind.Level   `json:"transport"` // whose mean is the default wind
	Mixing     bool           `json:"mixing"`
	Edge       plume.Edge     `json:"edge"`
	Null       Null           `json:"null_test"`
	Calm       Calm           `json:"calm"`
	Means      string         `json:"means"` // what a share is a share of
}

// A Share is one state's or district's share of the influence of the fires that
// were seen upwind, in percent. It is not a share of the particles in the air.
type Share struct {
	State    string  `json:"state"`
	District string  `json:"district,omitempty"`
	Low      float64 `json:"low"`    // 5 % of the members lie below
	Median   float64 `json:"median"` //
	High     float64 `json:"high"`   // 95 % of the members lie below
	Default  float64 `json:"default"`
	First    int     `json:"first"` // members in which it is the largest; for states only
}

// A Null is how special the influence of the fires is.
type Null struct {
	Method     plume.Method `json:"method,omitempty"`
	Why        string       `json:"why,omitempty"` // this method
	Cut        int          `json:"cut"`           // tracks of the turned wind that came to where it is not known
	Rank       int          `json:"rank"`
	Of         int          `json:"of"`
	Needed     int          `json:"needed"`
	Enrichment float64      `json:"enrichment"` // observed over the median of the others, to 0.01; 0 where that is 0, 1000 for more too
}

// A Calm is how still the air was.
type Calm struct {
	Known bool      `json:"known"`
	Speed float64   `json:"speed"` // m/s, to 0.01: the least mean at 10 m over Hours of the surge
	Hours int       `json:"hours"`
	Until time.Time `json:"until,omitzero"`
	Below float64   `json:"stagnation_below"` // m/s
}

// A Stubble is the forecast's figure for Delhi, and what the shares make of it.
type Stubble struct {
	Available  bool         `json:"available"`
	Percent    float64      `json:"percent"`
	Word       Word         `json:"word,omitempty"`
	For        string       `json:"for,omitempty"` // the day
	Source     lake.Stubble `json:"source,omitzero"`
	Indicative []Indicative `json:"indicative"` // of states; empty without an attribution
	Label      string       `json:"label"`      // what must stand beside them
	Caveats    []string     `json:"caveats"`
}

// An Indicative is the forecast's figure times a state's share, in percent of
// Delhi's PM2.5.
type Indicative struct {
	State  string  `json:"state"`
	Low    float64 `json:"low"`
	Median float64 `json:"median"`
	High   float64 `json:"high"`
	Word   Word    `json:"word"` // of the median
}

// A Legacy is the first design's count in a circle, for whoever wants to compare.
type Legacy struct {
	seedmethod.Count

	Surge bool      `json:"is_surge"`
	At    time.Time `json:"at"`
	Label string    `json:"label"`
}

// A Beside is another pollutant in the same hours: smoke of straw raises some and
// not others.
type Beside struct {
	Pollutant  aqi.Pollutant `json:"pollutant"`
	Unit       string        `json:"unit"`
	Mean       float64       `json:"mean"` // to 0.1, CO to 0.01
	Hours      int           `json:"hours"`
	Interior   *float64      `json:"interior"` // mean of the controls' medians in the same hours; null where not known
	Difference *float64      `json:"difference"`
	Derived    bool          `json:"derived"`
}
