package evals_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/gavelhq/gavel/apps/poolpatrol/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/evals"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/oracle"
)

var update = flag.Bool("update", false, "write the datasets")

const about = "Made up: no person, firm or van in these cases exists. "

func zones(name string) (*time.Location, error) { return time.LoadLocation(name) }

// TestDatasetsAreThoseThatWereWritten promises that the files hold the scenes of
// the tables beside this file, and with -update makes them so.
func TestDatasetsAreThoseThatWereWritten(t *testing.T) {
	write(t, "shift", about+"Expected values: labels by hand, minutes counted one by one by an oracle that is not the code.", shiftCases(t))
	write(t, "location", about+"Expected values: by hand, from homes put at known distances.", locationCases(t))
	write(t, "manager", about+"Expected values: by hand, one for every row of the table of case states.", managerCases(t))
}

func write(t *testing.T, name, about string, cases []evals.Case) {
	t.Helper()
	var b bytes.Buffer
	for _, c := range cases {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	sum := sha256.Sum256(b.Bytes())
	head, err := json.MarshalIndent(evals.Dataset{Name: "poolpatrol/" + name, Version: "1", SHA256: hex.EncodeToString(sum[:]), About: about}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string][]byte{"cases.jsonl": b.Bytes(), "dataset.json": append(head, '\n')} {
		at := filepath.Join(name, file)
		if *update {
			if err := os.WriteFile(at, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile(at); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the tables say; run with -update and read the difference (%v)", at, err)
		}
	}
}

func raw(t *testing.T, v any) json.RawMessage {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shiftCases asks the oracle for what is expected, and holds its answer against
// the label and the minutes written beside the scene.
func shiftCases(t *testing.T) []evals.Case {
	var out []evals.Case
	for i, s := range shiftScenes() {
		m := newMaker(i + 1)
		s.build(m)
		for j, site := range m.records.Sites {
			z, err := zones(site.Zone)
			if err != nil {
				t.Fatal(err)
			}
			m.records.Sites[j].Time = z
		}
		m.records.Taken = m.at
		o := oracle.Shift(m.records, m.at)
		if o.Fails != (s.want == check.Fail) {
			t.Errorf("scene %d, %s: the oracle says fails=%v (%s), the table %s", i+1, s.kind, o.Fails, o.Reason, s.want)
		}
		want := evals.Expected{Verdict: s.want, ConfidenceMin: s.sure, DetectConflict: s.want == check.Fail, Conflicts: []fleet.EmployeeID{}, EvidenceType: s.shows,
			Reasoning: fmt.Sprintf("Says that this is a case of %s, and names only what the evidence holds.", s.kind)}
		for who := range o.Conflict {
			want.Conflicts = append(want.Conflicts, who)
		}
		for _, e := range m.records.Employees {
			if e.Standing == fleet.Inactive {
				want.Conflicts = append(want.Conflicts, e.ID)
			}
		}
		slices.Sort(want.Conflicts)
		least := none
		for _, minutes := range o.Overlap {
			if least == none || minutes < least {
				least = minutes
			}
		}
		if least != s.overlap {
			t.Errorf("scene %d, %s: the oracle counts %d minutes, the table says %d", i+1, s.kind, least, s.overlap)
		}
		if least != none {
			want.Overlap = &least
		}
		in := evals.Inputs{Employees: []fleet.EmployeeID{}, Vanpool: m.records.Vanpools[0].ID, AsOf: m.at, Records: m.records}
		for _, r := range m.records.Vanpools[0].Riders {
			in.Employees = append(in.Employees, r.Employee)
		}
		group, level := []string{"valid", "conflict", "edge"}[i/20], "simple"
		if i >= 40 {
			level = "edge"
		}
		out = append(out, evals.Case{ID: fmt.Sprintf("shift-%02d", i+1), Inputs: raw(t, in), Expected: raw(t, want),
			Metadata: evals.Metadata{ScenarioType: s.kind, Group: group, Complexity: level, MadeUp: true}})
	}
	return out
}

func locationCases(t *testing.T) []evals.Case {
	var out []evals.Case
	for i, p := range locationPlaces() {
		who := madeup.Worker(70001+i, "SHIFT_DAY")
		who.Home = p.home()
		if who.Home.At != nil {
			if got := oracle.Line(*who.Home.At, *madeup.Site().At); math.Abs(got-p.line) > 0.001 {
				t.Errorf("place %d is %f miles away, want %f", i+1, got, p.line)
			}
		}
		van := madeup.Van(who)
		van.ID = fleet.VanpoolID(fmt.Sprintf("VP-%d", 7000+i+1))
		r := madeup.Records(van, []fleet.Employee{who})
		r.Taken = monday
		in := evals.Inputs{Employees: []fleet.EmployeeID{who.ID}, Vanpool: van.ID, AsOf: monday, Records: r}
		if p.road > 0 {
			in.Roads = []evals.Road{{Employee: who.ID, Miles: p.road, Minutes: math.Round(p.road * 1.3)}}
		}
		want := evals.Expected{Verdict: p.want, ConfidenceMin: p.sure, DetectConflict: p.want == check.Fail, Conflicts: []fleet.EmployeeID{}, Method: p.method,
			Reasoning: fmt.Sprintf("Says that this is a case of %s, and names only what the evidence holds.", p.kind)}
		if p.want == check.Fail && p.method != "" {
			want.Conflicts = append(want.Conflicts, who.ID)
		}
		group, level := []string{"clear_in", "clear_out", "band"}[i/20], "simple"
		if i >= 40 {
			level = "edge"
		}
		out = append(out, evals.Case{ID: fmt.Sprintf("location-%02d", i+1), Inputs: raw(t, in), Expected: raw(t, want),
			Metadata: evals.Metadata{ScenarioType: p.kind, Group: group, Complexity: level, MadeUp: true}})
	}
	return out
}

func managerCases(t *testing.T) []evals.Case {
	var out []evals.Case
	for i, p := range managerPlots() {
		in := evals.Story{Row: p.row, Begins: begins, Findings: p.found, Events: p.events}
		out = append(out, evals.Case{ID: fmt.Sprintf("manager-%02d", i+1), Inputs: raw(t, in), Expected: raw(t, p.end),
			Metadata: evals.Metadata{ScenarioType: p.row, Group: "lifecycle", Complexity: "simple", MadeUp: true}})
	}
	return out
}

// TestTheCodePassesEveryCase promises that no case of any set is answered
// otherwise than expected.
func TestTheCodePassesEveryCase(t *testing.T) {
	for name, size := range map[string]int{"shift": 60, "location": 60, "manager": 24} {
		d, cases, err := evals.Load(evals.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if len(cases) != size || d.Name != "poolpatrol/"+name {
			t.Errorf("%s has %d cases, want %d", d.Name, len(cases), size)
		}
		for _, c := range cases {
			var diff []string
			if name == "manager" {
				_, diff, err = evals.Manager(c)
			} else {
				_, diff, err = evals.Specialist(name, c, zones)
			}
			if err != nil || len(diff) > 0 {
				t.Errorf("%s (%s): %v %v", c.ID, c.Metadata.ScenarioType, diff, err)
			}
			if !c.Metadata.MadeUp {
				t.Errorf("%s does not say that it is made up", c.ID)
			}
		}
	}
}

// TestTheSetsAreMadeUpAsAgreed promises how many cases there are of each kind.
func TestTheSetsAreMadeUpAsAgreed(t *testing.T) {
	want := map[string]map[string]int{
		"shift": {"same_day": 5, "same_night": 4, "same_swing": 2, "flexible": 3, "split": 3, "exactly_30": 2, "single_rider": 1,
			"night_in_day_van": 6, "day_swing_work_overlap": 4, "31_minutes": 3, "disjoint_days": 3, "three_shifts": 2, "separated": 2,
			"rotating": 4, "pto_partial": 3, "pto_full": 2, "leave": 1, "tie": 3, "missing_shift": 2, "bad_time": 1, "dst_week": 1, "week_wrap": 2, "empty_list": 1},
		"location": {"clear_in": 20, "clear_out": 20, "band": 9, "zip_only": 5, "router_down": 4, "no_coordinates": 2},
	}
	for name, kinds := range want {
		_, cases, err := evals.Load(evals.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, c := range cases {
			got[c.Metadata.ScenarioType]++
		}
		if fmt.Sprint(got) != fmt.Sprint(kinds) {
			t.Errorf("%s has %v, want %v", name, got, kinds)
		}
	}
}

// TestAChangedCaseIsNoticed promises that nobody can move the goal posts quietly,
// and that no case counts twice.
func TestAChangedCaseIsNoticed(t *testing.T) {
	line := `{"id":"a","inputs":{},"expected":{},"metadata":{}}` + "\n"
	for body, ok := range map[string]bool{line: true, line + " ": false, line + line: false} {
		sum := sha256.Sum256([]byte(body))
		if body == line+" " { // changed after its digest was taken
			sum = sha256.Sum256([]byte(line))
		}
		head := fmt.Sprintf(`{"name":"x","version":"1","sha256":"%x"}`, sum)
		_, _, err := evals.Load(fstest.MapFS{"x/dataset.json": {Data: []byte(head)}, "x/cases.jsonl": {Data: []byte(body)}}, "x")
		if (err == nil) != ok {
			t.Errorf("%q: %v", body, err)
		}
	}
	if _, _, err := evals.Load(evals.Files(), "nothing"); err == nil {
		t.Error("a dataset that does not exist was loaded")
	}
}

// TestAWrongAnswerIsTold promises that the measure can fail: a case whose
// expectation is turned round is told, each in its own words.
func TestAWrongAnswerIsTold(t *testing.T) {
	_, cases, err := evals.Load(evals.Files(), "shift")
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	c.Expected = json.RawMessage(`{"verdict":"fail","confidence_min":6,"should_detect_conflict":true,"conflicts":["EMP-1"],"overlap_minutes":1,"method":"osrm","evidence_type":"x"}`)
	if _, diff, err := evals.Specialist("shift", c, zones); err != nil || len(diff) != 7 {
		t.Errorf("got %d differences, want 7: %q, %v", len(diff), diff, err)
	}
}
