// Package analysis turns what was known at one moment into what can be said about
// each surge of it, and how sure that is.
//
// Read Prepare and Dataset.Board, which finds the episodes, then Dataset.Analyse,
// which answers one of them. The rules themselves are the sister packages'; this
// one puts their pieces together in one place, says what was missing and what that
// costs, and rounds every number that will be printed, once.
//
//	lake.Object ─▶ Prepare ─▶ Dataset ─▶ Board      episodes, stations left out
//	                                  └▶ Analyse    one episode, by a Method: Analysis
//
// The same object and rules give the same bytes whoever runs it and whatever order
// the rows had: the moment it speaks of is the object's own. Without wind there is
// no attribution; the count in a circle stands beside it, labelled, and never in
// for it.
package analysis

import (
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// Version changes whenever a result could.
const Version = "analysis/2"

// Abroad is the name under which fires outside India have their share.
const Abroad = "outside India"

// Rules are all the rules an analysis goes by.
type Rules struct {
	Stations   []surge.Station
	Listed     []surge.Listed // laid over Stations when data are made ready: those that hold on their day
	Surge      surge.Policy
	Satellites fire.Constellation
	Watch      fire.Watch // satellites that stay over one place, for the second version
	Fire       fire.Policy
	Mask       fire.Mask
	Plume      plume.Policy
	Whose      *likelihood.Policy // the second version of the verdict; nil: only the first can be asked for
	Seed       seedmethod.Profile
	Ages       lake.Limits

	// Places says in which state a fire lies, and in which district where that is
	// known. nil: nobody can, and only what the rows say themselves is used.
	Places     func(fire.Point) fire.Place
	Boundaries string // what Places goes by: name, licence and date

	// Unsure says whether a fire lies so near to a line between states that the line
	// may be drawn wrongly. nil: nobody can.
	Unsure func(fire.Point) bool

	imported   string // which rows of Listed count; empty: none does
	thresholds string // which were set; empty: none were
	watched    bool   // by satellites of Watch: there are rows of theirs
}

// Standard is the rules as they began, without boundaries.
func Standard() (Rules, error) {
	known, err := fire.Known()
	if err != nil {
		return Rules{}, err
	}
	watch, err := fire.KnownWatch()
	if err != nil {
		return Rules{}, err
	}
	second := likelihood.Standard()
	return Rules{
		Stations: surge.Stations(), Surge: surge.Standard(), Satellites: known, Watch: watch, Fire: fire.Standard(),
		Plume: plume.Standard(), Whose: &second, Seed: seedmethod.V1(), Ages: lake.Standard(),
	}, nil
}

// An Input is one part of what an analysis was made of.
type Input struct {
	Part   string `json:"part"` // its name in the file; "object" is the whole
	Rows   int    `json:"rows"`
	SHA256 string `json:"sha256"` // of the part in canonical form; empty where it is missing
}

// A Rule names one rule and the version it had.
type Rule struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// A Gap is something that was missing, and what that costs.
type Gap struct {
	Code  GapCode `json:"code"`
	Text  string  `json:"text"`
	Costs string  `json:"costs"`
}

// A Warning is something in the data that cannot be quite right.
type Warning struct {
	Code WarningCode `json:"code"`
	Text string      `json:"text"`
}

// A Left is a station that was not looked at, and why.
type Left struct {
	Site aqi.Site   `json:"site_id"`
	Name string     `json:"name"`
	Role surge.Role `json:"role"`
	Last aqi.Hour   `json:"last,omitempty"` // its last known hour; none where it has none
	Why  Why        `json:"why"`
}

// A Why is a reason why a station was not looked at.
type Why string

// The reasons.
const (
	NoData    Why = "no_data"
	Quiet     Why = "stale"       // its last hour is too long ago
	NoIndex   Why = "no_index"    // too few pollutants or hours for an index, and the file gives none
	OutOfStep Why = "out_of_step" // its hours begin at different minutes, or lie too far apart
)

// A Listed is one episode of the board.
type Listed struct {
	Station string           `json:"station"`
	Episode surge.Episode    `json:"episode"`
	Control surge.Comparison `json:"control"` // rounded to 0.1
}

// A Board is what all stations show together.
type Board struct {
	Version  string     `json:"version"`
	At       time.Time  `json:"at"`
	Border   int        `json:"border_stations"`
	Interior int        `json:"interior_stations"`
	Left     []Left     `json:"left_out"`
	Others   int        `json:"rows_of_other_stations"`
	Doubts   []Doubted  `json:"doubtful_readings,omitempty"`
	Episodes []Listed   `json:"episodes"` // by site, then start; closed ones too
	Ages     []lake.Age `json:"ages"`
	Gaps     []Gap      `json:"gaps"`
	Warnings []Warning  `json:"warnings"`
	Inputs   []Input    `json:"inputs"`
	Rules    []Rule     `json:"rules"`
}
