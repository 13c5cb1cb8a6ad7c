package rest

import (
	"context"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

type previewInput struct{ Body NewPreviewBody }

// A NewPreviewBody is a file to be looked at.
type NewPreviewBody struct {
	Kind  intake.Kind `json:"kind" enum:"sites,shifts,employees,vanpools,riders,badges,permits"`
	File  string      `json:"file" maxLength:"67108864" doc:"CSV in UTF-8, the first line of which names the columns; 64 MiB at most."`
	Whole bool        `json:"whole,omitempty" doc:"It lists everything: what is missing from it goes."`
}

type importInput struct{ Body NewImportBody }

// A NewImportBody is a file to be imported as it was previewed.
type NewImportBody struct {
	Kind      intake.Kind `json:"kind" enum:"sites,shifts,employees,vanpools,riders,badges,permits"`
	File      string      `json:"file" maxLength:"67108864" doc:"The file that was previewed."`
	Whole     bool        `json:"whole,omitempty" doc:"As in the preview."`
	SHA256    string      `json:"sha256" pattern:"^[0-9a-f]{64}$" doc:"That of the preview: what is imported is what it showed."`
	ManyMayGo bool        `json:"even_if_many_go,omitempty" doc:"More than a fifth of what is on record may go."`
}

// An ImportBody is what a file would change, or has changed.
type ImportBody struct {
	Kind      intake.Kind      `json:"kind"`
	Whole     bool             `json:"whole"`
	SHA256    string           `json:"sha256" doc:"Of the file and of what is on record: what to import it with."`
	File      string           `json:"file_sha256" doc:"Of the file alone."`
	Lines     int              `json:"lines"`
	Added     int              `json:"added"`
	Changed   int              `json:"changed"`
	Unchanged int              `json:"unchanged"`
	Gone      int              `json:"gone" doc:"Missing from a whole file."`
	Kept      int              `json:"kept" doc:"The file says otherwise and the record stands: somebody was erased, or removed by a case."`
	ManyGo    bool             `json:"many_go" doc:"More than a fifth of what is on record would go: it needs even_if_many_go."`
	Refused   int              `json:"refused" doc:"Lines that cannot be taken. Nothing is imported of a file that has any."`
	Ignored   []string         `json:"ignored_columns"`
	Fields    map[string]int   `json:"fields" doc:"In how many of the changed each field is another."`
	Changes   []changeBody     `json:"changes" doc:"The first hundred, without values."`
	Refusals  []intake.Refusal `json:"refused_lines" doc:"The first hundred."`
}

// A changeBody is one thing that would change, without its values.
type changeBody struct {
	ID     string   `json:"id"`
	What   string   `json:"what" enum:"added,changed,gone,kept"`
	Fields []string `json:"fields"`
}

func importOf(p record.Preview) ImportBody {
	b := ImportBody{Kind: intake.Kind(p.Kind), Whole: p.Whole, SHA256: p.SHA256, File: p.File, Lines: p.Lines, Added: p.Added,
		Changed: p.Changed, Unchanged: p.Unchanged,
		Gone: p.Gone, Kept: p.Kept, ManyGo: p.Shrinks, Refused: p.Refused, Ignored: listed(p.Ignored), Fields: p.Fields,
		Changes: []changeBody{}, Refusals: listed(p.Refusals)}
	if b.Fields == nil {
		b.Fields = map[string]int{}
	}
	for _, c := range p.List {
		b.Changes = append(b.Changes, changeBody{c.Key, c.What, listed(c.Fields)})
	}
	return b
}

type importOutput struct{ Body ImportBody }

// preview is an address of its own, and not validate_only on an import: that says
// only whether it would be done. A preview is what a person decides on, and its
// digest is what an import must name.
func (s *answers) preview(ctx context.Context, who identity.Actor, in *previewInput) (*importOutput, error) {
	p, err := s.store.Preview(ctx, who, record.Handover{Kind: in.Body.Kind, File: []byte(in.Body.File), Whole: in.Body.Whole})
	return &importOutput{importOf(p)}, err
}

func (s *answers) load(ctx context.Context, who identity.Actor, in *importInput) (*importOutput, error) {
	b := in.Body
	p, err := s.store.Import(ctx, who, record.Handover{Kind: b.Kind, File: []byte(b.File), Whole: b.Whole, MayShrink: b.ManyMayGo},
		b.SHA256)
	return &importOutput{importOf(p)}, err
}

// A syncBody is how old one kind of record is.
type syncBody struct {
	Kind  intake.Kind `json:"kind" doc:"Riders come with vanpools."`
	At    *time.Time  `json:"at" doc:"When they were last handed over whole, or said to be current; null: never."`
	Fresh bool        `json:"fresh" doc:"Whether they are 48 hours old at most."`
	Way   string      `json:"way" doc:"csv, scim or api."`
	By    string      `json:"by"`
	File  string      `json:"file_sha256"`
	Rows  int         `json:"rows"`
}

type listSyncsInput struct{ api.Paging }

// syncs are few, and come all at once.
func (s *answers) syncs(ctx context.Context, who identity.Actor, _ *listSyncsInput, _ string,
	_ int) (out []syncBody, next string, err error) {
	all, err := s.store.Syncs(ctx, who)
	for _, y := range all {
		out = append(out, syncBody{y.Kind, api.UTC(&y.At), y.Fresh, y.Way, y.By, y.SHA256, y.Rows})
	}
	return out, "", err
}

type confirmInput struct{ Body ConfirmBody }

// A ConfirmBody says which records are current.
type ConfirmBody struct {
	Kinds []intake.Kind `json:"kinds" minItems:"1" maxItems:"7" doc:"sites, shifts, employees, vanpools, riders, badges, permits."`
}

func (s *answers) confirm(ctx context.Context, who identity.Actor, in *confirmInput) (*api.Empty, error) {
	return &api.Empty{}, s.store.Confirm(ctx, who, in.Body.Kinds...)
}

// A writtenBody is what a single write did.
type writtenBody struct {
	ID     string   `json:"id"`
	What   string   `json:"what" enum:"added,changed,unchanged,kept" doc:"kept: the record stands, because somebody was erased or a case has decided."`
	Fields []string `json:"fields" doc:"That were changed."`
}

type writtenOutput struct {
	ETag string `header:"ETag"`
	Body writtenBody
}

// written tells what a single write did. The id of the address is that of the
// body, so that nothing is written where nobody meant it.
func written(inPath, inBody string, put func() (record.Written, error)) (*writtenOutput, error) {
	if inPath != inBody {
		return nil, fault.New(fault.Invalid, "the address names %.60q and the body %.60q", inPath, inBody).
			WithNext("send the same id in both")
	}
	p, err := put()
	if err != nil {
		return nil, err
	}
	b := writtenBody{ID: inBody, What: "unchanged", Fields: []string{}}
	for _, c := range p.List {
		b.What, b.Fields = c.What, listed(c.Fields)
	}
	return &writtenOutput{strconv.Quote(p.Tag), b}, nil
}
