package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// Bounds of requests with a file in them: quotation marks take two characters in JSON,
// and bytes a third more.
const (
	maxCaptureBody = 24 << 20
	maxListBody    = 8 << 20
)

// referenceOperations registers what people import and enter.
func (s *Answers) referenceOperations(a *api.API) {
	read, refer := []string{store.ActRead}, []string{store.ActRefer}
	const untried = "a file is kept before it is written down"
	api.List(a, api.Route{ID: "listBoundaries", Path: "/v1/airshed/boundaries", Acts: read, Tag: apiTag,
		Title: "List imported boundaries, the newest first",
		Text:  "Analyses go by the newest that was there when their scan began."}, s.boundaries)
	api.Serve(a, api.Route{ID: "importBoundaries", Method: http.MethodPost, Path: "/v1/airshed/boundaries",
		Acts: []string{store.ActBoundary}, Tag: apiTag, Title: "Import boundaries of districts or states",
		Text: "Districts are split every year: a file is taken with its licence and its date only. One that gives states takes the " +
			"place of those that come with the program, and so do its stations. The same file offline gives the same analysis.",
		MaxBody: maxFileBody, Status: http.StatusCreated, Untried: untried,
		Body: `{"name":"districts.geojson","licence":"GODL-India","as_of":"2026-01-31","file":"{…}"}`}, s.importBoundary)
	api.List(a, api.Route{ID: "listShares", Path: "/v1/airshed/shares", Acts: read, Tag: apiTag,
		Title: "List entered stubble shares, the newest first"}, s.shares)
	api.Serve(a, api.Route{ID: "enterShare", Method: http.MethodPost, Path: "/v1/airshed/shares", Acts: []string{store.ActShare},
		Tag: apiTag, Title: "Enter the stubble share of the forecast",
		Text: "As a person read it, with the page or picture they read it from. Who enters it is on record. What is odd about the " +
			"figure is said in warnings and refuses nothing.",
		MaxBody: maxCaptureBody, Status: http.StatusCreated, Untried: untried,
		Body: `{"stubble_percent":22,"valid_date":"2026-11-14","issued_at":"2026-11-13T12:00:00Z","source_url":"https://ews.tropmet.res.in/dss/","capture":"PGh0bWw+"}`}, s.enterShare)
	api.List(a, api.Route{ID: "listStations", Path: "/v1/airshed/stations", Acts: read, Tag: apiTag,
		Title: "List the stations that are known",
		Text:  "By site, each as it is said to be last. They are the same for every organisation."}, s.stations)
	api.Serve(a, api.Route{ID: "importStations", Method: http.MethodPost, Path: "/v1/airshed/stations", Acts: refer, Tag: apiTag,
		Title: "Import stations",
		Text: "A CSV file with the heading site_id,name,agency,latitude,longitude,kind,valid_from, and city where it is not Delhi. A row " +
			"that is there already stays; a station that changes gets a later row. Scans that begin from then on look at these stations.",
		MaxBody: maxListBody, Untried: untried, Body: `{"name":"stations.csv","file":"site_id,name,…"}`}, s.importStations)
	api.List(a, api.Route{ID: "listCitations", Path: "/v1/airshed/citations", Acts: read, Tag: apiTag,
		Title: "List the provisions that are known", Text: "By id, each as its source said when it was last looked at."}, s.citations)
	api.Serve(a, api.Route{ID: "importCitations", Method: http.MethodPost, Path: "/v1/airshed/citations", Acts: refer, Tag: apiTag,
		Title: "Import provisions",
		Text:  "A book of law as JSON. A provision that was verified anew is a later row; none is changed.", MaxBody: maxListBody,
		Untried: untried, Body: `{"name":"citations.json","file":"{…}"}`}, s.importCitations)
}

// A BoundaryBody is imported boundaries as the API shows them.
type BoundaryBody struct {
	ID        string       `json:"id"`
	Gives     region.Gives `json:"gives" enum:"districts,states" doc:"states: these are the states that analyses name, in place of those that come with the program."`
	Name      string       `json:"name"`
	Licence   string       `json:"licence"`
	AsOf      string       `json:"as_of" doc:"The day whose districts it shows."`
	Districts int          `json:"districts" doc:"How many; of states where it gives those."`
	SHA256    string       `json:"sha256"`
	By        string       `json:"imported_by"`
	At        time.Time    `json:"imported_at"`
}

func boundaryOf(b store.Boundary) BoundaryBody {
	return BoundaryBody{b.ID, b.Gives, b.Name, b.Licence, b.AsOf.Format(time.DateOnly), b.Districts, b.Data, b.By, b.At.UTC()}
}

func (s *Answers) boundaries(
	ctx context.Context, who identity.Actor, _ *listInput, after string, limit int,
) ([]BoundaryBody, string, error) {
	all, next, err := list.Part(after, limit, store.Boundary.ListedAt, func(from list.Cursor, most int) ([]store.Boundary, error) {
		return s.store.Boundaries(ctx, who, from, most)
	})
	return list.Each(all, boundaryOf), next, err
}

type importBoundaryInput struct{ Body NewBoundaryBody }

// A NewBoundaryBody is a file of boundaries with what it does not say of itself.
type NewBoundaryBody struct {
	File     string       `json:"file,omitempty" maxLength:"67108864" doc:"GeoJSON, as text: a FeatureCollection of polygons in degrees; of states also points, which are stations."`
	Archive  []byte       `json:"archive,omitempty" doc:"In place of that, a shapefile as a zip archive: .shp, .dbf and .prj, polygons in degrees, names in UTF-8."`
	Gives    region.Gives `json:"gives,omitempty" enum:"districts,states" doc:"What the file is of; left out: districts."`
	Name     string       `json:"name,omitempty" maxLength:"100" doc:"What the file is called."`
	Licence  string       `json:"licence" minLength:"1" maxLength:"500" doc:"Under which it may be used."`
	AsOf     string       `json:"as_of" format:"date" doc:"The day whose districts it shows."`
	District string       `json:"district,omitempty" maxLength:"100" doc:"The property with a district's name; left out: district."`
	State    string       `json:"state,omitempty" maxLength:"100" doc:"The property with its state's name; left out: state."`
}

type boundaryOutput struct{ Body BoundaryBody }

func (s *Answers) importBoundary(ctx context.Context, who identity.Actor, in *importBoundaryInput) (*boundaryOutput, error) {
	n := in.Body
	file := n.Archive
	switch {
	case n.File != "" && len(n.Archive) > 0:
		return nil, fault.New(fault.Invalid, "there are a file and an archive").WithNext("send one of them")
	case n.File != "":
		file = []byte(n.File)
	}
	b, err := s.store.ImportBoundary(ctx, who, file, region.Terms{Gives: n.Gives, Name: n.Name, Licence: n.Licence,
		AsOf: n.AsOf, District: n.District, State: n.State})
	return &boundaryOutput{boundaryOf(b)}, err
}

// A ShareBody is an entered share as the API shows it.
type ShareBody struct {
	ID       string    `json:"id"`
	Percent  float64   `json:"stubble_percent"`
	Valid    string    `json:"valid_date" doc:"The day in India it is for."`
	IssuedAt time.Time `json:"issued_at"`
	URL      string    `json:"source_url"`
	Capture  string    `json:"captured_bytes_sha256"`
	By       string    `json:"captured_by"`
	At       time.Time `json:"entered_at"`
	Warnings []string  `json:"warnings" doc:"above_70_percent, out_of_season (above 5 percent outside 25 September to 5 December), system_out_of_season, day_not_of_forecast."`
	Caveats  []string  `json:"caveats" doc:"What must be said wherever the share is used."`
}

func shareBodyOf(e store.ShareEntry) ShareBody {
	return ShareBody{e.ID, e.Percent, e.Valid.Format(time.DateOnly), e.IssuedAt.UTC(), e.URL, e.Capture, e.By, e.At.UTC(),
		append([]string{}, e.Warnings...), feed.Caveats()}
}

func (s *Answers) shares(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) ([]ShareBody, string, error) {
	all, next, err := list.Part(after, limit, store.ShareEntry.ListedAt, func(from list.Cursor, most int) ([]store.ShareEntry, error) {
		return s.store.Shares(ctx, who, from, most)
	})
	return list.Each(all, shareBodyOf), next, err
}

type enterShareInput struct{ Body NewShareBody }

// A NewShareBody is a figure and what it was read from.
type NewShareBody struct {
	Percent     float64   `json:"stubble_percent" minimum:"0" maximum:"100" doc:"Of Delhi's PM2.5."`
	Valid       string    `json:"valid_date" format:"date" doc:"The day in India it is for."`
	IssuedAt    time.Time `json:"issued_at" doc:"When the forecast was issued."`
	URL         string    `json:"source_url" minLength:"1" maxLength:"1000" doc:"Where it was read."`
	Capture     []byte    `json:"capture" doc:"The page or picture it was read from, of at most 16 MB."`
	ContentType string    `json:"content_type,omitempty" maxLength:"100" doc:"Of that, as image/png."`
}

type shareOutput struct{ Body ShareBody }

func (s *Answers) enterShare(ctx context.Context, who identity.Actor, in *enterShareInput) (*shareOutput, error) {
	n := in.Body
	e, err := s.gatherer.EnterShare(ctx, who, feed.Share{Percent: n.Percent, ValidDate: n.Valid, IssuedAt: n.IssuedAt,
		SourceURL: n.URL}, n.ContentType, n.Capture)
	return &shareOutput{shareBodyOf(e)}, err
}

// A stationBody is a station as the API shows it.
type stationBody struct {
	Site      string  `json:"site_id"`
	Name      string  `json:"name"`
	Agency    string  `json:"agency"`
	Lat       float64 `json:"latitude"`
	Lon       float64 `json:"longitude"`
	Kind      string  `json:"kind" enum:"border,interior,other" doc:"interior: a control inside the city. other: known and not looked at."`
	ValidFrom string  `json:"valid_from"`
	City      string  `json:"city" doc:"At whose border or in which it stands; empty: Delhi."`
	Source    string  `json:"sha256" doc:"Of the file it came in."`
}

func (s *Answers) stations(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) (out []stationBody,
	next string, err error) {
	all, err := s.store.RefStations(ctx, who, after, limit)
	for _, r := range all {
		out = append(out, stationBody{r.Site, r.Name, r.Agency, r.Lat, r.Lon, r.Kind, r.ValidFrom.Format(time.DateOnly), r.City, r.Source})
	}
	if len(all) == limit {
		next = all[limit-1].Site
	}
	return out, next, err
}

type referInput struct{ Body NewReferenceBody }

// A NewReferenceBody is a file of reference data.
type NewReferenceBody struct {
	File string `json:"file" maxLength:"4194304" doc:"The file, as text."`
	Name string `json:"name,omitempty" maxLength:"200" doc:"What it is called."`
}

// A referredBody is what an import of reference data added.
type referredBody struct {
	Kind   string `json:"kind" enum:"stations,citations"`
	Rows   int    `json:"rows" doc:"Of the file."`
	Fresh  int64  `json:"added" doc:"That were not there yet."`
	SHA256 string `json:"sha256" doc:"Of the file."`
}

type referredOutput struct{ Body referredBody }

func (s *Answers) importStations(ctx context.Context, who identity.Actor, in *referInput) (*referredOutput, error) {
	i, err := s.gatherer.ImportStations(ctx, who, []byte(in.Body.File), in.Body.Name)
	return &referredOutput{referredBody(i)}, err
}

func (s *Answers) importCitations(ctx context.Context, who identity.Actor, in *referInput) (*referredOutput, error) {
	i, err := s.gatherer.ImportCitations(ctx, who, []byte(in.Body.File), in.Body.Name)
	return &referredOutput{referredBody(i)}, err
}

// A citationBody is a provision as the API shows it.
type citationBody struct {
	ID         string   `json:"id"`
	Number     string   `json:"number"`
	Date       string   `json:"date" doc:"A day, or a month where only that is known."`
	Title      string   `json:"title"`
	Says       string   `json:"says" doc:"In our own words."`
	Subjects   []string `json:"subjects"`
	Addressees []string `json:"addressees"`
	Origin     string   `json:"source" doc:"Where it was read."`
	Certainty  string   `json:"certainty" enum:"text,reported,one_report"`
	VerifiedOn string   `json:"verified_on"`
	SHA256     string   `json:"sha256" doc:"Of the book it came in."`
}

func (s *Answers) citations(ctx context.Context, who identity.Actor, _ *listInput, after string, limit int) (out []citationBody,
	next string, err error) {
	all, err := s.store.RefCitations(ctx, who, after, limit)
	for _, c := range all {
		out = append(out, citationBody{c.ID, c.Number, c.Date, c.Title, c.Says, c.Subjects, c.Addressees, c.Origin, c.Certainty,
			c.VerifiedOn.Format(time.DateOnly), c.Source})
	}
	if len(all) == limit {
		next = all[limit-1].ID
	}
	return out, next, err
}
