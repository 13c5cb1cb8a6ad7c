package filing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// draftAnew makes a draft of what is known now: the analysis and what it rests on are
// put on the case, its numbers become facts, the report is built from them and
// verified, and kept as it would be filed.
func (m *matter) draftAnew(ctx context.Context) error {
	newest := store.Basis{N: m.episode.Answers, Analysis: m.episode.Analysis, Data: m.episode.Data, Peak: m.episode.Peak}
	r, book, err := m.build(ctx, newest, m.at.Unix())
	if err != nil {
		return err
	}
	found, err := r.Verify(book, r.Parts()...)
	if err != nil {
		return err
	}
	if found.Blocked() {
		return fault.New(fault.Conflict, "the report of %s does not hold: %v", m.file.Ref, found.Findings)
	}
	_, err = m.keepDraft(ctx, r, newest, true)
	return err // where another was first, the next look at the case sees it
}

// build builds the report of an answer, on the facts of the case, as of a moment in
// seconds. The same again is the same bytes.
func (m *matter) build(ctx context.Context, on store.Basis, made int64) (r report.Report, book *fact.Book, err error) {
	body, err := m.clerk.store.AnalysisOf(ctx, m.in.Org, on.Analysis)
	if err != nil {
		return r, nil, err
	}
	var a analysis.Analysis
	if err := json.Unmarshal(body, &a); err != nil {
		return r, nil, fault.From(fault.Conflict, err, "analysis %s cannot be read", on.Analysis)
	}
	facts, err := m.ground(ctx, a, on)
	if err != nil {
		return r, nil, err
	}
	law, err := lawbook.Known()
	if err != nil {
		return r, nil, err
	}
	title, err := m.clerk.store.Organisation(ctx, m.in.Org)
	if err != nil {
		return r, nil, err
	}
	verify := ""
	if m.clerk.public != "" {
		verify = m.clerk.public + "/verify"
	}
	r, err = report.Build(a, report.Meta{ID: m.file.Ref, VerifyAt: verify, GeneratedAt: time.Unix(made, 0).UTC(), Organisation: title,
		Status: report.Final, Channel: m.clerk.commission.Channel(),
		Facts: facts, Device: lawbook.Device{Ident: m.clerk.public}, Records: []lawbook.Record{{Name: "data lake object as received",
			SHA256: on.Data}}}, law)
	if err != nil {
		return r, nil, err
	}
	book, err = m.clerk.store.Kept().Book(ctx, m.in.Org, m.in.Case)
	return r, book, err
}

// ground puts an analysis and the data it rests on on the case, and its numbers as
// facts. Done again it changes nothing.
func (m *matter) ground(ctx context.Context, a analysis.Analysis, on store.Basis) ([]report.Named, error) {
	gavel, kept := identity.Gavel(m.in.Org), m.clerk.store.Kept()
	for _, p := range []struct {
		digest, title string
		side          evidence.Side
	}{
		{on.Data, "Data of " + a.At.In(aqi.India()).Format("2 January 2006, 15:04 IST") + ", as received", evidence.Unknown},
		{on.Analysis, "Analysis: " + strings.ReplaceAll(string(a.Attribution.Verdict), "_", " "), evidence.For},
	} {
		d, err := blob.Parse(p.digest)
		if err != nil {
			return nil, err
		}
		if _, _, err := kept.Put(ctx, gavel, m.in.Case, evidence.Putting{SHA256: d, Side: p.side, Title: p.title}); err != nil {
			return nil, fmt.Errorf("put %s on case %s: %w", p.digest, m.file.Ref, err)
		}
	}
	read, err := report.Read(a)
	if err != nil {
		return nil, err
	}
	drafts := make([]fact.Fact, len(read))
	for i, f := range read {
		drafts[i] = f.Fact
	}
	recorded, err := kept.Record(ctx, gavel, m.in.Case, drafts...)
	if err != nil {
		return nil, fmt.Errorf("facts of case %s: %w", m.file.Ref, err)
	}
	return report.Numbered(read, recorded)
}

// keepDraft keeps a report as the newest draft, unless another has become that since the
// case was read. A draft that was made anew is what somebody wished for who had wished by
// then.
func (m *matter) keepDraft(ctx context.Context, r report.Report, on store.Basis, anew bool) (kept bool, err error) {
	d := store.Draft{N: 1, ReportID: r.ID, Answer: on.N, Station: r.Surge.Station, AQI: r.Surge.AQI, SurgeAt: r.Surge.Time,
		Verdict: string(r.Attribution.Verdict),
		First:   r.Analysis.Attribution.First, MadeAt: r.Time}
	category, _ := aqi.CategoryOf(on.Peak)
	d.Category = string(category)
	if m.draft != nil {
		d.N = m.draft.N + 1
	}
	if r.WordedBy != "" && strings.HasPrefix(r.WordedBy, "run_") {
		d.WordedBy = r.WordedBy
	}
	if err := m.keepFiles(ctx, r, &d); err != nil {
		return false, err
	}
	sum, err := blob.Parse(d.JSON)
	if err != nil {
		return false, err
	}
	if _, _, err := m.clerk.store.Kept().Put(ctx, identity.Gavel(m.in.Org), m.in.Case, evidence.Putting{SHA256: sum, Side: evidence.For,
		Title: fmt.Sprintf("Report %s, draft %d", r.ID, d.N)}); err != nil {
		return false, err
	}
	err = m.clerk.store.In(ctx, m.in.Org, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, m.in.Case); err != nil { // first, as everywhere
			return err
		}
		if kept, err = store.AddDraft(ctx, tx, m.in.Org, m.in.Case, d); err != nil || !kept {
			return err
		}
		if anew {
			if err := store.Renewed(ctx, tx, m.in.Case, m.attempt); err != nil {
				return err
			}
		}
		text := fmt.Sprintf("Draft %d of the report was made: %s.", d.N, strings.ReplaceAll(d.Verdict, "_", " "))
		return m.noteIn(ctx, tx, fmt.Sprintf("draft:%d", d.N), "air_drafted", text, casefile.Change{State: casefile.Waiting,
			Status: "drafted", WaitingFor: "two officers"})
	})
	return kept && err == nil, err
}

// keepFiles keeps the report and its pages, and notes their digests.
func (m *matter) keepFiles(ctx context.Context, r report.Report, d *store.Draft) error {
	body, err := r.JSON()
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(report.FileName(r.Time), ".json")
	keep := func(file, contentType string, body []byte) (string, error) {
		// The digest is part of the key: a step that failed half way may make other bytes.
		once := fmt.Sprintf("%s:%d:%s:%.16s", r.ID, d.N, file, blob.Sum(body))
		s, err := m.clerk.store.Kept().Take(ctx, identity.Gavel(m.in.Org), evidence.Receipt{Source: store.ReportSource, Once: once,
			ContentType: contentType, Place: name + file}, bytes.NewReader(body))
		if err != nil {
			return "", fmt.Errorf("keep report %s: %w", r.ID, err)
		}
		return s.SHA256.String(), nil
	}
	if d.JSON, err = keep(".json", "application/json", body); err != nil {
		return err
	}
	for _, p := range []struct {
		lang report.Lang
		to   *string
	}{{report.English, &d.English}, {report.Hindi, &d.Hindi}} {
		page, err := report.HTML(r, p.lang)
		if err != nil {
			return err
		}
		if *p.to, err = keep("_"+string(p.lang)+".html", "text/html; charset=utf-8", page); err != nil {
			return err
		}
	}
	return nil
}

// reword makes a draft with the agent's summary in it, where that holds.
func (m *matter) reword(ctx context.Context, run string) (worded bool, err error) {
	said, err := m.clerk.runs.Answer(ctx, m.in.Org, run)
	if fault.Is(err, fault.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var words report.Words
	if err := json.Unmarshal([]byte(said), &words); err != nil {
		return false, nil //nolint:nilerr // an answer in no form is no answer
	}
	on, err := m.clerk.store.BasisAt(ctx, m.in.Org, m.episode.Key, m.draft.Answer)
	if err != nil {
		return false, err
	}
	r, book, err := m.build(ctx, on, m.draft.MadeAt.Unix())
	if err != nil {
		return false, err
	}
	r, err = r.Reword(words, run, book)
	if fault.Is(err, fault.Invalid) {
		why, _ := fault.Words(err)
		m.clerk.log.InfoContext(ctx, "the agent's words do not hold; the report's own stand", slog.String("case", string(m.in.Case)),
			slog.String("run", run), slog.String("why", why))
		return false, m.note(ctx, "words:"+run,
			"air_words_refused", "The agent's summary does not hold, and the report's own stands. "+why+".",
			casefile.Change{WaitingFor: m.file.WaitingFor})
	}
	if err != nil {
		return false, err
	}
	return m.keepDraft(ctx, r, on, false)
}
