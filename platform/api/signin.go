package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
)

// SignIn puts into the document what package signin answers under /v1: who is
// asking, the tokens of programs, devices at gates and the shifts on them. It
// answers nothing itself.
type SignIn struct{}

// Operations describes what is answered elsewhere.
func (s *SignIn) Operations(a *API) {
	const tag, open = "Signing in", "For everybody: a terminal or device is nobody until somebody confirms it."
	describe[struct{}, meOutput](a, Route{ID: "getMe", Method: http.MethodGet, Path: "/v1/me", Tag: tag, Title: "See who you are"})
	describe[struct{}, Empty](a, Route{ID: "signOut", Method: http.MethodPost, Path: "/v1/sign-out", Tag: tag, Title: "End your session"})
	describe[terminalInput, toolsOutput](a, Route{ID: "beginTools", Method: http.MethodPost, Path: "/v1/sessions/tools",
		Acts: []string{"mcp.use"}, Tag: tag, Title: "Begin a session for a program that uses tools",
		Text:   "It has your roles, reads and proposes, and decides nothing. It ends with your own session.",
		Status: http.StatusCreated, Body: `{"name":"editor"}`})
	describe[terminalInput, terminalOutput](a, Route{ID: "requestTerminal", Method: http.MethodPost, Path: "/v1/terminals", Tag: tag,
		Title: "Ask for a session in a terminal",
		Text:  open + " A person confirms the code on the page.", Status: http.StatusCreated, Body: `{"name":"Asha's laptop"}`})
	describe[secretInput, tokenOutput](a, Route{ID: "claimTerminal", Method: http.MethodPost, Path: "/v1/terminals/claim", Tag: tag,
		Title: "Fetch the session that was asked for",
		Text:  open + " The token is empty while nobody has confirmed it.", Body: `{"secret":"…"}`})
	describe[pairInput, pairOutput](a, Route{ID: "pairDevice", Method: http.MethodPost, Path: "/v1/devices/pair", Tag: tag,
		Title: "Make this device known, with a code",
		Text:  open, Status: http.StatusCreated, Body: `{"code":"…"}`})
	describe[enterInput, enterOutput](a, Route{ID: "enterShift", Method: http.MethodPost, Path: "/v1/devices/enter", Tag: tag,
		Title: "Begin a shift on a device, with its PIN",
		Text:  "With the device's token.", Status: http.StatusCreated, Body: `{"shift":"shift_…","pin":"…"}`})
	s.administration(a)
}

func (s *SignIn) administration(a *API) {
	const tag = "People, tokens and devices"
	person, tokens, devices, shifts := []string{"person.read"}, []string{"token.issue"}, []string{"device.pair"}, []string{"shift.open"}
	describe[struct{}, allOutput[PersonBody]](a, Route{ID: "listPeople", Method: http.MethodGet, Path: "/v1/people", Acts: person, Tag: tag,
		Title: "List who has which role"})
	describe[Named, Empty](a, Route{ID: "signOutPerson", Method: http.MethodPost, Path: "/v1/people/{id}/sign-out",
		Acts: []string{"person.change"}, Tag: tag, Title: "End all sessions of a person"})
	describe[struct{}, allOutput[TokenBody]](a, Route{ID: "listTokens", Method: http.MethodGet, Path: "/v1/tokens",
		Acts: []string{"token.read"}, Tag: tag, Title: "List the tokens of programs"})
	describe[newTokenInput, newTokenOutput](a, Route{ID: "issueToken", Method: http.MethodPost, Path: "/v1/tokens", Acts: tokens, Tag: tag,
		Title: "Issue a token to a program",
		Text:  "It is shown once.", Status: http.StatusCreated,
		Body: `{"name":"night import","scopes":["read:cases"],"days":90,"reason":"The data warehouse."}`})
	describe[Named, Empty](a, Route{ID: "revokeToken", Method: http.MethodPost, Path: "/v1/tokens/{id}/revoke", Acts: tokens, Tag: tag,
		Title: "Revoke a token"})
	describe[struct{}, allOutput[DeviceBody]](a, Route{ID: "listDevices", Method: http.MethodGet, Path: "/v1/devices", Acts: devices,
		Tag: tag, Title: "List paired devices"})
	describe[pairingInput, pairingOutput](a, Route{ID: "offerPairing", Method: http.MethodPost, Path: "/v1/devices/pairings", Acts: devices,
		Tag: tag, Title: "Make a code that pairs a device",
		Status: http.StatusCreated, Body: `{"name":"North gate"}`})
	describe[Named, Empty](a, Route{ID: "revokeDevice", Method: http.MethodPost, Path: "/v1/devices/{id}/revoke", Acts: devices, Tag: tag,
		Title: "Forget a device"})
	describe[struct{}, allOutput[ShiftBody]](a, Route{ID: "listShifts", Method: http.MethodGet, Path: "/v1/shifts", Acts: shifts, Tag: tag,
		Title: "List open shifts"})
	describe[shiftInput, shiftOutput](a, Route{ID: "openShift", Method: http.MethodPost, Path: "/v1/shifts", Acts: shifts, Tag: tag,
		Title: "Open a shift for a guard",
		Text:  "Its PIN is shown once.", Status: http.StatusCreated, Body: `{"person":"p-31","name":"Night","hours":8}`})
	describe[Named, Empty](a, Route{ID: "endShift", Method: http.MethodPost, Path: "/v1/shifts/{id}/end", Acts: shifts, Tag: tag,
		Title: "End a shift"})
}

// describe puts an operation into the document that somebody else answers.
func describe[I, O any](a *API, rt Route) {
	rt.Untried, rt.elsewhere, rt.shown = "it is answered by itself", true, []string{}
	Serve(a, rt, func(context.Context, identity.Actor, *I) (*O, error) { panic("api: answered elsewhere") })
}

// A MeBody is who is asking, as the server sees them.
type MeBody struct {
	Kind    identity.Kind   `json:"kind"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Org     identity.Org    `json:"org"`
	Roles   []identity.Role `json:"roles"`
	Scopes  []string        `json:"scopes"`
	Viewing identity.Role   `json:"viewing,omitempty"`
	Session string          `json:"session,omitempty"`
	Sort    string          `json:"session_kind,omitempty"`
	Device  string          `json:"device,omitempty"`
	EndsAt  *time.Time      `json:"ends_at,omitempty"`
}

type meOutput struct{ Body MeBody }

type terminalInput struct{ Body NameBody }

// A NameBody is what something is called.
type NameBody struct {
	Name string `json:"name"`
}

// A TerminalBody is a terminal that waits for somebody.
type TerminalBody struct {
	Code      string    `json:"code" doc:"For the person to confirm."`
	Secret    string    `json:"secret" doc:"For the terminal to claim its session with."`
	Page      string    `json:"page"`
	ExpiresAt time.Time `json:"expires_at"`
}

type terminalOutput struct{ Body TerminalBody }

type secretInput struct{ Body SecretBody }

// A SecretBody is what a terminal was given.
type SecretBody struct {
	Secret string `json:"secret"`
}

type tokenOutput struct{ Body SessionTokenBody }

type enterOutput struct{ Body SessionTokenBody }

// A SessionTokenBody is a session's token.
type SessionTokenBody struct {
	Token string `json:"token"`
}

type toolsOutput struct{ Body ToolsBody }

// A ToolsBody is a session for a program that uses tools.
type ToolsBody struct {
	Token  string    `json:"token" doc:"Shown once."`
	EndsAt time.Time `json:"ends_at"`
}

type pairInput struct{ Body CodeBody }

// A CodeBody is a code that somebody typed.
type CodeBody struct {
	Code string `json:"code"`
}

// A PairedBody is a device with its token, which is shown once.
type PairedBody struct {
	DeviceBody
	Token string `json:"token"`
}

type pairOutput struct{ Body PairedBody }

type enterInput struct{ Body EnterBody }

// An EnterBody is a guard's shift and its PIN.
type EnterBody struct {
	Shift string `json:"shift"`
	PIN   string `json:"pin"`
}

// AllBody is every row of a short list.
type AllBody[T any] struct {
	Items []T `json:"items"`
}

type allOutput[T any] struct{ Body AllBody[T] }

// A PersonBody is somebody with their roles.
type PersonBody struct {
	ID         string          `json:"id"`
	Name       string          `json:"name"`
	Email      string          `json:"email"`
	Roles      []identity.Role `json:"roles"`
	Local      bool            `json:"local"`
	LastSeenAt time.Time       `json:"last_seen_at"`
}

// A TokenBody is a program's token.
type TokenBody struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Scopes    []string   `json:"scopes"`
	Reason    string     `json:"reason"`
	IssuedBy  string     `json:"issued_by"`
	IssuedAt  time.Time  `json:"issued_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	UsedAt    *time.Time `json:"used_at"`
	RevokedAt *time.Time `json:"revoked_at"`
	Token     string     `json:"token,omitempty" doc:"Once, when it is issued."`
}

type newTokenInput struct{ Body NewTokenBody }

// A NewTokenBody asks for a token.
type NewTokenBody struct {
	Name   string   `json:"name"`
	Scopes []string `json:"scopes"`
	Days   int      `json:"days,omitempty"`
	Reason string   `json:"reason"`
}

type newTokenOutput struct{ Body TokenBody }

// A DeviceBody is a device that was paired.
type DeviceBody struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	PairedBy  string     `json:"paired_by"`
	PairedAt  time.Time  `json:"paired_at"`
	SeenAt    time.Time  `json:"seen_at"`
	RevokedAt *time.Time `json:"revoked_at"`
}

type pairingInput struct{ Body NameBody }

// A PairingBody is a code that pairs a device.
type PairingBody struct {
	Name      string    `json:"name"`
	Code      string    `json:"code"`
	ExpiresAt time.Time `json:"expires_at"`
}

type pairingOutput struct{ Body PairingBody }

// A ShiftBody is a guard's time at a gate.
type ShiftBody struct {
	ID       string    `json:"id"`
	Person   string    `json:"person"`
	Name     string    `json:"name"`
	OpenedAt time.Time `json:"opened_at"`
	EndsAt   time.Time `json:"ends_at"`
	Locked   bool      `json:"locked"`
	PIN      string    `json:"pin,omitempty" doc:"Once, when it is opened."`
}

type shiftInput struct{ Body NewShiftBody }

// A NewShiftBody asks for a shift.
type NewShiftBody struct {
	Person string `json:"person"`
	Name   string `json:"name,omitempty"`
	Hours  int    `json:"hours,omitempty"`
}

type shiftOutput struct{ Body ShiftBody }
