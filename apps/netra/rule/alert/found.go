package alert

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A Found is what was found when a district crossed into a band: all that its case rests on, as it was then.
type Found struct {
	Results    []score.Result    `json:"results"` // of 24 hours, 72 hours and 7 days
	Before     score.Result      `json:"before"`  // of the 24 hours that ended a day earlier
	Told       map[string]string `json:"told"`    // the summaries of the signals that results name
	Heard      Heard             `json:"heard"`
	Silent     bool              `json:"silent"`      // its sources are
	Together   bool              `json:"together"`    // with those of most districts of its state
	Shutdown   string            `json:"shutdown"`    // the order of a shutdown that somebody has noted
	ShutAt     *time.Time        `json:"shutdown_at"` // nil: none is noted
	Thresholds score.Thresholds  `json:"thresholds"`  //
	Margin     float64           `json:"margin"`      //
	CalmHours  float64           `json:"calm_hours"`  //
	DueHours   int               `json:"due_hours"`   // within which an officer decides; 0: nothing was set then
	FallsAt    *time.Time        `json:"falls_at"`    // when it leaves its band if nothing new is heard; nil: not within 7 days
	FallsTo    score.Band        `json:"falls_to"`    //
	Without    []score.Number    `json:"without"`     // the score without each of the signals that the first result names
}

// Day is the result of 24 hours, by which bands are crossed.
func (f Found) Day() score.Result {
	if len(f.Results) == 0 {
		return score.Result{}
	}
	return f.Results[0]
}

// A Crossing is a district that crossed into a band, and what was found.
type Crossing struct {
	LGD      int
	District string
	State    string
	Link     string // the path of its page
	Band     score.Band
	From     score.Band
	Found    Found
}

// limit is where the band begins, and whether one layer alone asks for it.
func (c Crossing) limit() (at float64, byLayer bool, layer signal.Layer) {
	r := c.Found.Day()
	if r.ByLayer <= r.ByScore {
		return c.Found.Thresholds[max(int(c.Band)-1, 0)], false, ""
	}
	floors := score.V2().Floors
	if i := slices.IndexFunc(floors, func(f score.LayerFloor) bool { return f.Band == r.ByLayer }); i >= 0 {
		return floors[i].Layer, true, r.Primary
	}
	return 0, true, r.Primary
}
