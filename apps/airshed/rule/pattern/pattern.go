// Package pattern counts the episodes of many seasons: where they were, at what hour
// and in which month they began, and whose smoke it was where that is settled.
//
// Values go in, tables come out. Read Of. Episodes that are conclusive, those that are
// not and those without an attribution are counted apart everywhere, and a state or a
// district is counted only where the episode is conclusive: what is not settled names
// nobody, in a table as little as in a report. Seasons that other satellites watched
// say so, because what fewer satellites see is not what fewer fires there were.
package pattern

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// An Episode is what is counted of one episode: its newest answer.
type Episode struct {
	Site       string
	Station    string
	Start      time.Time
	Verdict    plume.Verdict
	State      string           // of the largest share
	District   string           // of the largest share, with its state; empty where no districts are known
	Satellites []fire.Satellite // that had rows; nil where that was not noted
}

// A Tally is how many episodes there are, by how sure their answer is.
type Tally struct {
	Episodes     int
	Conclusive   int
	Inconclusive int
	Unattributed int
}

func (t *Tally) add(v plume.Verdict) {
	t.Episodes++
	switch v {
	case plume.Conclusive, analysis.Complaint:
		t.Conclusive++
	case plume.Inconclusive, analysis.Inquiry, analysis.Undetermined:
		t.Inconclusive++
	default:
		t.Unattributed++
	}
}

// A Line is one line of a table. Key tells it apart: a site, an hour from 0 to 23, a
// month from 1 to 12, a state, a district and its state with a comma between.
type Line struct {
	Key  string
	Name string // of a station; elsewhere empty
	Tally
}

// A Kind says which time of the year a season is.
type Kind string

// The kinds: the two in which straw is burnt, and the rest of the year.
const (
	Paddy Kind = "paddy" // 15 September to 30 November, as the official counts go
	Wheat Kind = "wheat" // April and May
	Rest  Kind = "rest"
)

// A Season is the episodes of one.
type Season struct {
	Year int
	Kind Kind
	Tally
	Satellites []fire.Satellite // that had rows for any of them, sorted
	Unnoted    int              // episodes of which the satellites were not noted
	Other      bool             // the season of its kind before it was watched by other satellites, or nobody noted by which
}

// Patterns are the tables.
type Patterns struct {
	All       Tally
	Stations  []Line   // the most first
	Hours     []Line   // 24, from midnight
	Months    []Line   // 12, from January
	Seasons   []Season // the newest first
	States    []Line   // of conclusive episodes, the most first
	Districts []Line   // of conclusive episodes with a district, the most first
	Undivided int      // conclusive episodes of which no district is known
	Trends    []Trend  // of kinds with enough seasons
}

// Of counts episodes by the clock of a zone. The season that a moment lies in is not over,
// and no trend goes by it.
func Of(in []Episode, now time.Time, zone *time.Location) Patterns {
	var p Patterns
	hours, months := numbered(0, 24), numbered(1, 12)
	stations, states, districts := lines{}, lines{}, lines{}
	for _, e := range in {
		at := e.Start.In(zone)
		p.All.add(e.Verdict)
		hours[at.Hour()].add(e.Verdict)
		months[at.Month()-1].add(e.Verdict)
		stations.at(e.Site, e.Station).add(e.Verdict)
		if e.Verdict != plume.Conclusive && e.Verdict != analysis.Complaint {
			continue
		}
		states.at(e.State, "").add(e.Verdict)
		if e.District == "" {
			p.Undivided++
			continue
		}
		districts.at(e.District, "").add(e.Verdict)
	}
	p.Stations, p.Hours, p.Months, p.States, p.Districts = stations.sorted(), hours, months, states.sorted(), districts.sorted()
	p.Seasons = seasons(in, zone)
	p.Trends = trends(p.Seasons, now.In(zone))
	return p
}

// numbered is lines called by numbers.
func numbered(from, n int) []Line {
	out := make([]Line, n)
	for i := range out {
		out[i].Key = strconv.Itoa(from + i)
	}
	return out
}

// lines are the lines of a table by key.
type lines map[string]*Line

func (l lines) at(key, name string) *Line {
	if l[key] == nil {
		l[key] = &Line{Key: key}
	}
	if name != "" {
		l[key].Name = name
	}
	return l[key]
}

// sorted is the lines, those with the most episodes first.
func (l lines) sorted() []Line {
	out := make([]Line, 0, len(l))
	for _, one := range l {
		out = append(out, *one)
	}
	slices.SortFunc(out, func(a, b Line) int { return cmp.Or(cmp.Compare(b.Episodes, a.Episodes), cmp.Compare(a.Key, b.Key)) })
	return out
}
