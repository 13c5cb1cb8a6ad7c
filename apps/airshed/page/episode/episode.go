// Package episode is the pages of a surge: the list of all, the page of one with its map,
// curves and shares, and the draft of a report on it with a card for every number.
package episode

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// Pages are the pages of episodes.
type Pages struct {
	*frame.Frame

	surveyor *survey.Surveyor
}

// New makes them.
func New(f *frame.Frame, v *survey.Surveyor) *Pages { return &Pages{f, v} }

// An episodeList is a page of episodes, those that began last first.
type episodeList struct {
	query store.EpisodeFilter
	all   []store.Episode
	after string
	next  string
	words report.Speech
}

// List is the page of all episodes.
func (g *Pages) List(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	p := g.TitledPage(r, "air.episodes")
	l := episodeList{after: r.URL.Query().Get("after")}
	if err := list.Read(r.URL.Query(), &l.query); err != nil {
		return err
	}
	if l.words, err = frame.Speech(p); err != nil {
		return err
	}
	l.all, l.next, err = list.Part(l.after, frame.PerPage, store.Episode.ListedAt,
		func(from list.Cursor, most int) ([]store.Episode, error) {
			return g.Store.EpisodesWhere(r.Context(), actor, l.query, from, most)
		})
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, http.StatusOK, p, episodesScreen(p, l))
}

// heading says whose episodes are listed: all, or those of a station, by its name as the
// episodes have it.
func (l episodeList) heading(p *web.Page) string {
	switch {
	case l.query.Site == "":
		return p.T("air.episodes")
	case len(l.all) == 0:
		return p.T("air.episodes_at", "station", l.query.Site)
	}
	return p.T("air.episodes_at", "station", l.words.Station(l.all[0].Station))
}

// api is where the rows of the list are had as data.
func (l episodeList) api(more ...string) string {
	return web.Address("/v1/airshed/episodes", append(more, list.Queries(&l.query)...)...)
}

// An episodeView is one episode by one of its answers.
type episodeView struct {
	store.Episode
	answer  store.Answer
	answers []store.Answer // the newest first
	a       analysis.Analysis
	draft   report.Report
	words   report.Speech
	of      casefile.CaseID // the case about it; empty where there is none
	pictures
}

// newest reports whether the answer shown is the last.
func (v episodeView) newest() bool { return v.answer.N == v.Answers }

// Episode is the page of one episode.
func (g *Pages) Episode(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	p := g.Page(r)
	v, err := g.readEpisode(r, p, actor)
	if err != nil {
		return err
	}
	v.pictures = g.draw(r.Context(), p, actor, v)
	p.Title = p.T("air.surge_at", "station", v.words.Station(v.Station), "time", p.Moment(v.a.Surge.Time))
	return g.Site.Render(w, r, http.StatusOK, p, episodeScreen(p, v))
}

// readEpisode reads the episode an address names, by its newest answer or the one that
// the address asks for, and the draft of a report on it, whose words the page speaks.
func (g *Pages) readEpisode(r *http.Request, p *web.Page, actor identity.Actor) (v episodeView, err error) {
	key, err := keyInPath(r)
	if err != nil {
		return v, err
	}
	n := 0
	if asked := r.URL.Query().Get("answer"); asked != "" {
		if n, err = strconv.Atoi(asked); err != nil || n < 1 {
			return v, fault.New(fault.NotFound, "%.80s has no answer %.20q", key, asked).WithNext("open the episode and see its answers").
				Because("no_answer", "id", asked)
		}
	}
	return g.readAnswer(r, p, actor, key, n)
}

// readAnswer reads an episode by one of its answers; 0 for the newest.
func (g *Pages) readAnswer(r *http.Request, p *web.Page, actor identity.Actor, key surge.Key, n int) (v episodeView, err error) {
	if v.Episode, err = g.Store.Episode(r.Context(), actor, key); err != nil {
		return v, err
	}
	if n == 0 {
		n = v.Answers
	}
	answer, body, err := g.Store.AnswerBytes(r.Context(), actor, key, n)
	if err != nil {
		return v, err
	}
	v.answer = answer
	if v.answers, err = g.Store.Answers(r.Context(), actor, key); err != nil {
		return v, err
	}
	if v.words, err = frame.Speech(p); err != nil {
		return v, err
	}
	if v.a, err = readAnalysis(body); err != nil {
		return v, err
	}
	if v.of, err = g.Store.CaseOf(r.Context(), actor, key); err != nil {
		return v, err
	}
	v.draft, err = report.Unfiled(v.a, organisation(p), []lawbook.Record{{Name: string(v.a.Key) + ".json", SHA256: v.answer.Data}})
	return v, err
}

// keyInPath is the key of the episode that an address names.
func keyInPath(r *http.Request) (surge.Key, error) {
	key, err := store.KeyOf(r.PathValue("id"))
	if err != nil {
		return "", fault.New(fault.NotFound, "no episode is called %.80q", r.PathValue("id")).WithNext("see the surge board").
			Because("no_episode", "id", r.PathValue("id"))
	}
	return key, nil
}

// readAnalysis reads an analysis that was kept.
func readAnalysis(body []byte) (a analysis.Analysis, err error) {
	if err := json.Unmarshal(body, &a); err != nil {
		return a, fault.From(fault.Internal, err, "the analysis cannot be read")
	}
	if a.Version == "" || a.Key == "" {
		return a, fault.New(fault.Unavailable, "what was kept of this answer is no analysis this version can show").
			WithNext("read its bytes over the API: /v1/airshed/episodes/…/analysis").Because("analysis_unreadable")
	}
	return a, nil
}

// organisation is who makes a report, as it may stand in one.
func organisation(p *web.Page) string {
	if p.Org.Name == "" {
		return string(p.Actor.Org)
	}
	return p.Org.Name
}

// said is a text of the draft with its numbers, in the page's language.
func (v episodeView) said(p *web.Page, text string) string {
	return v.draft.Show(text, report.Lang(p.Lang))
}

// texts are the words of the draft in the page's language.
func (v episodeView) texts(p *web.Page) report.Texts {
	return v.draft.Texts.In(report.Lang(p.Lang))
}

// address is this view of the episode, frozen: it shows the same for ever.
func (v episodeView) address(under string) string {
	return web.Address(frame.EpisodeAddress(v.Key, under), "answer", strconv.Itoa(v.answer.N))
}

// file is where a table of it can be had as a file.
func (v episodeView) file(table string) string {
	return web.Address(frame.EpisodeAddress(v.Key, "/file"), "answer", strconv.Itoa(v.answer.N), "table", table)
}

// File is a table of the page as a file.
func (g *Pages) File(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.WhoCarries(r)
	if err != nil {
		return err
	}
	p := g.Page(r)
	v, err := g.readEpisode(r, p, actor)
	if err != nil {
		return err
	}
	v.pictures = g.draw(r.Context(), p, actor, v)
	name := r.URL.Query().Get("table")
	all := v.tables()
	i := slices.IndexFunc(all, func(t tableView) bool { return t.Name == name })
	if i < 0 {
		return fault.New(fault.NotFound, "the episode has no table %.40q", name).WithNext("open the episode and see its tables").
			Because("nothing_called", "id", name)
	}
	rows := [][]string{{}}
	for _, c := range all[i].Columns {
		rows[0] = append(rows[0], c.Title)
	}
	for _, row := range all[i].Rows {
		rows = append(rows, row.Cells)
	}
	web.SendCSV(w, "gavel-airshed-"+name+".csv", rows)
	return nil
}
