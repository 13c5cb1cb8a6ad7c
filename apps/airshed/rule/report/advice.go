package report

import (
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// reached is the states that are named and that the Act reaches, in words, after
// others.
func (w *writer) reached(others ...string) string {
	var names []string
	for _, s := range append(others, w.law.Reached...) {
		if name := w.state(s); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return w.list(names)
}

// request is what the Commission is asked.
func (w *writer) request() string {
	in := w.about()
	switch {
	case !w.a.Attribution.Names():
		return w.say("request.open", in)
	case len(w.law.Reached) == 0:
		return w.say("request.outside", in)
	case w.a.Attribution.Verdict == analysis.Inquiry:
		return w.say("request.inquiry", w.whose())
	}
	in["states"] = w.reached()
	return w.say("request.conclusive", in)
}

// recommendations are what the law has room for. None is against a farmer, and a
// direction is named only with what it is about.
func (w *writer) recommendations() []string {
	var out []string
	switch {
	case len(w.law.Reached) == 0:
		out = []string{w.say("rec.representation", nil)}
	case w.a.Attribution.Verdict == analysis.Inquiry:
		out = []string{w.say("rec.inquiry", w.whose())}
	default:
		out = w.namedStates()
	}
	if what := w.missing(); what != "" {
		out = append(out, w.say("rec.missing", with{"what": what}))
	}
	if w.a.Fires.Stage == analysis.Preliminary || w.a.Fires.Stage == analysis.Both {
		out = append(out, w.say("rec.supplement", nil))
	}
	return out
}

func (w *writer) namedStates() []string {
	in := with{"states": w.reached(), "governments": w.reached("Delhi")}
	out := []string{w.say("rec.complaint", nil)}
	if _, ok := w.law.supporting(lawbook.Coordination); ok {
		out = append(out, w.say("rec.coordinate", in))
	}
	if c, ok := w.law.supporting(lawbook.ProsecuteOfficial); ok {
		in["direction"] = w.title(c)
		out = append(out, w.say("rec.officials", in))
	}
	if names := w.districts(); len(names) > 0 {
		out = append(out, w.say("rec.districts", with{"districts": w.list(names)}))
	}
	for _, c := range w.law.Cited {
		if slices.Contains(c.Supports, lawbook.Prevention) {
			in["direction"] = w.title(c)
			out = append(out, w.say("rec.prevention", in))
		}
	}
	return append(out, w.say("rec.support", in))
}

// mostActing is how many districts are named as those to ask first.
const mostActing = 5

// districts are those whose officers can act, the first to be asked first: where boundaries
// that somebody imported name them, and in states that are named only.
func (w *writer) districts() (out []string) {
	add := func(state, district string) {
		if district != "" && slices.Contains(w.law.Reached, state) && len(out) < mostActing {
			out = append(out, plain(district)+" ("+w.state(state)+")")
		}
	}
	for _, d := range w.a.Attribution.Districts {
		add(d.State, d.District)
	}
	if w.a.Whose != nil {
		for _, d := range w.a.Whose.Where {
			add(d.State, d.District)
		}
	}
	return out
}

// title is what a provision is called.
func (s *speaker) title(c lawbook.Cited) string {
	if own := s.lines[c.Title]; own != "" {
		return own
	}
	return c.Title
}

// notices are the letters to the states that are named: what was found, and an
// invitation to answer before anything rests on it.
func (w *writer) notices() []Notice {
	out := []Notice{}
	for i, s := range w.a.Attribution.States {
		if !slices.Contains(w.law.Reached, s.State) {
			continue
		}
		in := w.about()
		in["state"], in["@"] = w.state(s.State), "share."+strconv.Itoa(i)+"."
		in["organisation"], in["id"] = w.m.Organisation, w.m.ID
		subject, parts := "subject", []string{"greeting", "found" + w.method()}
		if w.a.Method() == analysis.Statements && i == 0 {
			in["likely"] = w.likely(w.a.Whose.Word)
			parts = append(parts, "likely")
		}
		if w.a.Attribution.Verdict == analysis.Inquiry {
			subject, parts = "subject.inquiry", append(parts, "asked")
		}
		n := Notice{State: s.State, Subject: w.say("notice."+subject, in)}
		for _, key := range append(parts, "means"+w.method(), "heard", "sign") {
			n.Body = append(n.Body, w.say("notice."+key, in))
		}
		out = append(out, n)
	}
	return out
}
