package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/paper"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/qrcode"
)

// handing are the addresses of codes, photos and paper.
func (s *Answers) handing(a *api.API) {
	readers := []string{store.ActRead, store.ActOversee, store.ActLook}
	qr := route("getGatePassQR", http.MethodGet, "/qr/{pass_number}", "Read the QR code of a gate pass", readers...)
	qr.Fresh = false
	qr.Answers = []api.Answer{{Status: http.StatusOK, Media: "image/png", Words: "As PNG."}, {Status: http.StatusOK, Media: "image/svg+xml",
		Words: "As SVG, if that is asked for."}}
	api.Serve(a, qr, s.qr)
	picture := route("getGatePassPhoto", http.MethodGet, "/media/photo/{photo_id}", "Read a photo", readers...)
	picture.Fresh = false
	picture.Text = "As it was drawn anew, without anything that the camera wrote beside its pixels; orig is the same as jpeg. A moment " +
		"after it was taken it is not there yet."
	picture.Answers = []api.Answer{{Status: http.StatusOK, Media: "image/jpeg", Words: "As JPEG."}}
	api.Serve(a, picture, s.picture)
	out := route("exportGatePassRegister", http.MethodGet, "/audit/export", "Take the register of gate passes out", store.ActExport)
	out.Slow = true
	out.Text = "What happened to passes, one line of JSON each, each with the digest of the line before it, at most 10,000. That it left " +
		"is on record."
	out.Answers = []api.Answer{{Status: http.StatusOK, Media: "application/x-ndjson", Words: "The lines."}}
	api.Serve(a, out, s.register)
}

type registerInput struct {
	From string `query:"from" doc:"At or after; a day ago if it is left out."`
	To   string `query:"to" doc:"Before; now if it is left out."`
	Prev string `query:"prev_sha256" maxLength:"64" doc:"The digest of the last line of the file before, for one that goes on from it."`
}

func (s *Answers) register(ctx context.Context, who identity.Actor, in *registerInput) (*bytesOutput, error) {
	from, err := moment("from", in.From)
	if err != nil {
		return nil, err
	}
	to, err := moment("to", in.To)
	if err != nil {
		return nil, err
	}
	if to.IsZero() {
		to = s.now()
	}
	if from.IsZero() {
		from = to.Add(-24 * time.Hour)
	}
	file, err := s.store.Register(ctx, who, from, to, in.Prev)
	return &bytesOutput{Type: "application/x-ndjson", Named: `attachment; filename="gate-passes.ndjson"`, Cache: "no-store", Body: file},
		err
}

// A bytesOutput is something that is no JSON.
type bytesOutput struct {
	Type   string `header:"Content-Type"`
	Named  string `header:"Content-Disposition"`
	Secure string `header:"Content-Security-Policy"`
	Cache  string `header:"Cache-Control"`
	Body   []byte
}

// nothingRuns is the policy of what is handed out as it is: it runs nothing and fetches nothing.
const nothingRuns = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

type qrInput struct {
	PassInput
	Accept string `header:"Accept"`
	Size   int    `query:"size" minimum:"128" maximum:"1024" default:"384" doc:"Of a PNG, in pixels."`
}

func (s *Answers) qr(ctx context.Context, who identity.Actor, in *qrInput) (*bytesOutput, error) {
	ref, err := found(in.Pass)
	if err != nil {
		return nil, err
	}
	k, err := s.store.Get(ctx, who.Org, ref)
	if err != nil {
		return nil, err
	}
	text, err := s.desk.Code(ctx, who.Org, k)
	if err != nil {
		return nil, err
	}
	if wants(in.Accept, "image/svg+xml") && !wants(in.Accept, "image/png") {
		svg, err := qrcode.SVG(text)
		return &bytesOutput{Type: "image/svg+xml", Secure: nothingRuns, Cache: "private", Body: []byte(svg)}, err
	}
	png, err := qrcode.PNG(text, in.Size)
	return &bytesOutput{Type: "image/png", Cache: "private", Body: png}, err
}

type pictureInput struct {
	ID      string `path:"photo_id" maxLength:"64"`
	Variant string `query:"variant" enum:"orig,thumb,jpeg" default:"jpeg"`
}

func (s *Answers) picture(ctx context.Context, who identity.Actor, in *pictureInput) (*bytesOutput, error) {
	file, err := s.desk.Picture(ctx, who, in.ID, in.Variant == "thumb")
	return &bytesOutput{Type: "image/jpeg", Cache: "private", Body: file}, err
}

// printing registers an address at which a pass is printed.
func (s *Answers) printing(a *api.API, id, path, act string) {
	rt := route(id, http.MethodGet, path, "Print a gate pass", act)
	rt.Slow = true // a browser takes its time
	rt.Text = "As PDF, or as HTML if that is asked for, or where this installation has no browser to print with."
	rt.Answers = []api.Answer{{Status: http.StatusOK, Media: "application/pdf", Words: "As PDF."},
		{Status: http.StatusOK, Media: "text/html",
			Words: "As HTML."}}
	api.Serve(a, rt, s.print)
}

type printInput struct {
	PassInput
	Accept string `header:"Accept"`
	Size   string `query:"size" maxLength:"10" doc:"A4, A6 or 80mm."`
}

func (s *Answers) print(ctx context.Context, who identity.Actor, in *printInput) (*bytesOutput, error) {
	size, err := paper.ParseSize(in.Size)
	if err != nil {
		return nil, err
	}
	k, err := s.there(ctx, who, in.Pass, found)
	if err != nil {
		return nil, err
	}
	page, err := s.desk.Sheet(ctx, who.Org, k, size)
	if err != nil {
		return nil, err
	}
	name := `inline; filename="` + string(k.Number)
	if wants(in.Accept, "text/html") || !s.printer.Available() {
		return &bytesOutput{Type: "text/html; charset=utf-8", Named: name + `.html"`, Secure: nothingRuns, Cache: "private", Body: page},
			nil
	}
	file, err := s.printer.Print(ctx, pdf.Page{HTML: page, Made: k.Since()})
	return &bytesOutput{Type: "application/pdf", Named: name + `.pdf"`, Cache: "private", Body: file}, err
}

// A PhotoBody is a photo of a pass.
type PhotoBody struct {
	ID         string       `json:"photo_id"`
	PassID     string       `json:"gatepass_id"`
	PassNumber string       `json:"pass_number"`
	Kind       string       `json:"type" enum:"exit,return"`
	URL        string       `json:"file_url"`
	Type       photo.Format `json:"content_type" doc:"Of the original, which is not handed out."`
	Bytes      int64        `json:"bytes"`
	SHA256     string       `json:"sha256" doc:"Of the original."`
	TakenAt    time.Time    `json:"captured_at"`
	TakenBy    string       `json:"captured_by"`
	Gate       *string      `json:"gate_id"`
	Device     *string      `json:"device_id"`
	Ready      bool         `json:"is_ready" doc:"It was drawn, and can be read."`
}

type photosOutput struct {
	Body struct {
		PassNumber string      `json:"pass_number"`
		Photos     []PhotoBody `json:"photos"`
		Total      int         `json:"total"`
	}
}

func photoAt(id string) string { return Base + "/media/photo/" + id }

func (s *Answers) photos(ctx context.Context, who identity.Actor, in *PassInput) (*photosOutput, error) {
	k, err := s.there(ctx, who, in.Pass, found)
	if err != nil {
		return nil, err
	}
	all, err := s.store.Photos(ctx, who.Org, k.ID)
	if err != nil {
		return nil, err
	}
	out := &photosOutput{}
	out.Body.PassNumber, out.Body.Photos, out.Body.Total = string(k.Number), make([]PhotoBody, 0, len(all)), len(all)
	for _, f := range all {
		out.Body.Photos = append(out.Body.Photos, PhotoBody{ID: f.ID, PassID: f.PassID, PassNumber: string(f.Number), Kind: f.Kind,
			URL: photoAt(f.ID), Type: f.Format,
			Bytes: f.Bytes, SHA256: f.SHA256, TakenAt: f.TakenAt.UTC(), TakenBy: f.TakenBy, Gate: word(f.Gate), Device: word(f.Device),
			Ready: f.JPEG != ""})
	}
	return out, nil
}
