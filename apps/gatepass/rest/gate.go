package rest

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/offline"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// alone are the addresses of gates that are sometimes without a network: what they are told beforehand, and what they tell afterwards.
func (s *Answers) alone(a *api.API) {
	at := route("stationGate", http.MethodPost, "/gate/stations", "Make the device you are on one whose signed events are believed",
		store.ActScan)
	at.Text = "From a paired device, by the guard on it. The same key again is the same station."
	at.Body = `{"public_key":"MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE","gate_id":""}`
	api.Serve(a, at, s.station)
	bundle := route("getGateBundle", http.MethodGet, "/gate/bundle", "Read what a gate goes by while it is alone", store.ActLook)
	bundle.Text = "With since it is what has changed; an answer with whole is everything, and replaces what you have."
	api.Serve(a, bundle, s.bundle)
	events := route("replayGateEvents", http.MethodPost, "/gate/events:batch", "Tell what a gate let through while it was alone",
		store.ActScan)
	events.Text = "Signed by the device, at most 500. Each counts once, whatever is sent again; what does not fit becomes a question for an " +
		"administrator."
	events.Body, events.MaxBody = `{"events":["GE1.e30.AA"]}`, maxBatch
	api.Serve(a, events, s.events)
	photo := route("addGateEventPhoto", http.MethodPost, "/gate/event-photos", "Send the photo of an event that was replayed",
		store.ActScan)
	photo.Text, photo.Parts, photo.MaxBody = "The same again changes nothing.", EventPhotoParts{}, maxScan
	api.Serve(a, photo, s.eventPhoto)
}

// maxBatch is what 500 events take, each with a long list of items.
const maxBatch = 8 << 20

type stationInput struct {
	Body struct {
		Key  string `json:"public_key" minLength:"43" maxLength:"80" doc:"Ed25519, in base64: 32 bytes, or as SPKI."`
		Gate string `json:"gate_id,omitempty" maxLength:"64" doc:"At which gate it stands; by its device's name where it is not said."`
	}
}

// A StationBody is where a device stands.
type StationBody struct {
	ID     string `json:"id" doc:"What its events call it."`
	Device string `json:"device"`
	Gate   string `json:"gate_id"`
	Site   string `json:"site_id"`
	Name   string `json:"site_name"`
}

type stationOutput struct{ Body StationBody }

// spki is what stands before the bytes of an Ed25519 key in a SubjectPublicKeyInfo.
const spki = "\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00"

func (s *Answers) station(ctx context.Context, who identity.Actor, in *stationInput) (*stationOutput, error) {
	key, err := readKey(in.Body.Key)
	if err != nil {
		return nil, err
	}
	at, err := s.desk.Station(ctx, who, key, in.Body.Gate)
	if err != nil {
		return nil, err
	}
	return &stationOutput{StationBody{ID: at.ID, Device: at.Called, Gate: at.Gate.Name, Site: at.Site.ID, Name: at.Site.Name}}, nil
}

// readKey reads a public key as a browser or a program writes it.
func readKey(text string) (ed25519.PublicKey, error) {
	for _, how := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
		raw, err := how.DecodeString(text)
		if err != nil {
			continue
		}
		if len(raw) == len(spki)+ed25519.PublicKeySize && string(raw[:len(spki)]) == spki {
			raw = raw[len(spki):]
		}
		if len(raw) == ed25519.PublicKeySize {
			return raw, nil
		}
	}
	return nil, fault.New(fault.Invalid, "public_key is no Ed25519 key in base64").On("public_key", "form", "")
}

type bundleInput struct {
	Since string `query:"since" maxLength:"20" doc:"The cursor of an earlier answer."`
	Site  string `query:"site_id" maxLength:"64" doc:"The first site where it is not said."`
}

// A BundleBody is what a gate goes by while it is alone. Moments are in milliseconds, as devices count.
type BundleBody struct {
	Org     string            `json:"org" doc:"The organisation's tag in codes."`
	Site    string            `json:"site_id"`
	Name    string            `json:"site_name"`
	Now     int64             `json:"now" doc:"The server's clock."`
	Whole   bool              `json:"whole" doc:"This is everything; without it, what has changed."`
	Next    string            `json:"cursor" doc:"To ask with next time, as since."`
	Keys    []KeyBody         `json:"keys"`
	Passes  []EntryBody       `json:"passes"`
	Gone    []string          `json:"gone" doc:"Passes that have no business at the gate any more."`
	Revoked map[string]int    `json:"revoked" doc:"By pass, the last version of its code that is dead."`
	Rules   BundleRules       `json:"rules"`
	Turn    TurnBody          `json:"turn" doc:"What you let through on your shift, of at most 16 hours."`
	Guard   map[string]string `json:"guard"`
}

// A KeyBody is a key by which codes are known.
type KeyBody struct {
	ID     string `json:"id"`
	Public string `json:"public_key"`
}

// BundleRules are what is forgiven to early people and to clocks.
type BundleRules struct {
	Grace int64 `json:"grace_ms"`
	Skew  int64 `json:"skew_ms"`
}

// A TurnBody is a shift in numbers, for its hand-over.
type TurnBody struct {
	Out      int `json:"out"`
	Back     int `json:"back"`
	StillOut int `json:"still_out"`
}

// An EntryBody is one pass on a gate's list: what the guard must see, and nothing more of the person.
type EntryBody struct {
	Pass       string      `json:"n"`
	Code       string      `json:"c"`
	Token      int         `json:"v"`
	Status     pass.Status `json:"s"`
	Returnable bool        `json:"r"`
	From       int64       `json:"nb"`
	Until      int64       `json:"ex"`
	DueBack    int64       `json:"due"`
	Since      int64       `json:"since"`
	Name       string      `json:"name"`
	Back       bool        `json:"back"`
	Items      []HeldBody  `json:"items"`
}

// A HeldBody is an item of a pass at a gate.
type HeldBody struct {
	ID     string  `json:"id"`
	Name   string  `json:"name"`
	Qty    float64 `json:"qty"`
	Unit   string  `json:"uom"`
	Serial string  `json:"serial"`
	Open   float64 `json:"open" doc:"How much is to come back."`
}

type bundleOutput struct{ Body BundleBody }

func (s *Answers) bundle(ctx context.Context, who identity.Actor, in *bundleInput) (*bundleOutput, error) {
	b, err := s.desk.Bundle(ctx, who, in.Site, in.Since)
	if err != nil {
		return nil, err
	}
	out := BundleBody{Org: b.Org, Site: b.Site.ID, Name: b.Site.Name, Now: b.Now.UnixMilli(), Whole: b.Whole, Next: b.Next,
		Keys: keysOf(b.Keys), Passes: make([]EntryBody, len(b.Put)), Gone: make([]string, len(b.Gone)), Revoked: map[string]int{},
		Rules: BundleRules{b.Rules.Grace.Milliseconds(), offline.Standard().Skew.Milliseconds()},
		Turn:  TurnBody{b.Turn.Out, b.Turn.Back, b.Turn.StillOut}, Guard: map[string]string{"id": who.ID, "name": who.Name}}
	for i, e := range b.Put {
		out.Passes[i] = entryOf(e)
	}
	for i, n := range b.Gone {
		out.Gone[i] = string(n)
	}
	for n, v := range b.Revoked {
		out.Revoked[string(n)] = v
	}
	return &bundleOutput{out}, nil
}

func keysOf(keys token.Keys) []KeyBody {
	out := []KeyBody{}
	for id, k := range keys {
		out = append(out, KeyBody{id, base64.StdEncoding.EncodeToString(k)})
	}
	return out
}

func entryOf(e offline.Entry) EntryBody {
	b := EntryBody{Pass: string(e.Pass), Code: string(e.Code), Token: e.Token, Status: e.Status, Returnable: e.Returnable,
		From: e.From.UnixMilli(), Until: e.Until.UnixMilli(), DueBack: e.DueBack.UnixMilli(), Since: afterAll(e.Since), Name: e.PersonName,
		Back: e.PersonBack, Items: []HeldBody{}}
	for _, it := range e.Items {
		b.Items = append(b.Items, HeldBody{ID: string(it.ID), Name: it.Name, Qty: float(it.Quantity), Unit: it.Unit, Serial: it.Serial,
			Open: float(it.Open())})
	}
	return b
}

// afterAll is the first whole millisecond that is not before a moment.
func afterAll(t time.Time) int64 {
	return t.Add(time.Millisecond - time.Nanosecond).UnixMilli()
}

func float(q interface{ String() string }) float64 {
	f, err := strconv.ParseFloat(q.String(), 64)
	if err != nil {
		return 0 // a quantity writes itself as a number
	}
	return f
}
