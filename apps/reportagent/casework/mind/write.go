package mind

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/tool"
)

// mostRepairs is how often the writer is told what does not hold. Then what still does not is dropped.
const mostRepairs = 3

type contextOut struct {
	Section      string         `json:"section_id"`
	Title        string         `json:"title"`
	Level        int            `json:"level"`
	Instructions string         `json:"instructions"`
	Draft        string         `json:"current_draft"`
	Notes        []string       `json:"review_notes"`
	Below        []wording.Told `json:"sections_below"`
	Scenarios    []string       `json:"scenarios"`
	Must         []string       `json:"must_mention"`
}

// context shows a section. Of others than its own the writer is shown what they say, and nothing to cite.
func (m *Mind) context(ctx context.Context, e tool.Env, in sectionIn) (out contextOut, err error) {
	err = m.store.In(ctx, e.Org, func(tx pgx.Tx) error {
		g, err := m.ground(ctx, tx, e)
		if err != nil {
			return err
		}
		s, err := g.doc.Find(in.Section)
		if err != nil {
			return err
		}
		out = contextOut{Section: s.ID, Title: s.Title, Level: s.Level, Instructions: s.Instructions, Draft: s.Prose, Notes: []string{},
			Below: []wording.Told{}, Scenarios: []string{}, Must: []string{}}
		checks, err := store.Checks(ctx, tx, g.report.ID)
		if err != nil {
			return err
		}
		for _, c := range checks {
			if c.Section == s.ID {
				out.Must = append(out.Must, c.Phrase)
			}
		}
		newest, err := store.Newest(ctx, tx, g.report.ID, store.NoFacts)
		if err != nil {
			return err
		}
		if v, written := newest[s.ID]; written {
			out.Draft = v.Text
		}
		for _, r := range s.Reviews {
			if r.Notes != "" {
				out.Notes = append(out.Notes, r.Notes)
			}
		}
		if s.ID == g.section.ID {
			out.Below, out.Scenarios = append(out.Below, g.bench.Told...), append(out.Scenarios, g.bench.Scenarios()...)
		}
		return nil
	})
	return out, err
}

type writeIn struct {
	Section string `json:"section_id" jsonschema:"The section you are at."`
	Content string `json:"content" jsonschema:"The whole text: plain sentences, each with the tokens of the facts it cites."`
}

type writeOut struct {
	Accepted bool              `json:"accepted"`
	Findings []wording.Finding `json:"findings"`
	Repairs  int               `json:"repairs_left"`
	Dropped  int               `json:"sentences_dropped"`
	Became   string            `json:"became"`
}

// write takes a text in, if all of it holds, or if it was repaired as often as it may be.
func (m *Mind) write(ctx context.Context, tx pgx.Tx, e tool.Env, in writeIn) (out writeOut, err error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return out, err
	}
	switch {
	case g.wording.State != store.WordingAt:
		return out, fault.New(fault.Conflict, "section %s is done: it became %s", g.section.ID, g.wording.Became)
	case in.Section != g.section.ID:
		return out, fault.New(fault.Refused, "you are at section %s, and write in no other", g.section.ID)
	}
	before, err := store.Attempts(ctx, tx, g.wording.Task)
	if err != nil {
		return out, err
	}
	j := g.bench.Judge(in.Content)
	a := store.Attempt{N: len(before) + 1, Body: store.Cut(in.Content, 200<<10), Findings: len(j.Findings), At: m.store.Now()}
	if a.N > mostRepairs+1 {
		return out, fault.New(fault.Conflict, "section %s was handed in often enough", g.section.ID)
	}
	if err := store.AddAttempt(ctx, tx, e.Org, g.wording.Task, a); err != nil {
		return out, err
	}
	out = writeOut{Findings: append([]wording.Finding{}, j.Findings[:min(len(j.Findings), 40)]...), Repairs: mostRepairs + 1 - a.N,
		Dropped: j.Dropped}
	if !j.Clean() && out.Repairs > 0 {
		return out, nil
	}
	out.Became, err = m.finish(ctx, tx, e.Org, g, j, e.Run)
	out.Accepted = out.Became == store.BecameWorded || out.Became == store.BecameMarked
	return out, err
}

// finish writes what of a text holds into the section, and ends the wording.
func (m *Mind) finish(ctx context.Context, tx pgx.Tx, org identity.Org, g *ground, j *wording.Judgement, run string) (became string,
	err error) {
	if _, err := store.LockReport(ctx, tx, g.report.ID); err != nil {
		return "", err
	}
	if became, err = m.keep(ctx, tx, org, g, j, run); err != nil {
		return "", err
	}
	return became, m.ended(ctx, tx, org, g.wording, g.report.Case, became)
}

// keep adds the version, and says what became of the text.
func (m *Mind) keep(ctx context.Context, tx pgx.Tx, org identity.Org, g *ground, j *wording.Judgement, run string) (string, error) {
	s, err := g.bench.Settle(j)
	if err != nil {
		return "", err
	}
	if s.Empty() {
		return store.BecameNothing, nil
	}
	text, err := s.Markdown()
	if err != nil {
		return "", err
	}
	after, err := g.doc.Put(g.section.ID, g.section.Hash(), text)
	if err != nil {
		return "", err
	}
	now, err := after.Find(g.section.ID)
	if err != nil {
		return "", err
	}
	was := g.wording.Basis[g.section.ID]
	old, err := store.VersionN(ctx, tx, g.report.ID, g.section.ID, was)
	if err != nil {
		return "", err
	}
	e := old.Entry // its inputs say when it is to be written again
	e.Status, e.Why, e.Hash, e.Paragraphs, e.Facts, e.Dropped = report.Written, "", now.Hash(), s.Paragraphs, s.Book.All(), j.Dropped
	e.Questions = g.cited(e.Facts)
	v := store.Version{Section: g.section.ID, How: store.Model, Job: g.wording.Job, Run: run, Dataset: g.wording.Dataset, Hash: now.Hash(),
		Text: now.Prose, Entry: e, At: m.store.Now()}
	_, err = store.AddVersion(ctx, tx, identity.Gavel(org), g.report.ID, v, was)
	switch {
	case fault.Is(err, fault.Stale):
		return store.BecameStale, nil
	case err != nil:
		return "", err
	case j.Dropped > 0:
		return store.BecameMarked, nil
	}
	return store.BecameWorded, nil
}

// ended notes what became of a wording, says how far the drafting is, and wakes the case for the next section.
func (m *Mind) ended(ctx context.Context, tx pgx.Tx, org identity.Org, w store.Wording, id casefile.CaseID, became string) error {
	ended, err := store.EndWording(ctx, tx, w.Task, became, m.store.Now())
	if err != nil || !ended {
		return err
	}
	all, done, err := store.WordingsOf(ctx, tx, w.Job)
	if err != nil {
		return err
	}
	drafted, err := store.OutcomesOfJob(ctx, tx, w.Job)
	if err != nil {
		return err
	}
	in := store.DraftInput{Org: org, Report: w.Report, Job: w.Job}
	goOn, err := m.store.Work(ctx, tx, in, job.Progress{Done: len(drafted) + done, Total: len(drafted) + all, Doing: store.DoingWords})
	if err != nil {
		return err
	}
	if goOn && all == done {
		if err := m.store.EndDraft(ctx, tx, in, job.Done, ""); err != nil {
			return err
		}
	}
	return m.store.Rouse(ctx, tx, id)
}

// findWrite is what people would read, if policy had them asked about a draft.
func (m *Mind) findWrite(ctx context.Context, tx pgx.Tx, e tool.Env, in writeIn) (finding.Finding, error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	j := g.bench.Judge(in.Content)
	says := finding.Words{En: fmt.Sprintf("%d sentences do not hold.", j.Dropped), Hi: fmt.Sprintf("%d वाक्य सही नहीं ठहरते।", j.Dropped)}
	return g.found(finding.Words{En: "a draft by an agent", Hi: "एजेंट का मसौदा"}, says), nil
}

// found is a finding about the section.
func (g *ground) found(brief, says finding.Words) finding.Finding {
	why := finding.Words{En: "Code checks each sentence by itself.", Hi: "कोड हर वाक्य की अलग से जाँच करता है।"}
	f := finding.Finding{Subject: finding.Subject{Kind: "report", Name: g.section.Title, Of: g.report.ID}, Brief: brief, Says: says,
		Plain:  says,
		Change: finding.Words{En: "Another text, or other data.", Hi: "दूसरा पाठ, या दूसरे आँकड़े।"}}
	return f.Unmeasured(why)
}

type deriveIn struct {
	Op    string    `json:"op" jsonschema:"sum, difference, ratio, percentage, share, mean, min, max, rank, rank_low, count or growth_rate."`
	Facts []fact.ID `json:"fact_ids" jsonschema:"The facts, as F12, in the order that the operation takes them."`
}

// derive computes a number, and notes that it was asked for: it has the same token in every turn.
func (m *Mind) derive(ctx context.Context, tx pgx.Tx, e tool.Env, in deriveIn) (out wording.Figure, err error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return out, err
	}
	formula := wording.Formula{Op: fact.Op(in.Op), Facts: in.Facts}
	f, err := g.bench.Derive(formula)
	if err != nil {
		return out, err
	}
	return wording.FigureOf(in.Op, f), store.AddFormula(ctx, tx, e.Org, g.wording.Task, len(g.asked)+1, formula)
}

func (m *Mind) findDerive(ctx context.Context, tx pgx.Tx, e tool.Env, in deriveIn) (finding.Finding, error) {
	g, err := m.ground(ctx, tx, e)
	if err != nil {
		return finding.Finding{}, err
	}
	if _, err := g.bench.Derive(wording.Formula{Op: fact.Op(in.Op), Facts: in.Facts}); err != nil {
		return finding.Finding{}, err
	}
	return g.found(finding.Words{En: "a number is computed", Hi: "एक संख्या की गणना"},
		finding.Words{En: "An agent asks for a number out of facts.", Hi: "एजेंट तथ्यों से एक संख्या माँगता है।"}), nil
}
