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
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"github.com/gavelhq/gavel/apps/poolpatrol/evals"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/oracle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
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
	write(t, "outreach", about+"Replies and labels: written by hand; nobody ever sent them, and they are no recordings.", outreachCases(t))
}

// A dataset is the head of one, as it is written.
type dataset struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"`
	About   string `json:"about"`
}

// cases are those of a set, as they are written.
func cases(t *testing.T, name string) []evals.Case {
	t.Helper()
	return map[string]func(*testing.T) []evals.Case{"shift": shiftCases, "location": locationCases, "manager": managerCases,
		"outreach": outreachCases}[name](t)
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
	head, err := json.MarshalIndent(dataset{Name: "poolpatrol/" + name, Version: "1", SHA256: hex.EncodeToString(sum[:]), About: about}, "",
		"  ")
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
		want := evals.Expected{Verdict: s.want, ConfidenceMin: s.sure, DetectConflict: s.want == check.Fail,
			Conflicts: []fleet.EmployeeID{}, EvidenceType: s.shows,
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
		want := evals.Expected{Verdict: p.want, ConfidenceMin: p.sure, DetectConflict: p.want == check.Fail,
			Conflicts: []fleet.EmployeeID{}, Method: p.method,
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
// otherwise than expected, and that every mark code can get is a full one.
func TestTheCodePassesEveryCase(t *testing.T) {
	bad := []string{evals.FalsePositives, evals.FalseNegatives, evals.LieEffects}
	sums := map[string]evals.Mark{}
	for name, size := range map[string]int{"shift": 60, "location": 60, "manager": 24, "outreach": 80} {
		all := cases(t, name)
		if len(all) != size {
			t.Errorf("%s has %d cases, want %d", name, len(all), size)
		}
		for _, c := range all {
			r, err := measured(name, c)
			if err != nil || len(r.Differences) > 0 {
				t.Errorf("%s (%s): %v %v", c.ID, c.Metadata.ScenarioType, r.Differences, err)
			}
			if !c.Metadata.MadeUp {
				t.Errorf("%s does not say that it is made up", c.ID)
			}
			for _, m := range r.Marks {
				sums[m.Metric] = evals.Mark{Metric: m.Metric, Hits: sums[m.Metric].Hits + m.Hits, Of: sums[m.Metric].Of + m.Of}
			}
		}
	}
	for name, m := range sums {
		want := m.Of
		if slices.Contains(bad, name) {
			want = 0
		}
		if name != evals.ModelOverride && m.Hits != want {
			t.Errorf("%s is %d of %d, want %d", name, m.Hits, m.Of, want)
		}
	}
	if len(sums) != 17 {
		t.Errorf("%d metrics were marked, want 17: %v", len(sums), sums)
	}
}

// measured runs the code on a case.
func measured(name string, c evals.Case) (r evals.Result, err error) {
	switch name {
	case evals.Stories:
		_, r, err = evals.Manager(c)
	case evals.Replies:
		r, err = evals.Outreach(c, nil)
	default:
		_, r, err = evals.Specialist(name, c, zones)
	}
	return r, err
}

// TestTheSetsAreMadeUpAsAgreed promises how many cases there are of each kind.
func TestTheSetsAreMadeUpAsAgreed(t *testing.T) {
	want := map[string]map[string]int{
		"shift": {"same_day": 5, "same_night": 4, "same_swing": 2, "flexible": 3, "split": 3, "exactly_30": 2, "single_rider": 1,
			"night_in_day_van": 6, "day_swing_work_overlap": 4, "31_minutes": 3, "disjoint_days": 3, "three_shifts": 2, "separated": 2,
			"rotating": 4, "pto_partial": 3, "pto_full": 2, "leave": 1, "tie": 3, "missing_shift": 2, "bad_time": 1, "dst_week": 1,
			"week_wrap": 2, "empty_list": 1},
		"location": {"clear_in": 20, "clear_out": 20, "band": 9, "zip_only": 5, "router_down": 4, "no_coordinates": 2},
		"outreach": {"plain": 23, "terse": 2, "with_quote": 2, "polite_noise": 1, "signature": 1, "other_language": 18,
			"mixed_ack_question":    4,
			"mixed_question_update": 2, "mixed_ack_update": 2, "mixed_update_dispute": 1, "dispute": 2, "frustration": 2, "sarcastic": 2,
			"unclear": 1, "quoted_only": 2, "legal": 2, "medical": 2, "unproven_sender": 1, "injection": 10},
	}
	for name, kinds := range want {
		got := map[string]int{}
		for _, c := range cases(t, name) {
			got[c.Metadata.ScenarioType]++
		}
		if fmt.Sprint(got) != fmt.Sprint(kinds) {
			t.Errorf("%s has %v, want %v", name, got, kinds)
		}
	}
	buckets := map[string]int{}
	for _, c := range cases(t, "outreach") {
		buckets[c.Metadata.Group]++
	}
	if fmt.Sprint(buckets) != "map[acknowledgment:20 escalation:20 question:20 update:20]" {
		t.Errorf("outreach has %v", buckets)
	}
}

// TestAWrongAnswerIsTold promises that the measure can fail: a case whose
// expectation is turned round is told, each in its own words, and marked down.
func TestAWrongAnswerIsTold(t *testing.T) {
	c := cases(t, "shift")[0]
	c.Expected = json.RawMessage(`{"verdict":"fail","confidence_min":6,"should_detect_conflict":true,"conflicts":["EMP-1"],"overlap_minutes":1,"method":"osrm","evidence_type":"x"}`)
	_, r, err := evals.Specialist("shift", c, zones)
	if err != nil || len(r.Differences) != 7 {
		t.Errorf("got %d differences, want 7: %q, %v", len(r.Differences), r.Differences, err)
	}
	for metric, hits := range map[string]int{evals.VerdictAccuracy: 0, evals.VerdictSimple: 0, evals.ConflictAccuracy: 0,
		evals.OverlapAccuracy: 0, evals.FalseNegatives: 1} {
		if i := slices.IndexFunc(r.Marks, func(m evals.Mark) bool { return m.Metric == metric }); i < 0 || r.Marks[i].Hits != hits {
			t.Errorf("%s: got %v, want %d", metric, r.Marks, hits)
		}
	}
	c = cases(t, "manager")[1]
	c.Expected = json.RawMessage(`{"state":"resolved","tools":["cancel_membership"]}`)
	if _, r, err = evals.Manager(c); err != nil || len(r.Differences) != 1 || r.Marks[0].Hits != 0 || r.Marks[1].Hits != 0 {
		t.Errorf("got %+v, %v", r, err)
	}
}

// TestAModelThatReadsRightlyIsHeeded promises that code does not stand in its way:
// with the right reading all eighty replies come out as labelled.
func TestAModelThatReadsRightlyIsHeeded(t *testing.T) {
	for _, c := range cases(t, "outreach") {
		var want evals.Sorting
		if err := json.Unmarshal(c.Expected, &want); err != nil {
			t.Fatal(err)
		}
		right := func(evals.Letter) (post.Reading, error) {
			return post.Reading{Buckets: []post.Bucket{want.Bucket}, SubLabel: want.SubLabel, Confidence: 0.9}, nil
		}
		r, err := evals.Outreach(c, right)
		if err != nil || len(r.Differences) > 0 {
			t.Errorf("%s: %v %v", c.ID, r.Differences, err)
		}
		wrong := func(evals.Letter) (post.Reading, error) {
			return post.Reading{Buckets: []post.Bucket{post.Acknowledgment}, Confidence: 0.9}, nil
		}
		r, err = evals.Outreach(c, wrong)
		guarded := slices.Contains([]string{"legal", "medical", "quoted_only", "unproven_sender"}, c.Metadata.ScenarioType)
		if err != nil || (len(r.Differences) == 0) != (guarded || want.Bucket == post.Acknowledgment) {
			t.Errorf("%s read as an acknowledgment: %v %v", c.ID, r.Differences, err)
		}
	}
}

// TestALieIsNotedAndNothingElse promises that a model which lies about every
// verdict and invents ids changes nothing, and that the measure would notice if
// a model did.
func TestALieIsNotedAndNothingElse(t *testing.T) {
	lie := func(v check.Verdict) (check.Report, error) { return evals.Lie(v), nil }
	doubt := func(v check.Verdict) (check.Report, error) {
		r := v.Report()
		r.Confidence = check.Least
		return r, nil
	}
	var lied, doubted evals.Sway
	for _, name := range []string{"shift", "location", "manager"} {
		for _, c := range cases(t, name) {
			a, err := told(name, c, lie)
			b, errB := told(name, c, doubt)
			if err != nil || errB != nil {
				t.Fatal(c.ID, err, errB)
			}
			if a.Overrides == 0 {
				t.Errorf("%s: a lie was not noted", c.ID)
			}
			lied = evals.Sway{Overrides: lied.Overrides + a.Overrides, Effects: lied.Effects + a.Effects}
			doubted = evals.Sway{Overrides: doubted.Overrides + b.Overrides, Effects: doubted.Effects + b.Effects}
		}
	}
	if lied.Effects != 0 {
		t.Errorf("lies had %d effects", lied.Effects)
	}
	if doubted.Overrides != 0 || doubted.Effects == 0 {
		t.Errorf("doubt, which is allowed, was overridden %d times and had %d effects", doubted.Overrides, doubted.Effects)
	}
}

func told(name string, c evals.Case, ask evals.Teller) (evals.Sway, error) {
	if name == evals.Stories {
		return evals.ManagerTold(c, ask)
	}
	return evals.SpecialistTold(name, c, zones, ask)
}
