package signal

import (
	"cmp"
	"slices"
	"time"
)

// A key is what reports of one event have in common: district, day in India, type.
type key struct {
	lgd int
	day string
	t   Type
}

func keyOf(s Signal) key { return key{s.LGD, s.At.In(India()).Format(time.DateOnly), s.Type} }

// Cluster counts each event once: reports of one type from one district and day are one signal, with
// the number of sources that told it. It has the greatest severity and the latest time of them, points
// up if one of them does, and is the police's own only if all are: so no further report of trouble can
// lower what it weighs. What comes first by time and id gives it its name and words.
func Cluster(signals []Signal) []Signal {
	sorted := slices.Clone(signals)
	slices.SortStableFunc(sorted, func(a, b Signal) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	var out []Signal
	at := map[key]int{}
	told := map[key][]string{}
	for _, s := range sorted {
		k := keyOf(s)
		i, seen := at[k]
		if !seen {
			i = len(out)
			at[k] = i
			s.Layers = slices.Clone(s.Layers)
			out = append(out, s)
		} else {
			join(&out[i], s)
		}
		if !slices.Contains(told[k], s.Source) {
			told[k] = append(told[k], s.Source)
		}
		out[i].Sources = len(told[k])
	}
	return out
}

// join adds what another report says to an event.
func join(event *Signal, s Signal) {
	if s.Severity > event.Severity {
		event.Severity, event.Basis.Severity = s.Severity, s.Basis.Severity
	}
	if rank(s.Polarity) > rank(event.Polarity) {
		event.Polarity, event.Basis.Polarity = s.Polarity, s.Basis.Polarity
	}
	event.At = s.At // they come in the order of time
	event.Geo = max(event.Geo, s.Geo)
	event.Enforcement = event.Enforcement && s.Enforcement
	for _, l := range s.Layers {
		if !event.In(l) {
			event.Layers = append(event.Layers, l)
		}
	}
}

// rank orders polarities by how much they raise.
func rank(p Polarity) int { return slices.Index([]Polarity{Stabilizing, Neutral, Escalatory}, p) }
