package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
)

// Bundles lets people take a case out.
type Bundles struct{ Exporter *bundle.Exporter }

// makingTime bounds the making of a bundle; sending it has no bound but that each
// part of it must be taken.
const makingTime = 5 * time.Minute

// Operations registers what it answers.
func (s *Bundles) Operations(a *API) {
	Serve(a, Route{ID: "exportBundle", Method: http.MethodPost, Path: "/v1/cases/{id}/bundle", Acts: []string{"case.export"}, Tag: "Cases",
		Title: "Take a case out as a bundle",
		Text: "A zip that a stranger can verify offline. That it leaves is on record, with its digest and who it is for. It is sent as " +
			"it is made; with Prefer: respond-async it becomes an operation, whose file can be fetched for an hour.",
		Slow: true, Form: true, Untried: "what leaves is put on record before it is made", Body: `{"to":"Tribunal registry"}`,
		MaxBody: 4 << 10, Answers: []Answer{{Status: http.StatusOK, Media: "application/zip",
			Words: "The bundle; or an operation that has ended."}, {Status: http.StatusOK, Of: OperationBody{}},
			{Status: http.StatusAccepted, Of: OperationBody{}, Words: "It is being made."}}}, s.export(a))
}

type bundleInput struct {
	Named
	Prefer
	Body *BundleBody
}

// A BundleBody says who a bundle is for.
type BundleBody struct {
	To string `json:"to,omitempty" doc:"Who receives it; you, if it is left out. It is in no log."`
}

// A BundleMadeBody is a bundle that an operation made.
type BundleMadeBody struct {
	Case   string `json:"case"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Record string `json:"record" doc:"Of its export, in the log."`
}

type bundleOutput struct{ Body func(huma.Context) }

// export answers with a case's bundle: exactly the bytes that are on record, or a
// connection that breaks off.
func (s *Bundles) export(a *API) func(context.Context, identity.Actor, *bundleInput) (*bundleOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *bundleInput) (*bundleOutput, error) {
		to := ""
		if in.Body != nil {
			to = in.Body.To
		}
		x := exchangeOf(ctx)
		if in.async() {
			out, err := a.startOperation(ctx, who, in.Prefer, bundleWork, in.ID, s.work(who, in.ID, to))
			if err != nil {
				return nil, err
			}
			return &bundleOutput{func(huma.Context) {
				x.header.Set("Location", out.Location)
				x.setJSON(out.Status, out.Body)
			}}, nil
		}
		slowly := x.stream()
		slowly.extend(makingTime)
		x.direct = nil
		making, done := context.WithTimeout(ctx, makingTime)
		defer done()
		b, err := s.Exporter.Export(making, who, in.ID, to)
		if err != nil {
			return nil, err
		}
		return &bundleOutput{func(huma.Context) {
			x.w.Header().Set("Gavel-Record", string(b.Record))
			x.failed = b.Write(ctx, x.sendFile(b.Name, "application/zip", b.Size, b.SHA256[:]))
		}}, nil
	}
}

// work makes a bundle into the file of an operation.
func (s *Bundles) work(who identity.Actor, id, to string) operation.Work {
	return func(ctx context.Context, pen *operation.Pen) (any, error) {
		making, done := context.WithTimeout(ctx, makingTime)
		defer done()
		b, err := s.Exporter.Export(making, who, id, to)
		if err != nil {
			return nil, err
		}
		pen.Progress(50)
		pen.File(b.Name, "application/zip")
		return BundleMadeBody{id, b.Size, b.SHA256.String(), string(b.Record)},
			b.Write(ctx, puts(func(piece []byte) error { return pen.Put(ctx, piece) }))
	}
}

// puts takes what is written.
type puts func([]byte) error

// Write hands it on.
func (p puts) Write(b []byte) (int, error) { return len(b), p(b) }
