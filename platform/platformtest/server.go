package platformtest

import (
	"context"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// devKey signs who is who; it is worth nothing.
var devKey = []byte("0123456789abcdef0123456789abcdef")

// Serves is what a server of a test serves.
type Serves struct {
	Routes func(*web.Mux) // pages, under the application's name
	API    []api.Part
	Home   string                    // the page people come to
	Public string                    // where the server says it is; empty: nowhere
	Now    func() time.Time          // nil: the real time
	Log    *slog.Logger              // nil: the test's output
	As     map[string]identity.Actor // who programs are, by what they say in the header As, in place of tokens
}

// A Server is pages and addresses on a real server, with development's sign-in and live
// notices.
type Server struct {
	*httptest.Server
	Site *web.Site
}

// Serve starts a server, which ends with the test.
func (i *Installation) Serve(t testing.TB, c Serves) *Server {
	t.Helper()
	door, err := signin.New(signin.Config{Development: true, DevKey: devKey, Orgs: []identity.Org{postgrestest.North, postgrestest.South},
		Errands: i.Deps.Keys})
	if err != nil {
		t.Fatal(err)
	}
	messages := []fs.FS{console.Messages(), signin.Messages(), api.Messages()}
	if i.App.Messages != nil {
		messages = append(messages, i.App.Messages)
	}
	var assets []fs.FS
	if i.App.Assets != nil {
		assets = append(assets, i.App.Assets)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	site, err := web.New(web.Config{Log: c.Log, Actor: signin.From, Require: signin.Require,
		May: i.Deps.Rules.May, Messages: messages, Assets: assets, Nav: i.App.Nav, Home: c.Home, SignIn: door.Path(), Demo: true,
		Now: c.Now, PublicURL: c.Public})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	hub := web.NewHub(site)
	hub.Routes(mux)
	door.Routes(mux)
	if c.Routes != nil {
		c.Routes(mux.Under(i.App.Name))
	}
	if len(c.API) > 0 {
		api.New(mux, api.Config{PublicURL: c.Public, Keys: idempotency.NewStore(i.DB.App), May: i.Deps.Rules.May}).Routes(c.API...)
	}
	s := &Server{Server: httptest.NewServer(site.Handler(mux, door.Middleware, named(c.As))), Site: site}
	t.Cleanup(s.Close)
	i.listen(t, hub)
	return s
}

// named has a request be somebody's by its header As.
func named(as map[string]identity.Actor) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if who, known := as[r.Header.Get("As")]; known {
				r = r.WithContext(signin.As(r.Context(), who))
			}
			next.ServeHTTP(w, r)
		})
	}
}

// listen hears notices until the test is over.
func (i *Installation) listen(t testing.TB, hub *web.Hub) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- hub.Listen(ctx, func(ctx context.Context) (*pgx.Conn, error) { return pgx.Connect(ctx, i.DB.AppURL) })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("listening ended with %v", err)
		}
	})
}

// Token signs somebody of an organisation in, in development.
func Token(t testing.TB, org identity.Org, role identity.Role) string {
	t.Helper()
	token, err := signin.DevToken(devKey, org, role)
	if err != nil {
		t.Fatal(err)
	}
	return token
}
