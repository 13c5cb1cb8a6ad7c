// Package demo is districts that are made up for a demonstration, and what is heard of them: waves of unrest that come to one after
// the other and calm again, a district whose sources fall silent, and one of which only the police speak.
//
// Read Districts and Heard. The same moments give the same signals, so that what is brought in twice counts once.
package demo

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// first is the code of the first district: the directory has none that high.
const first = 900_001

// States are those that districts lie in.
func states() []string {
	return []string{"Northmoor (made up)", "Easterby (made up)", "Lowmarsh (made up)", "Westhaven (made up)"}
}

// names are the districts' names, six to a state.
func names() []string {
	return []string{
		"Kelpford", "Amberlow", "Gorse Hill", "Fennick", "Marram Bay", "Thornby", "Saltmere", "Ashcombe", "Birchwick", "Cold Harbour",
		"Dunmore", "Elderfield", "Foxley", "Greywater", "Hollin", "Ivywell", "Juniper Vale", "Larkrise", "Millbrook", "Nettlecombe",
		"Oakhanger", "Pebblecoast", "Quarrybank", "Rushmere",
	}
}

// Those that stand apart: Police is where only the police are spoken of, Silent one of the two that fall silent in turn, and Asked an
// ordinary one that people ask about.
const (
	Asked  = first
	Police = first + 2
	Silent = first + 6
	quiet  = first + 17
)

// Districts is the file of districts, as an officer imports it. Every fifth lies at a border, for which somebody has signed.
func Districts() string {
	var b bytes.Buffer
	b.WriteString("lgd,name,state,valid_from,valid_to,tags,reviewed_by,reviewed_on\n")
	for i, name := range names() {
		tags, by, on := "", "", ""
		if i%5 == 0 {
			tags, by, on = "border", "M. Rao (made up)", "2026-01-31"
		}
		fmt.Fprintf(&b, "%d,%s,%s,2016-01-01,,%s,%s,%s\n", first+i, name, states()[i/6], tags, by, on)
	}
	return b.String()
}

// wave is how long it takes until unrest comes to a district again. It comes to all in turn.
const wave = 9 * 24 * time.Hour

// every is how far apart two reports of a district are, in quiet times.
const every = 5 * time.Hour

// Heard is what is heard of all districts after one time and up to another, as lines of a feed. One line in a while holds a number
// of a telephone: the gate stops it.
func Heard(after, until time.Time) []byte {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for i := range names() {
		lgd := first + i
		for at := after.Truncate(every).Add(time.Duration(i%5) * time.Hour); !at.After(until); at = at.Add(every) {
			if !at.After(after) || silent(lgd, at) {
				continue
			}
			for _, r := range reports(lgd, i, at) {
				_ = lines.Encode(r) // into memory
			}
		}
	}
	return b.Bytes()
}

// silent reports whether a district's sources say nothing: of two districts one or the other, for seven days of twelve each, so that
// one has been silent for a day when the other speaks again.
func silent(lgd int, at time.Time) bool {
	day := at.Unix() / (24 * 3600) % 12
	return lgd == Silent && day < 7 || lgd == quiet && (day >= 6 || day < 1)
}

// reports is what a district's sources say at a time.
func reports(lgd, i int, at time.Time) (all []signal.Report) {
	dice := chance(lgd, at)
	say := func(kind signal.Type, severity int, summary string) {
		all = append(all, signal.Report{EventID: fmt.Sprintf("demo-%d-%d-%d", lgd, at.Unix(), len(all)), Source: desk(dice + len(all)),
			SourceType: "public_open_source", EventType: string(kind), At: at, LGD: lgd, Severity: severity, Summary: summary})
	}
	if lgd == Police {
		say(signal.Cordon, 1, "A search in the hills ended without a find, officials said")
		return all
	}
	into := (time.Duration(at.UnixNano()) + time.Duration(i)*wave/time.Duration(len(names()))) % wave
	switch {
	case into < 24*time.Hour:
		say(signal.Bandh, 2+dice%2, "Shops stayed shut as three bodies called a bandh")
		say(signal.Rumour, 2, "A rumour about a school went from phone to phone")
	case into < 54*time.Hour:
		say(signal.Riot, 3+dice%2, "Stones were thrown near the weekly market")
		say(signal.Blockade, 2+dice%2, "Villagers blocked the highway for some hours")
		if dice%4 == 0 {
			say(signal.Arson, 3, "Two empty shops were burnt at night")
		}
	case into < 90*time.Hour:
		say(signal.Dialogue, 2+dice%2, "A peace meeting was held at the community hall")
		say(signal.Rumour, 1, "A rumour was denied and still shared")
	default:
		background(say, dice)
	}
	return all
}

// background is an ordinary day.
func background(say func(signal.Type, int, string), dice int) {
	switch dice % 5 {
	case 0:
		say(signal.Protest, 1, "Teachers marched in peace for their pay")
	case 1:
		say(signal.Rumour, 1, "A rumour of dear salt was denied")
	case 2:
		say(signal.Dialogue, 1, "Officials and traders talked about parking")
	case 3:
		say(signal.ArmsRecovery, 1, "An old rifle was found in a shed")
	default:
		say(signal.Threat, 1, "A poster with a threat was taken down")
	}
	if dice%61 == 0 {
		say(signal.Rumour, 1, "Call 9876501234 for details")
	}
}

// desk is a source.
func desk(n int) string {
	return []string{"Coast Herald", "Moor Wire", "Marsh Radio", "State office"}[n%4] + " (made up)"
}

// chance is a number for a district and time, always the same.
func chance(lgd int, at time.Time) int {
	h := fnv.New32a()
	_, _ = fmt.Fprintf(h, "%d %d", lgd, at.Unix()) // never fails
	return int(h.Sum32() >> 4)
}
