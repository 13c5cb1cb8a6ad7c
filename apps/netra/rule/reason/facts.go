package reason

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fact"
)

// A Spec says where one number of a score stands in its JSON, and how it is shown.
type Spec struct {
	Name     string // by which texts cite it, before it has an F-number
	Pointer  string // RFC 6901
	Number   string // as it stands there
	Decimals int
	subject  fact.Subject
	asOf     time.Time
}

// Facts lists every number that the words may say. Their order is fixed.
func Facts(s Story) []Spec {
	r := s.Result
	l := &specs{story: s}
	l.add("window", "/window_hours", r.WindowHours, 0)
	l.add("signals", "/signal_count", r.Signals, 0)
	if !r.Score.Known {
		return l.all
	}
	l.add("score", "/score", r.Score, 2)
	for i, layer := range r.Layers {
		l.add("layer."+string(layer.Layer), fmt.Sprintf("/layers/%d/printed", i), layer.Printed, 2)
		if layer.Excluded > 0 {
			l.add("left_out", fmt.Sprintf("/layers/%d/excluded", i), layer.Excluded, 0) // the physical layer alone leaves any out
		}
	}
	for i, c := range r.Top {
		at := fmt.Sprintf("/top_contributing_signals/%d/", i)
		if c.Relief < 0 {
			l.add(topName(i)+".relief", at+"relief", c.Relief, 2)
		} else {
			l.add(topName(i)+".points", at+"printed", c.Printed, 2)
		}
	}
	l.add("recent", "/movement/recent", r.Movement.Recent, 0)
	l.add("older", "/movement/older", r.Movement.Older, 1)
	return l.all
}

func topName(i int) string { return "top." + strconv.Itoa(i) }

type specs struct {
	story Story
	all   []Spec
}

func (l *specs) add(name, pointer string, value any, decimals int) {
	number, err := json.Marshal(value)
	if err != nil {
		panic("reason: a number cannot fail to encode: " + err.Error())
	}
	l.all = append(l.all, Number(l.story, name, pointer, string(number), decimals))
}

// Number is a number about a story that stands at a pointer as it is written there.
func Number(s Story, name, pointer, number string, decimals int) Spec {
	return Spec{Name: name, Pointer: pointer, Number: number, Decimals: decimals, asOf: s.Result.AsOf,
		subject: fact.Subject{Type: "netra_district", IDs: map[string]string{
			"district": strconv.Itoa(s.LGD), "measure": name, "profile": s.Result.Profile,
			"window": strconv.FormatFloat(s.Result.WindowHours, 'f', -1, 64),
		}, Names: fact.Names{EN: []string{name}}}}
}

// Reading is the fact's reading, from the snapshot of the score's JSON with this digest.
func (s Spec) Reading(snapshot string) fact.Reading {
	return fact.Reading{Kind: fact.Observed, Number: s.Number, Decimals: s.Decimals, AsOf: s.asOf,
		Subject: s.subject,
		Source:  fact.Source{Snapshot: snapshot, Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: s.Pointer}}}}
}
