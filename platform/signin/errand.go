package signin

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
)

// errandPrefix begins the token of an errand.
const errandPrefix = "gve_"

// ErrandLife is how long an errand may take, on the wall's clock: one request, tried again a few times.
const ErrandLife = 2 * time.Minute

// maxErrand is the most characters that its token has.
const maxErrand = 4000

// errandPurpose is what it is sealed as.
const errandPurpose = "errand"

// An Errand is one request that an agent sends for somebody. Its token is good for that request and no other: it has the roles
// that the agent was given and none besides, ends in minutes, and nothing that decides follows from it unless the person confirmed it.
type Errand struct {
	For          identity.Actor // the person, in the roles of the conversation
	Method, Path string         // of the one request; what is asked of the path belongs to it
	Run          string         // the agent's, for records
	Leave        string         // the proposal that the person confirmed; empty where they were not asked
}

// errand is what a token holds.
type errand struct {
	Org    identity.Org    `json:"org"`
	ID     string          `json:"id"`
	Name   string          `json:"name"`
	Roles  []identity.Role `json:"roles"`
	Method string          `json:"method"`
	Path   string          `json:"path"`
	Run    string          `json:"run"`
	Leave  string          `json:"leave,omitempty"`
	Until  time.Time       `json:"until"`
}

// Mint makes the token of an errand. It is sealed under the installation's own keys, and nobody else can make one.
func (e Errand) Mint(keys durable.Keys) (string, error) {
	text, err := json.Marshal(errand{Org: e.For.Org, ID: e.For.ID, Name: e.For.Name, Roles: e.For.Roles, Method: e.Method, Path: e.Path,
		Run: e.Run, Leave: e.Leave, Until: durable.Clock{}.Now().Add(ErrandLife)})
	if err != nil {
		return "", err
	}
	sealed, err := keys.SealText(errandPurpose, string(text))
	return errandPrefix + sealed, err
}

// onErrand is the person for whom an agent asks, where the token is one for this very request.
func (d *Door) onErrand(r *http.Request, sealed string) visitor {
	var e errand
	if len(sealed) > maxErrand {
		return visitor{problem: badToken}
	}
	text, err := d.cfg.Errands.OpenText(errandPurpose, sealed)
	if err != nil || json.Unmarshal([]byte(text), &e) != nil {
		return visitor{problem: badToken}
	}
	if e.Method != r.Method || e.Path != r.URL.RequestURI() || !(durable.Clock{}).Now().Before(e.Until) {
		return visitor{problem: badToken}
	}
	who := identity.Actor{Kind: identity.Person, ID: e.ID, Name: e.Name, Org: e.Org, Roles: e.Roles, Session: e.Run, Way: identity.ByAgent}
	if e.Leave != "" {
		who.Scopes = []string{identity.LeaveScope + e.Leave}
	}
	if who, err = d.stillHas(r.Context(), who); err != nil {
		return visitor{problem: err}
	}
	return visitor{actor: who}
}

// stillHas is somebody with those of their roles that they have to this day. Without people on record there is nobody to ask.
func (d *Door) stillHas(ctx context.Context, who identity.Actor) (identity.Actor, error) {
	if d.cfg.Store == nil {
		return who, nil
	}
	var now identity.Actor
	err := d.cfg.Store.db.InOrg(ctx, who.Org, func(tx pgx.Tx) (err error) {
		now, err = Finder(d.cfg.Development)(ctx, tx, who.Org, who.ID)
		return err
	})
	if err != nil {
		return who, badToken
	}
	who.Name = now.Name
	who.Roles = slices.DeleteFunc(who.Roles, func(r identity.Role) bool { return !now.Has(r) })
	return who, nil
}

// errandIn is the token of an errand in a header.
func errandIn(header string) (sealed string, ok bool) {
	token, bearer := strings.CutPrefix(header, "Bearer ")
	sealed, is := strings.CutPrefix(strings.TrimSpace(token), errandPrefix)
	return sealed, bearer && is
}
