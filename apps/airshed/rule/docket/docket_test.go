package docket_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
)

// TestACaseTakesItsCourse promises what comes next, for every way a case can stand.
func TestACaseTakesItsCourse(t *testing.T) {
	punjab := docket.Gist{Verdict: "conclusive", First: "Punjab", Category: "Severe"}
	nobody := docket.Gist{Verdict: "inconclusive", First: "Punjab", Category: "Severe"}
	type s = docket.Standing
	for name, tt := range map[string]struct {
		in   s
		step docket.Step
		end  docket.Ending
	}{
		"nothing is there":               {s{Answer: punjab}, docket.Draft, ""},
		"a draft without a model":        {s{Answer: punjab, Newest: &punjab}, docket.Ask, ""},
		"a draft with a model":           {s{Answer: punjab, Newest: &punjab, Model: true}, docket.Word, ""},
		"worded":                         {s{Answer: punjab, Newest: &punjab, Model: true, Worded: true}, docket.Hand, ""},
		"handed, and nobody was asked":   {s{Answer: punjab, Newest: &punjab, Model: true, Worded: true, Handed: true}, docket.Ask, ""},
		"the model is away for too long": {s{Answer: punjab, Newest: &punjab, Model: true, Age: docket.Patience}, docket.Ask, ""},
		"a fast clock, and seconds are over": {s{Answer: punjab, Newest: &punjab, Model: true, Age: docket.Patience, Speed: 600},
			docket.Word, ""},
		"a fast clock, and half a minute is": {s{Answer: punjab, Newest: &punjab, Model: true, Age: 600 * 30 * time.Second, Speed: 600},
			docket.Ask, ""},
		"people are asked":                   {s{Answer: punjab, Newest: &punjab, Asked: docket.Open}, docket.Wait, ""},
		"newer data say something else":      {s{Answer: nobody, Newest: &punjab, Asked: docket.Open}, docket.TakeBack, ""},
		"taken back":                         {s{Answer: nobody, Newest: &punjab}, docket.Draft, ""},
		"approved, and may be undone":        {s{Answer: punjab, Newest: &punjab, Asked: docket.Under}, docket.Wait, ""},
		"what is approved is not taken back": {s{Answer: nobody, Newest: &punjab, Asked: docket.Under}, docket.Wait, ""},
		"rejected":                           {s{Answer: punjab, Newest: &punjab, Asked: docket.Refused}, docket.End, docket.NotFiled},
		"nobody decided":                     {s{Answer: punjab, Newest: &punjab, Asked: docket.Expired}, docket.End, docket.Lapsed},
		"sent back":                          {s{Answer: punjab, Newest: &punjab, Asked: docket.Back}, docket.WaitOne, ""},
		"sent back, and somebody renews it":  {s{Answer: punjab, Newest: &punjab, Asked: docket.Back, Renew: true}, docket.Draft, ""},
		"undone":                             {s{Answer: punjab, Newest: &punjab, Asked: docket.Failed}, docket.WaitOne, ""},
		"kept, not submitted":                {s{Answer: punjab, Newest: &punjab, Asked: docket.Done}, docket.WaitOne, ""},
		"kept, and asked for again":          {s{Answer: punjab, Newest: &punjab}, docket.Ask, ""},
		"filed": {s{Answer: nobody, Newest: &punjab, Asked: docket.Done, Filed: true}, docket.End,
			docket.Filed},
		"filed, a state is to be told": {s{Newest: &punjab, Filed: true, Notices: []docket.Asked{docket.Done, docket.NotAsked}},
			docket.AskNotice, ""},
		"filed, a notice is before people": {s{Newest: &punjab, Filed: true, Notices: []docket.Asked{docket.Open, docket.Done}},
			docket.Wait, ""},
		"filed, notices decided": {s{Newest: &punjab, Filed: true, Notices: []docket.Asked{docket.Refused, docket.Done}},
			docket.End, docket.Filed},
		"filed, a notice came back": {s{Newest: &punjab, Filed: true, Notices: []docket.Asked{docket.Back, docket.Done}},
			docket.WaitOne, ""},
		"filed, a notice was not sent": {s{Newest: &punjab, Filed: true, Notices: []docket.Asked{docket.Failed}}, docket.WaitOne, ""},
		"the commission may have it":   {s{Answer: nobody, Newest: &punjab, Asked: docket.Done, Maybe: true}, docket.WaitOne, ""},
		"it may, and somebody renews it": {s{Answer: nobody, Newest: &punjab, Renew: true, Model: true, Maybe: true, Handed: true},
			docket.Ask, ""},
		"closed by hand": {s{Answer: punjab, Newest: &punjab, Asked: docket.Open, Closing: true}, docket.End, docket.Closed},
	} {
		step, end := docket.Next(tt.in)
		if step != tt.step || end != tt.end {
			t.Errorf("%s: got %s %s, want %s %s", name, step, end, tt.step, tt.end)
		}
	}
}

// TestNobodyIsAskedTwiceAndNothingIsFiledUnasked promises, for any standing, that people
// are asked only where nobody is asked and the draft says what is known, and that a case
// ends as filed only where it was.
func TestNobodyIsAskedTwiceAndNothingIsFiledUnasked(t *testing.T) {
	gist := rapid.Custom(func(t *rapid.T) docket.Gist {
		return docket.Gist{Verdict: rapid.SampledFrom([]string{"conclusive", "inconclusive"}).Draw(t, "verdict"),
			First: rapid.SampledFrom([]string{"Punjab", "Haryana"}).Draw(t, "first")}
	})
	asked := rapid.SampledFrom([]docket.Asked{docket.NotAsked, docket.Open, docket.Under, docket.Failed, docket.Done, docket.Refused,
		docket.Back, docket.Expired})
	rapid.Check(t, func(t *rapid.T) {
		s := docket.Standing{Closing: rapid.Bool().Draw(t, "closing"), Answer: gist.Draw(t, "answer"), Renew: rapid.Bool().Draw(t, "renew"),
			Asked: asked.Draw(t, "asked"),
			Filed: rapid.Bool().Draw(t, "filed"), Model: rapid.Bool().Draw(t, "model"), Worded: rapid.Bool().Draw(t, "worded"),
			Handed: rapid.Bool().Draw(t, "handed"), Age: time.Duration(rapid.IntRange(0, 20).Draw(t, "minutes")) * time.Minute,
			Notices: rapid.SliceOfN(asked, 0, 3).Draw(t, "notices")}
		if rapid.Bool().Draw(t, "drafted") {
			g := gist.Draw(t, "newest")
			s.Newest = &g
		}
		step, end := docket.Next(s)
		if (step == docket.Ask || step == docket.Hand) && (s.Newest == nil || *s.Newest != s.Answer || s.Renew ||
			s.Asked != docket.NotAsked || s.Filed || s.Closing) {
			t.Errorf("%+v: %s", s, step)
		}
		if end == docket.Filed && !s.Filed {
			t.Errorf("%+v ended as filed", s)
		}
		if (step == docket.End) != (end != "") {
			t.Errorf("%+v: %s %s", s, step, end)
		}
	})
}
