package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// maxScan is the most that a scan may have, in bytes: the largest photo an organisation may take, and what stands around it.
const maxScan = 16<<20 + 64<<10

// guarding are the addresses of gates.
func (s *Answers) guarding(a *api.API) {
	for _, one := range []struct {
		id, path, title string
		event           pass.Event
	}{
		{"scanExit", "/gate/scan-exit", "Let somebody out", pass.ScanExit},
		{"scanReturn", "/gate/scan-return", "Let somebody in again", pass.ScanReturn},
		{"scanEither", "/gate/scan", "Let somebody out, or in who is out", ""},
	} {
		rt := route(one.id, http.MethodPost, one.path, one.title, store.ActScan)
		rt.Text = "With a photo of them, JPEG, PNG or HEIC, of at most 5 MiB unless the organisation says otherwise. The same event_id " +
			"again " +
			"changes nothing."
		rt.Parts, rt.MaxBody = ScanParts{}, maxScan
		api.Serve(a, rt, s.scan(one.event))
	}
	api.Serve(a, route("getGatePassByNumberAtGate", http.MethodGet, "/gate/gatepass/number/{pass_number}",
		"Look at a gate pass by its number",
		store.ActLook),
		s.view(store.ParseRef))
	api.Serve(a, route("getGatePassByIDAtGate", http.MethodGet, "/gate/gatepass/id/{pass_number}", "Look at a gate pass by its id",
		store.ActLook), s.view(found))
	api.Serve(a, route("listGatePassPhotos", http.MethodGet, "/gate/photos/{pass_number}", "List the photos of a gate pass", store.ActLook,
		store.ActRead, store.ActOversee),
		s.photos)
}

// ScanParts are the parts of a scan.
type ScanParts struct {
	PassNumber string `json:"pass_number" doc:"The number, or what the QR says, or the short code."`
	Photo      string `json:"photo,omitempty" format:"binary" doc:"The photo; or under the name file, and exactly one of both."`
	File       string `json:"file,omitempty" format:"binary"`
	GateID     string `json:"gate_id,omitempty"`
	DeviceID   string `json:"device_id,omitempty"`
	CapturedAt string `json:"captured_at,omitempty" format:"date-time"`
	EventID    string `json:"event_id,omitempty" doc:"The device's own name for the event, 1 to 80 characters."`
	Override   string `json:"override_reason,omitempty" doc:"Why there is no photo, from a supervisor."`
	Items      string `json:"items,omitempty" doc:"What came back, as JSON: [{\"item_id\":\"1\",\"qty\":1,\"condition\":\"good\"}]."`
}

type scanInput struct {
	Type    string `header:"Content-Type" required:"true"`
	IfMatch string `header:"If-Match" maxLength:"40"`
	RawBody []byte `contentType:"multipart/form-data"`
}

var errNotMultipart = errors.New("the body is not in parts")

func (s *Answers) scan(e pass.Event) func(context.Context, identity.Actor, *scanInput) (*passOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *scanInput) (*passOutput, error) {
		v, err := seen(in.IfMatch)
		if err != nil {
			return nil, err
		}
		sc, err := in.read()
		if err != nil {
			return nil, err
		}
		if sc.Event, sc.Version = e, v; e == "" {
			if sc.Event, err = s.direction(ctx, who, sc.Scanned); err != nil {
				return nil, err
			}
		}
		k, err := s.desk.Scan(ctx, who, sc)
		if err != nil {
			return nil, err
		}
		return s.answer(k, ""), nil
	}
}

// direction is which scan a pass is up for.
func (s *Answers) direction(ctx context.Context, who identity.Actor, scanned string) (pass.Event, error) {
	ref, err := s.desk.Scanned(ctx, who.Org, scanned)
	if err != nil {
		return "", err
	}
	k, err := s.store.Get(ctx, who.Org, ref)
	return pass.Direction(k.Pass), err
}

// read takes a scan apart.
func (in *scanInput) read() (sc casework.Scanning, err error) {
	_, params, err := mime.ParseMediaType(in.Type)
	if err != nil || params["boundary"] == "" {
		return sc, fault.From(fault.Invalid, errNotMultipart, "the body must be in parts")
	}
	parts := multipart.NewReader(bytes.NewReader(in.RawBody), params["boundary"])
	texts, files := map[string]string{}, 0
	for {
		p, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return sc, fault.From(fault.Invalid, errNotMultipart, "the body's parts cannot be read")
		}
		if err := takePart(&sc, p, texts, &files); err != nil {
			return sc, err
		}
	}
	return sc, fill(&sc, texts)
}

// maxText is the most that a part which is no file may have, in bytes.
const maxText = 64 << 10

func takePart(sc *casework.Scanning, p *multipart.Part, texts map[string]string, files *int) error {
	name := p.FormName()
	if name == "photo" || name == "file" {
		if *files++; *files > 1 {
			return fault.New(fault.Invalid, "there is more than one photo").On("photo", string(pass.Validation), "")
		}
		if p.FileName() == "" {
			return fault.New(fault.Invalid, "the photo must be a file: where it lies on somebody's machine is nothing to us").On("photo",
				photo.Unsupported, "")
		}
		file, err := io.ReadAll(p)
		if err != nil {
			return fault.From(fault.Invalid, errNotMultipart, "the photo is cut off")
		}
		if sc.Photo = file; file == nil {
			sc.Photo = []byte{}
		}
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(p, maxText+1))
	if err != nil || len(text) > maxText {
		return fault.New(fault.Invalid, "%.40s is too long, or cut off", name).On(name, "too_long", "")
	}
	texts[name] = string(text)
	return nil
}

func fill(sc *casework.Scanning, texts map[string]string) (err error) {
	sc.Scanned = texts["pass_number"]
	if sc.Scanned == "" {
		sc.Scanned = texts["number"]
	}
	if sc.Scanned == "" {
		return fault.New(fault.Invalid, "say which pass").On("pass_number", "required", "")
	}
	sc.Gate, sc.Device, sc.Key, sc.Override = texts["gate_id"], texts["device_id"], texts["event_id"], texts["override_reason"]
	for field, most := range map[string]int{"gate_id": 64, "device_id": 64, "event_id": 80, "override_reason": 500} {
		if len([]rune(texts[field])) > most {
			return fault.New(fault.Invalid, "%s has over %d characters", field, most).On(field, "too_long", "")
		}
	}
	if sc.Captured, err = moment("captured_at", texts["captured_at"]); err != nil || texts["items"] == "" {
		return err
	}
	var back []struct {
		Item      string  `json:"item_id"`
		Qty       float64 `json:"qty"`
		Condition string  `json:"condition"`
	}
	if err := json.Unmarshal([]byte(texts["items"]), &back); err != nil || len(back) > item.Most {
		return fault.New(fault.Invalid, "items: a JSON list of the items returned").On("items", "form", "")
	}
	for _, b := range back {
		qty, err := item.ParseQuantity(strconv.FormatFloat(b.Qty, 'f', -1, 64))
		if err != nil {
			return fault.From(fault.Invalid, err, "items: a quantity is above zero").On("items", "quantity", b.Item)
		}
		if b.Condition == "" {
			b.Condition = string(item.AsItWas)
		}
		sc.Items = append(sc.Items, item.Back{Item: item.ID(b.Item), Quantity: qty, Condition: item.Condition(b.Condition)})
	}
	return nil
}

type viewOutput struct {
	ETag string `header:"ETag"`
	Body GateBody
}

func (s *Answers) view(read func(string) (store.Ref, error)) func(context.Context, identity.Actor, *PassInput) (*viewOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *PassInput) (*viewOutput, error) {
		ref, err := read(in.Pass)
		if err != nil {
			return nil, err
		}
		v, err := s.desk.View(ctx, who, ref)
		if err != nil {
			return nil, err
		}
		return &viewOutput{api.VersionTag(int64(v.Version)), gateOf(v, in.Vocab)}, nil
	}
}
