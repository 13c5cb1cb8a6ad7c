package gatepass_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// TestAnErrandIsGoodForOneRequest promises that what an agent is given to act with lets it do the one thing it is for, in the roles it
// is for, and decide nothing that the person did not confirm.
func TestAnErrandIsGoodForOneRequest(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.create(t, "hr")["pass_number"].(string)
	approve, list := rest.Base+"/admin/gatepass/"+number+"/approve", rest.Base+"/admin/gatepass/list"
	remove := rest.Base + "/admin/gatepass/" + number + "/delete"
	admin := platformtest.Person("admin", postgrestest.North, identity.PassAdmin)
	hr := platformtest.Person("hr", postgrestest.North, identity.HR)
	ask := func(e signin.Errand, method, path string) platformtest.Answer {
		t.Helper()
		token, err := e.Mint(r.Deps.Keys)
		if err != nil {
			t.Fatal(err)
		}
		return r.Call(t, "", method, path, nil, "Authorization", "Bearer "+token)
	}
	for _, tt := range []struct {
		name         string
		e            signin.Errand
		method, path string
		status       int
		code         string
	}{
		{"what it is for", signin.Errand{For: admin, Method: "GET", Path: list}, "GET", list, 200, ""},
		{"another address", signin.Errand{For: admin, Method: "GET", Path: list}, "GET", rest.Base + "/admin/gatepass/pending", 401, ""},
		{"another question at the address", signin.Errand{For: admin, Method: "GET", Path: list}, "GET", list + "?limit=1", 401, ""},
		{"another method", signin.Errand{For: admin, Method: "GET", Path: approve}, "POST", approve, 401, ""},
		{"another role's address", signin.Errand{For: hr, Method: "GET", Path: list}, "GET", list, 403, "role_forbidden"},
		{"a deletion that nobody confirmed", signin.Errand{For: admin, Method: "POST", Path: remove}, "POST", remove, 403,
			"role_forbidden"},
		{"a decision that nobody confirmed", signin.Errand{For: admin, Method: "POST", Path: approve}, "POST", approve, 403,
			"role_forbidden"},
		{"a decision that was confirmed", signin.Errand{For: admin, Method: "POST", Path: approve, Leave: "P-7"}, "POST", approve, 200,
			""},
	} {
		a := ask(tt.e, tt.method, tt.path)
		if code, _ := a.JSON["code"].(string); a.Status != tt.status || tt.code != "" && code != tt.code {
			t.Errorf("%s: got %d %s, want %d %s: %.300s", tt.name, a.Status, code, tt.status, tt.code, a.Body)
		}
	}
	other, err := durable.ParseKeys(durable.NewKey("k1"))
	if err != nil {
		t.Fatal(err)
	}
	forged, err := signin.Errand{For: admin, Method: "GET", Path: list}.Mint(other)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range []string{forged, "gve_", "gve_k1.AAAA", "gve_" + strings.Repeat("a", 9000)} {
		if a := r.Call(t, "", "GET", list, nil, "Authorization", "Bearer "+token); a.Status != http.StatusUnauthorized {
			t.Errorf("%.20s: got %d", token, a.Status)
		}
	}
	if pass := r.Want(t, 200, "admin", "GET", rest.Base+"/admin/gatepass/"+number, nil); !strings.Contains(pass.Body, `"via":"agent"`) {
		t.Errorf("the history does not say that an agent sent it: %s", pass.Body)
	}
}
