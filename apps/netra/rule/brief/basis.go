package brief

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
)

// A Basis is all that a briefing may say of a district, fixed when it was asked for. Its JSON is what its facts are read from.
type Basis struct {
	LGD      int               `json:"district_lgd"`
	District string            `json:"district"`
	State    string            `json:"state"`
	Result   score.Result      `json:"result"`
	Before   score.Number      `json:"before"` // the score a window earlier
	Was      score.Band        `json:"band_before"`
	Change   score.Number      `json:"change"` // of the scores as they are printed
	Ahead    int               `json:"looked_ahead_hours"`
	Falls    *Falls            `json:"falls,omitempty"` // nil: not within what was looked at
	Without  []Without         `json:"without"`         // in the order in which the result names signals
	Coverage score.Coverage    `json:"coverage"`
	Told     map[string]string `json:"told"` // what the signals that the result names say, as far as that may leave
}

// A Falls is when a score leaves its band if nothing new is heard, and for which.
type Falls struct {
	Hours int        `json:"hours"`
	Band  score.Band `json:"band"`
}

// A Without is the score if a signal had not been heard.
type Without struct {
	Score score.Number `json:"score"`
	Band  score.Band   `json:"band"`
}

// Moved is by how much a score moved, as both are printed; not known where either is not.
func Moved(now, before score.Number) score.Number {
	if !now.Known || !before.Known {
		return score.Number{}
	}
	return score.Number{Value: printed(printed(now.Value) - printed(before.Value)), Known: true}
}

func printed(x float64) float64 { return math.Round(x*100) / 100 }

// Leave is the texts that may leave: those that name a community, or hold personal data, are not among them.
func Leave(told map[string]string, places ...string) map[string]string {
	out := map[string]string{}
	for id, text := range told {
		if text = reason.Tidy(text); Refuse(text, places...) == Fine {
			out[id] = text
		}
	}
	return out
}

// story is the score with what its words need.
func (b Basis) story() reason.Story {
	return reason.Story{District: b.District, LGD: b.LGD, Result: b.Result, Told: b.Told}
}

// places are names that may stand in a briefing.
func (b Basis) places() []string { return []string{b.District, b.State} }

// specs are the numbers that may be said, in a fixed order, with where they stand in the basis's JSON.
func (b Basis) specs() ([]reason.Spec, error) {
	var all []reason.Spec
	for _, s := range reason.Facts(b.story()) {
		s.Pointer = "/result" + s.Pointer
		all = append(all, s)
	}
	var err error
	add := func(name, pointer string, value any, decimals int) {
		text, wrong := json.Marshal(value)
		if wrong != nil && err == nil {
			err = wrong
		}
		all = append(all, reason.Number(b.story(), name, pointer, string(text), decimals))
	}
	if b.Before.Known {
		add("before", "/before", b.Before, 2)
	}
	if b.Change.Known {
		add("change", "/change", b.Change, 2)
	}
	if b.Result.Score.Known {
		add("ahead", "/looked_ahead_hours", b.Ahead, 0)
	}
	if b.Falls != nil {
		add("falls_in", "/falls/hours", b.Falls.Hours, 0)
	}
	for i, w := range b.Without {
		if w.Score.Known {
			add(withoutName(i), fmt.Sprintf("/without/%d/score", i), w.Score, 2)
		}
	}
	add("heard", "/coverage/heard", b.Coverage.Heard, 0)
	if b.Coverage.Known {
		add("usual", "/coverage/usual", b.Coverage.Usual, 1)
	}
	return all, err
}

func withoutName(i int) string { return "without." + strconv.Itoa(i) }
