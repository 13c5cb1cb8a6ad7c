package rest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
)

// A DraftedReportBody is a report as a list shows it.
type DraftedReportBody struct {
	ID      string    `json:"id"`
	Case    string    `json:"case_id"`
	Title   string    `json:"title"`
	Outline string    `json:"outline_sha256"`
	MadeBy  string    `json:"made_by"`
	MadeAt  time.Time `json:"made_at"`
}

func reportOf(r store.Report) DraftedReportBody {
	return DraftedReportBody{ID: r.ID, Case: string(r.Case), Title: r.Title, Outline: r.SHA256, MadeBy: r.MadeBy, MadeAt: r.MadeAt.UTC()}
}

type listInput struct{ api.Paging }

func (s *Answers) reports(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]DraftedReportBody, string,
	error) {
	all, next, err := list.Part(after, limit, store.Report.ListedAt, func(from list.Cursor, most int) ([]store.Report, error) {
		return s.store.Reports(ctx, who, from, most)
	})
	return list.Each(all, reportOf), next, err
}

// A ModelRunBody names the files of a run.
type ModelRunBody struct {
	Name   string `json:"name,omitempty" maxLength:"200" doc:"What the run is called; left out, its folder's name."`
	Zip    []byte `json:"zip,omitempty" doc:"The folder of the run as a zip, in base64."`
	Folder string `json:"folder,omitempty" maxLength:"200" doc:"A folder of the server's folder of runs, instead of a zip."`
}

func (b ModelRunBody) run() (casework.Run, error) {
	if (len(b.Zip) == 0) == (b.Folder == "") {
		return casework.Run{}, fault.New(fault.Invalid, "a run is a zip or a folder of the server: send one of them")
	}
	return casework.Run{Name: b.Name, Zip: b.Zip, Folder: b.Folder}, nil
}

// A NewDraftedReportBody brings a report in.
type NewDraftedReportBody struct {
	ModelRunBody

	Title   string `json:"title,omitempty" maxLength:"200" doc:"Left out: the first heading."`
	Outline string `json:"outline" minLength:"1" maxLength:"16777216" doc:"Markdown: headings are sections."`
	Map     string `json:"section_chart_map,omitempty" maxLength:"4194304" doc:"Which charts each section is written from, as JSON."`
}

type bringInput struct{ Body NewDraftedReportBody }

type bringOutput struct {
	Location string `header:"Location"`
	Body     DraftedReportBody
}

func (s *Answers) bring(ctx context.Context, who identity.Actor, in *bringInput) (*bringOutput, error) {
	run, err := in.Body.run()
	if err != nil {
		return nil, err
	}
	r, err := s.desk.Bring(ctx, who, casework.Brought{Title: in.Body.Title, Outline: []byte(in.Body.Outline), Map: []byte(in.Body.Map),
		Run: run})
	return &bringOutput{Base + "/" + r.ID, reportOf(r)}, err
}

// A WholeDraftedReportBody is a report with its sections.
type WholeDraftedReportBody struct {
	DraftedReportBody

	Data     ModelDataBody         `json:"data" doc:"The run that counts."`
	Sections []SectionStandingBody `json:"sections"`
}

// A ModelDataBody is a run of the model.
type ModelDataBody struct {
	N         int       `json:"n"`
	Name      string    `json:"name"`
	SHA256    string    `json:"sha256" doc:"Of all its files in one."`
	Catalogue string    `json:"catalog_version"`
	Charts    int       `json:"charts"`
	GivenBy   string    `json:"given_by"`
	GivenAt   time.Time `json:"given_at"`
}

func dataOf(d store.Dataset) ModelDataBody {
	return ModelDataBody{N: d.N, Name: d.Name, SHA256: d.Pack, Catalogue: d.Catalogue, Charts: d.Charts, GivenBy: d.GivenBy,
		GivenAt: d.GivenAt.UTC()}
}

// A SectionStandingBody is how a section stands.
type SectionStandingBody struct {
	ID      string        `json:"section_id"`
	Title   string        `json:"title"`
	Level   int           `json:"level"`
	Version int           `json:"version" doc:"0: nobody has written it."`
	How     store.How     `json:"how" enum:",templates,model,person" doc:"Who worded it."`
	Status  report.Status `json:"status" doc:"What became of it in the newest drafting."`
	Why     string        `json:"why" doc:"Why it could not be written."`
	Dropped int           `json:"dropped" doc:"Sentences that the check did not let through."`
}

type wholeOutput struct{ Body WholeDraftedReportBody }

func (s *Answers) one(ctx context.Context, who identity.Actor, in *api.Named) (*wholeOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	b := WholeDraftedReportBody{DraftedReportBody: reportOf(v.Report), Data: dataOf(v.Data), Sections: []SectionStandingBody{}}
	for _, one := range v.Document.Sections {
		b.Sections = append(b.Sections, standingOf(v, one.ID, one.Title, one.Level))
	}
	return &wholeOutput{b}, nil
}

func standingOf(v casework.View, id, title string, level int) SectionStandingBody {
	newest, o := v.Newest[id], v.Drafted[id]
	return SectionStandingBody{ID: id, Title: title, Level: level, Version: newest.N, How: newest.How, Status: o.Status, Why: o.Why,
		Dropped: o.Dropped}
}

// A ReportDocumentBody is a whole report.
type ReportDocumentBody struct {
	Markdown string        `json:"markdown"`
	SHA256   string        `json:"sha256"`
	Ledger   report.Ledger `json:"ledger" doc:"For each section its sentences with tokens, and every fact it cites."`
}

type documentOutput struct{ Body ReportDocumentBody }

func (s *Answers) document(ctx context.Context, who identity.Actor, in *api.Named) (*documentOutput, error) {
	v, err := s.desk.View(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	text := v.Document.Render()
	sum := sha256.Sum256(text)
	return &documentOutput{ReportDocumentBody{string(text), hex.EncodeToString(sum[:]), *v.Ledger}}, nil
}

// A DraftOrderBody says what to draft.
type DraftOrderBody struct {
	Section     string `json:"section,omitempty" maxLength:"500" doc:"This one only; left out, all."`
	OnlyChanged bool   `json:"only_changed,omitempty" doc:"Leave sections whose charts and instructions are those of last time."`
}

type draftInput struct {
	api.Named

	Body DraftOrderBody
}

// A DraftingBody is a drafting that has begun.
type DraftingBody struct {
	Job   string    `json:"job" doc:"Read it at /v1/jobs."`
	State job.State `json:"state" enum:"running,done,refused,cancelled"`
	Done  int       `json:"done"`
	Total int       `json:"total"`
}

type draftOutput struct {
	Location string `header:"Location"`
	Body     DraftingBody
}

func (s *Answers) draft(ctx context.Context, who identity.Actor, in *draftInput) (*draftOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	ask := store.DraftInput{Report: in.ID, OnlyChanged: in.Body.OnlyChanged}
	if in.Body.Section != "" {
		one, err := v.Document.Find(in.Body.Section)
		if err != nil {
			return nil, err
		}
		ask.Section = one.ID
	}
	j, err := s.store.StartDraft(ctx, who, ask, "api:"+rand.Text())
	return &draftOutput{"/v1/jobs/" + j.ID, DraftingBody{j.ID, j.State, j.Done, j.Total}}, err
}

type dataInput struct {
	api.Named

	Body ModelRunBody
}

type dataOutput struct{ Body ModelDataBody }

func (s *Answers) data(ctx context.Context, who identity.Actor, in *dataInput) (*dataOutput, error) {
	run, err := in.Body.run()
	if err != nil {
		return nil, err
	}
	d, err := s.desk.GiveData(ctx, who, in.ID, run)
	return &dataOutput{dataOf(d)}, err
}

type changesOutput struct{ Body report.Changes }

func (s *Answers) changes(ctx context.Context, who identity.Actor, in *api.Named) (*changesOutput, error) {
	v, err := s.desk.Overview(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	c, err := s.desk.Changes(ctx, who, v)
	return &changesOutput{c}, err
}
