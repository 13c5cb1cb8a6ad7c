package main

import (
	"testing"

	"github.com/gavelhq/gavel/platform/act"
)

func TestTheJudgeFindsEveryPlantedFault(t *testing.T) {
	for _, tt := range []struct {
		name                    string
		plant                   func(*sight)
		repeated, lost          int
		asked, unasked, settled int
		odd                     int
	}{
		{"nothing wrong", func(*sight) {}, 0, 0, 0, 0, 0, 0},
		{"a mail that left three times", func(s *sight) { s.arrived["m-1-0"] = 3 }, 2, 0, 0, 0, 0, 0},
		{"a report on record that is not there", func(s *sight) { delete(s.arrived, "f-1-0") }, 0, 1, 0, 0, 0, 0},
		{"one that a person is asked about", func(s *sight) { s.deeds[0].State, s.deeds[0].Asked = act.Unknown, true }, 0, 0, 1, 0, 0, 0},
		{"one that nobody is asked about", func(s *sight) { s.deeds[0].State = act.Unknown }, 0, 0, 0, 1, 0, 0},
		{"one that the other side answered for", func(s *sight) { s.deeds[1].Doubted = true }, 0, 0, 0, 0, 1, 0},
		{"one without an end", func(s *sight) { s.deeds[0].State = act.Running }, 0, 0, 0, 0, 0, 1},
		{"one that failed", func(s *sight) { s.deeds[0].State = act.Failed }, 0, 0, 0, 0, 0, 1},
		{"a case without an end", func(s *sight) { s.open = 1 }, 0, 0, 0, 0, 0, 1},
	} {
		s := sight{arrived: map[string]int{"m-1-0": 1, "f-1-0": 1}, deeds: []deed{{Key: "mail_1", Word: "m-1-0", State: act.Done},
			{Key: "run_1/c1", Word: "f-1-0", State: act.Done}}}
		tt.plant(&s)
		v := judge(s)
		if v.repeated != tt.repeated || v.lost != tt.lost || v.asked != tt.asked || v.unasked != tt.unasked || v.settled != tt.settled ||
			len(v.odd) != tt.odd {
			t.Errorf("%s: got %+v", tt.name, v)
		}
	}
}

func TestAWishThatNeitherLeftNorIsAskedAboutIsLost(t *testing.T) {
	g := &ground{options: options{cases: 1, pairs: 1}}
	v := verdict{}
	g.judgeWords(&v, sight{arrived: map[string]int{"m-0-0": 1}})
	if v.lost != 1 {
		t.Errorf("got %+v", v)
	}
	v = verdict{}
	g.judgeWords(&v, sight{arrived: map[string]int{"m-0-0": 1}, deeds: []deed{{Word: "f-0-0", State: act.Unknown, Asked: true}}})
	if v.lost != 0 {
		t.Errorf("got %+v", v)
	}
}
