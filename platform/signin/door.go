package signin

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Config says which doors are open. The zero Config opens none, as production
// must be until an office sign-in is set up.
type Config struct {
	Development bool            // demo and test modes only
	DevKey      []byte          // signs development tokens; refused unless Development
	Orgs        []identity.Org  // offered on the development page
	Busy        []identity.Role // those offered first there, the others folded; none: all alike
	PublicURL   string          // the address people use; https makes cookies Secure
	Store       *Store          // people, sessions, tokens, devices; nil: development tokens only
	Errands     durable.Keys    // seal the tokens of agents that act for somebody; the zero value lets none in
	Office      Office          // the zero Office: the sign-in page says how to set one up
}

// A Door lets people in and says who they are.
type Door struct {
	cfg    Config
	office *office

	strange   *shares // of strangers who try codes
	typed     *shares // of people who are signed in and try codes, whom no stranger can hold up
	terminals *shares // of strangers who begin terminals

	devTerminals devTerminals
}

// New makes a door. A development key outside development is refused: leaving
// one in the settings of a real installation would let its holder be anybody.
func New(cfg Config) (*Door, error) {
	d := &Door{cfg: cfg, strange: newShares(codesPerSecond, codesAtOnce, codesInAll), typed: newShares(codesPerSecond, codesAtOnce,
		codesInAll),
		terminals: newShares(terminalsPerSecond, terminalsAtOnce, terminalsInAll)}
	if cfg.Office.Issuer != "" {
		d.office = newOffice(cfg.Office, cfg.PublicURL)
	}
	if !cfg.Development {
		if len(cfg.DevKey) > 0 {
			return nil, fault.New(fault.Refused, "development tokens are refused in production").
				WithNext("remove GAVEL_DEV_TOKEN_KEY from the settings")
		}
		return d, nil
	}
	if len(cfg.DevKey) > 0 {
		if err := checkDevKey(cfg.DevKey); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Path is the page to sign in at, empty when there is none.
func (d *Door) Path() string {
	switch {
	case d.office.setUp() && d.cfg.Store != nil:
		return SignInPath
	case d.dev():
		return DevPath
	case d.cfg.Store != nil:
		return SignInPath // it says how to set one up
	}
	return ""
}

// dev reports whether development tokens count.
func (d *Door) dev() bool { return d.cfg.Development && len(d.cfg.DevKey) > 0 }

// secure reports whether people reach us over https.
func (d *Door) secure() bool { return strings.HasPrefix(d.cfg.PublicURL, "https://") }

// Middleware puts who is asking into the request's context. It answers nothing
// itself: a page or an API call that needs somebody asks Require.
func (d *Door) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), visitorKey{}, d.look(r))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// look reads the credential of a request. A bad bearer token is an error of the
// program that sent it; a bad cookie is an old one, and the visitor nobody.
func (d *Door) look(r *http.Request) visitor {
	if header := r.Header.Get("Authorization"); header != "" {
		if _, password, ok := r.BasicAuth(); ok {
			return d.password(r.Context(), password)
		}
		if sealed, ok := errandIn(header); ok {
			return d.onErrand(r, sealed)
		}
		return d.bearer(r.Context(), header)
	}
	v := visitor{}
	if c, ok := d.credentialIn(r, sessionCookie); ok {
		v = d.bySession(r.Context(), c)
	}
	if v.actor.Known() {
		return v
	}
	if c, ok := d.credentialIn(r, deviceCookie); ok {
		found := d.byDevice(r.Context(), c)
		v.device, v.problem = found.device, errors.Join(v.problem, found.problem)
	}
	if fault.Is(v.problem, fault.SignIn) {
		v.problem = nil
	}
	cookie, err := r.Cookie(devCookie)
	if err != nil || !d.dev() {
		return v
	}
	if actor, err := readDevToken(d.cfg.DevKey, cookie.Value); err == nil {
		actor.Way = identity.ByBrowser
		v.actor, v.problem = actor, nil
	}
	return v
}

// otherWay is said to who signs in as nobody does here.
var otherWay = fault.New(fault.SignIn, "this way of signing in is not accepted here")

// password reads a machine's token that came as the password of Basic, from a
// program that can be told an address and no header: an address with a password in it
// becomes that header. Nobody else comes in by it: a browser would go on sending what a
// person typed once.
func (d *Door) password(ctx context.Context, password string) visitor {
	rest, ok := strings.CutPrefix(password, machinePrefix)
	if !ok || d.cfg.Store == nil {
		return visitor{problem: otherWay}
	}
	return d.byMachine(ctx, rest)
}

// bearer reads what a program sent.
func (d *Door) bearer(ctx context.Context, header string) visitor {
	token, ok := strings.CutPrefix(header, "Bearer ")
	if !ok {
		return visitor{problem: otherWay}
	}
	token = strings.TrimSpace(token)
	if d.cfg.Store != nil {
		if rest, ok := strings.CutPrefix(token, machinePrefix); ok {
			return d.byMachine(ctx, rest)
		}
		if rest, ok := strings.CutPrefix(token, sessionPrefix); ok {
			c, ok := parseCredential(rest)
			if !ok {
				return visitor{problem: badToken}
			}
			return d.bySession(ctx, c)
		}
		if rest, ok := strings.CutPrefix(token, devicePrefix); ok {
			c, ok := parseCredential(rest)
			if !ok {
				return visitor{problem: badToken}
			}
			return d.byDevice(ctx, c)
		}
	}
	if !d.dev() {
		return visitor{problem: badToken}
	}
	actor, err := readDevToken(d.cfg.DevKey, token)
	actor.Way = identity.ByTerminal
	return visitor{actor: actor, problem: err}
}

func (d *Door) bySession(ctx context.Context, c credential) visitor {
	found, err := d.cfg.Store.find(ctx, c)
	if err != nil {
		return visitor{problem: err}
	}
	return visitor{actor: found.Actor, session: found, still: func(ctx context.Context) error { return d.cfg.Store.still(ctx, found) }}
}

func (d *Door) byMachine(ctx context.Context, text string) visitor {
	c, ok := parseMachine(text)
	if !ok {
		return visitor{problem: badToken}
	}
	actor, err := d.cfg.Store.machine(ctx, c)
	return visitor{actor: actor, problem: err, still: func(ctx context.Context) error {
		_, err := d.cfg.Store.machine(ctx, c)
		return err
	}}
}

// byDevice is nobody, on a device we know.
func (d *Door) byDevice(ctx context.Context, c credential) visitor {
	found, err := d.cfg.Store.device(ctx, c)
	return visitor{device: found, problem: err}
}
