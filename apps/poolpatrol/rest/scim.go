package rest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/scim"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// scimAt is where provisioning systems turn to.
const scimAt = "/poolpatrol/scim/v2"

// provisioning is what a staff system that speaks SCIM 2.0 is answered. It writes as
// an import of one row does: the same checks, the same record, the same word to open
// cases.
type provisioning struct {
	store  *store.Store
	public string // where this server is
	site   *web.Site
}

// Provision registers what staff systems are answered, by a server at a public
// address.
func Provision(m *web.Mux, s *store.Store, public string) {
	(&provisioning{store: s, public: public, site: m.Site()}).routes(m)
}

func (g *provisioning) routes(m *web.Mux) {
	read := []web.Rule{web.Needs(programme.ActStaff), web.FailsAs(g.fail)}
	change := []web.Rule{web.Needs(programme.ActChange), web.FailsAs(g.fail), web.MaxBody(scim.MaxBody)}
	m.Handle("GET "+scimAt+"/ServiceProviderConfig", g.provider, read...)
	m.Handle("GET "+scimAt+"/ResourceTypes", g.documents(scim.ResourceTypes), read...)
	m.Handle("GET "+scimAt+"/ResourceTypes/{name}", g.document(scim.ResourceTypes), read...)
	m.Handle("GET "+scimAt+"/Schemas", g.documents(scim.Schemas), read...)
	m.Handle("GET "+scimAt+"/Schemas/{name}", g.document(scim.Schemas), read...)
	m.Handle("GET "+scimAt+"/Users", g.list, read...)
	m.Handle("GET "+scimAt+"/Users/{id}", g.get, read...)
	m.Handle("POST "+scimAt+"/Users", g.create, change...)
	m.Handle("PUT "+scimAt+"/Users/{id}", g.change(scim.ReadUser), change...)
	m.Handle("PATCH "+scimAt+"/Users/{id}", g.change(scim.ReadPatch), change...)
	m.Handle("DELETE "+scimAt+"/Users/{id}", g.delete, change...)
	m.Handle(scimAt+"/", g.nothing, read...)
}

// nothing answers wherever nothing is, also a method that an address does not take.
func (g *provisioning) nothing(http.ResponseWriter, *http.Request) error {
	return fault.New(fault.NotFound, "nothing is provisioned at this address").
		WithNext("see ServiceProviderConfig and ResourceTypes for what there is")
}

// base is where resources say they are.
func (g *provisioning) base() string { return g.public + scimAt }

// tell answers with a resource.
func (g *provisioning) tell(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", scim.ContentType)
	h.Set("Cache-Control", "no-store") // it says where people live
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the client may have gone; there is nobody to tell
	return nil
}

// user answers with somebody, and their version.
func (g *provisioning) user(w http.ResponseWriter, r *http.Request, status int, u scim.User) error {
	u = g.located(u)
	w.Header().Set("ETag", u.Meta.Version)
	if r.Method == http.MethodGet && r.Header.Get("If-None-Match") != "" && scim.Matches(r.Header.Get("If-None-Match"), u.Meta.Version) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if status == http.StatusCreated {
		w.Header().Set("Location", u.Meta.Location)
	}
	return g.tell(w, status, u)
}

// located is somebody with where they are to be found.
func (g *provisioning) located(u scim.User) scim.User {
	m := *u.Meta
	m.ResourceType, m.Location, m.Version = "User", g.base()+"/Users/"+u.ID, u.Version()
	u.Meta = &m
	return u
}

// fail tells an error in the protocol's shape. Of one inside it tells nothing.
func (g *provisioning) fail(w http.ResponseWriter, r *http.Request, err error) {
	kind := fault.KindOf(err)
	status, detail := web.Status(kind), g.site.Problem(r, err).Detail
	var word scim.Kind
	if kind == fault.Invalid {
		status, word = http.StatusBadRequest, scim.InvalidValue
	}
	if said, ok := errors.AsType[*scim.Refusal](err); ok {
		word = said.Kind
	}
	h := w.Header()
	h.Del("ETag")
	if status == http.StatusUnauthorized {
		h.Set("WWW-Authenticate", `Bearer realm="gavel"`)
	}
	if kind.Retryable() {
		h.Set("Retry-After", "10")
	}
	_ = g.tell(w, status, scim.Failed(strconv.Itoa(status), word, detail)) // a failure is strings
}

func (g *provisioning) provider(w http.ResponseWriter, _ *http.Request) error {
	return g.tell(w, http.StatusOK, scim.Provider(g.base()))
}

func (g *provisioning) documents(all func(string) []scim.Document) web.Handler {
	return func(w http.ResponseWriter, _ *http.Request) error {
		var bodies []any
		for _, d := range all(g.base()) {
			bodies = append(bodies, d.Body)
		}
		return g.tell(w, http.StatusOK, scim.Listed(len(bodies), 1, bodies))
	}
}

func (g *provisioning) document(all func(string) []scim.Document) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		for _, d := range all(g.base()) {
			if strings.EqualFold(d.ID, r.PathValue("name")) {
				return g.tell(w, http.StatusOK, d.Body)
			}
		}
		return fault.New(fault.NotFound, "nothing of this name is described here")
	}
}

// staffID is whose address a request has. An id that cannot be is nobody's.
func staffID(r *http.Request) (fleet.EmployeeID, error) {
	id, err := fleet.ParseEmployee(r.PathValue("id"))
	if err != nil {
		return "", record.NoSuchUser()
	}
	return id, nil
}

func (g *provisioning) get(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	id, err := staffID(r)
	if err != nil {
		return err
	}
	u, err := g.store.ScimUser(r.Context(), actor, id)
	if err != nil {
		return err
	}
	return g.user(w, r, http.StatusOK, u)
}

// maxStart bounds where a page of users may begin.
const maxStart = 10_000_000

func (g *provisioning) list(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	q := r.URL.Query()
	f, err := scim.ParseFilter(q.Get("filter"))
	if err != nil {
		return err
	}
	start, count := scimNumber(q.Get("startIndex"), 1, 1, maxStart), scimNumber(q.Get("count"), 100, 0, scim.MaxList)
	all, total, err := g.store.ScimUsers(r.Context(), actor, f, start, count)
	if err != nil {
		return err
	}
	for i := range all {
		all[i] = g.located(all[i])
	}
	return g.tell(w, http.StatusOK, scim.Listed(total, start, all))
}

// scimNumber is a number of the query within bounds; what is none is as good as not
// said, as the protocol has it.
func scimNumber(s string, unsaid, least, most int) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return unsaid
	}
	return min(max(n, least), most)
}

// whoWrites is who asks for a change. They are answered with what is on record
// then, so that they must be allowed to read it, too.
func (g *provisioning) whoWrites(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return actor, err
	}
	return actor, g.store.May(actor, programme.ActStaff)
}

func (g *provisioning) create(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.whoWrites(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	c, err := scim.ReadUser(body)
	if err != nil {
		return err
	}
	u, err := g.store.ScimCreate(r.Context(), actor, c)
	if err != nil {
		return err
	}
	return g.user(w, r, http.StatusCreated, u)
}

// change writes somebody as a body says, read by the method's own rules.
func (g *provisioning) change(read func([]byte) (scim.Change, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, err := g.whoWrites(r)
		if err != nil {
			return err
		}
		id, err := staffID(r)
		if err != nil {
			return err
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		c, err := read(body)
		if err != nil {
			return err
		}
		u, err := g.store.ScimChange(r.Context(), actor, id, r.Header.Get("If-Match"), c)
		if err != nil {
			return err
		}
		return g.user(w, r, http.StatusOK, u)
	}
}

// delete makes somebody inactive. Nothing is deleted: what was decided about them
// must stay explicable.
func (g *provisioning) delete(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.whoWrites(r)
	if err != nil {
		return err
	}
	id, err := staffID(r)
	if err != nil {
		return err
	}
	if err := g.store.ScimDelete(r.Context(), actor, id, r.Header.Get("If-Match")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
