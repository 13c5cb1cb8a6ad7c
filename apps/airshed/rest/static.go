package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/intake"
	"github.com/gavelhq/gavel/platform/list"
)

// staticOperations registers the lists of places that are hot without a field burning.
func (s *Answers) staticOperations(a *api.API) {
	change := []string{store.ActBoundary}
	const body = `{"name":"kilns.csv","licence":"CC BY 4.0","as_of":"2026-01-31","file":"name,kind,latitude,longitude,radius_km,source\n…"}`
	api.List(a, api.Route{ID: "listStaticSources", Path: StaticAddress, Acts: []string{store.ActRead}, Tag: apiTag,
		Title: "List imported lists of static sources, the newest first",
		Text: "Kilns, works and power stations are hot without a field burning. Analyses leave out what a satellite saw of them, by the " +
			"newest list that was there when their scan began."}, s.staticLists)
	api.Serve(a, api.Route{ID: "importStaticSources", Method: http.MethodPost, Path: StaticAddress, Acts: change, Tag: apiTag,
		Title: "Import a list of static sources",
		Text: "A CSV file with the heading name,kind,latitude,longitude,radius_km,source. The file is the whole list: what it lacks is no " +
			"static source any more. One that lacks more than a fifth of the last needs may_shrink.",
		MaxBody: maxFileBody, Status: http.StatusCreated, Untried: "a file is kept before it is written down", Body: body}, s.importStatic)
	api.Serve(a, api.Route{ID: "previewStaticSources", Method: http.MethodPost, Path: StaticAddress + "/preview", Acts: change, Tag: apiTag,
		Title:   "Preview a list of static sources",
		Text:    "What the file would change. Its sha256 goes with the import, which then takes this file against this list and no other.",
		MaxBody: maxFileBody, Untried: "a file is read, and nothing is kept", Body: body}, s.previewStatic)
}

// A StaticBody is an imported list as the API shows it.
type StaticBody struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Licence string    `json:"licence"`
	AsOf    string    `json:"as_of" doc:"The day whose sources it lists."`
	Sites   int       `json:"sites" doc:"How many."`
	SHA256  string    `json:"sha256"`
	By      string    `json:"imported_by"`
	At      time.Time `json:"imported_at"`
}

func staticOf(l store.StaticList) StaticBody {
	return StaticBody{l.ID, l.Name, l.Licence, l.AsOf.Format(time.DateOnly), l.Sites, l.Data, l.By, l.At.UTC()}
}

func (s *Answers) staticLists(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]StaticBody, string,
	error) {
	all, next, err := list.Part(after, limit, store.StaticList.ListedAt, func(from list.Cursor, most int) ([]store.StaticList, error) {
		return s.store.StaticLists(ctx, who, from, most)
	})
	return list.Each(all, staticOf), next, err
}

type importStaticInput struct{ Body NewStaticBody }

// A NewStaticBody is a file of static sources with what it does not say of itself.
type NewStaticBody struct {
	File      string `json:"file" maxLength:"33554432" doc:"CSV, as text."`
	Name      string `json:"name,omitempty" maxLength:"100" doc:"What the file is called."`
	Licence   string `json:"licence,omitempty" maxLength:"500" doc:"Under which it may be used; an import must have it."`
	AsOf      string `json:"as_of,omitempty" format:"date" doc:"The day whose sources it lists; an import must have it."`
	SHA256    string `json:"sha256,omitempty" maxLength:"64" doc:"Of the preview that was seen; left out, none is asked for."`
	MayShrink bool   `json:"may_shrink,omitempty" doc:"More than a fifth of the last list may be missing from it."`
}

type staticOutput struct{ Body StaticBody }

func (s *Answers) importStatic(ctx context.Context, who identity.Actor, in *importStaticInput) (*staticOutput, error) {
	n := in.Body
	l, err := s.store.ImportStatic(ctx, who, store.NewStatic{File: []byte(n.File), Name: n.Name, Licence: n.Licence, AsOf: n.AsOf,
		Word: intake.Word{SHA256: n.SHA256, MayShrink: n.MayShrink}})
	return &staticOutput{staticOf(l)}, err
}

// A StaticPreviewBody is what a list of static sources would change.
type StaticPreviewBody struct {
	SHA256    string           `json:"sha256" doc:"What an import confirms."`
	Lines     int              `json:"lines"`
	Added     int              `json:"added"`
	Changed   int              `json:"changed"`
	Unchanged int              `json:"unchanged"`
	Gone      int              `json:"gone"`
	Shrinks   bool             `json:"shrinks" doc:"More than a fifth would go."`
	Changes   []intake.Change  `json:"changes" doc:"The first hundred."`
	Refused   int              `json:"refused"`
	Refusals  []intake.Refusal `json:"refusals" doc:"The first hundred; a file with one is not taken."`
}

type staticPreviewOutput struct{ Body StaticPreviewBody }

func (s *Answers) previewStatic(ctx context.Context, who identity.Actor, in *importStaticInput) (*staticPreviewOutput, error) {
	p, err := s.store.PreviewStatic(ctx, who, []byte(in.Body.File))
	return &staticPreviewOutput{StaticPreviewBody{SHA256: p.SHA256, Lines: p.Lines, Added: p.Added, Changed: p.Changed,
		Unchanged: p.Unchanged, Gone: p.Gone, Shrinks: p.Shrinks, Changes: append([]intake.Change{}, p.List...), Refused: p.Refused,
		Refusals: append([]intake.Refusal{}, p.Refusals...)}}, err
}
