package devstack

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const oidcClient = "gavel"

// DemoPassword is every demo person's password.
const DemoPassword = "gavel-demo"

// demoPasswordHash is the bcrypt hash of DemoPassword.
const demoPasswordHash = "$2a$10$jTKWAcZbn/qp6etNEoi/j.AC8RGV971Tmaf1ZkdoK6ca5xFKKH8Fm"

// A Person is somebody who can sign in at the demo's OIDC provider.
type Person struct {
	Email string        `json:"email"`
	Name  string        `json:"name"`
	Org   identity.Org  `json:"org"`
	Role  identity.Role `json:"role"`

	// More are groups beside the one of their role: of somebody who works for both
	// organisations, or whom an office has put where Gavel knows nothing.
	More []string `json:"more,omitempty"`
}

// Groups are the claim that carries the person's roles. Whoever has no
// organisation has only More.
func (p Person) Groups() []string {
	if p.Org == "" {
		return p.More
	}
	return append([]string{fmt.Sprintf("gavel/%s/%s", p.Org, p.Role)}, p.More...)
}

// People the demo has beside one for every role.
const (
	BothOrganisations = "both@office.example"     // officer in north, auditor in south
	Stranger          = "stranger@office.example" // of the office, without a role here
)

// People are the demo people: one for every role of both organisations, a
// second one for the roles that decide, because nobody decides on their own
// proposal, one who works for both, and one who has no role at all.
func People() []Person {
	deciding := []identity.Role{identity.Officer, identity.ProgrammeManager, identity.PassAdmin}
	var all []Person
	for _, org := range Organisations() {
		for _, role := range identity.Roles() {
			all = append(all, person(org, role, ""))
			if slices.Contains(deciding, role) {
				all = append(all, person(org, role, "2"))
			}
		}
	}
	return append(all,
		Person{Email: BothOrganisations, Name: "Demo officer of two", Org: "north", Role: identity.Officer,
			More: []string{"gavel/south/auditor", "gavel/elsewhere/officer", "gavel/north/king", "canteen"}},
		Person{Email: Stranger, Name: "Demo stranger", More: []string{"canteen", "gavel/elsewhere/officer"}})
}

func person(org identity.Org, role identity.Role, number string) Person {
	name := strings.ReplaceAll(string(role), "_", " ")
	if number != "" {
		name += " " + number
	}
	return Person{
		Email: fmt.Sprintf("%s%s@%s.example", strings.ReplaceAll(string(role), "_", "-"), number, org),
		Name:  fmt.Sprintf("Demo %s (%s)", name, org),
		Org:   org, Role: role,
	}
}

func (s *Stack) issuer() string { return "http://" + s.address(OIDC, "http") + "/dex" }

// prepareOIDC writes the provider's configuration as JSON, which is YAML too.
func prepareOIDC(_ context.Context, s *Stack) error {
	if err := os.MkdirAll(s.path("oidc"), 0o700); err != nil {
		return fault.From(fault.Internal, err, "make the OIDC provider's folder")
	}
	type object = map[string]any
	var people []object
	for _, p := range People() {
		people = append(people, object{
			"email": p.Email, "username": p.Name, "name": p.Name, "preferredUsername": p.Email, "emailVerified": true,
			"userID": p.Email, // stable, and it shows who it is in a log
			"hash":   demoPasswordHash, "groups": p.Groups(),
		})
	}
	return writeJSON(s.path("oidc", "dex.json"), object{
		"issuer":  s.issuer(),
		"storage": object{"type": "memory"}, // people and client are static; sessions may go with a restart
		"web":     object{"http": s.address(OIDC, "http")},
		"logger":  object{"level": "warn", "format": "json"},
		"oauth2":  object{"skipApprovalScreen": true},
		"staticClients": []object{{
			"id": oidcClient, "name": "Gavel", "secret": s.secrets[secretOIDCClient],
			"redirectURIs": []string{"http://" + s.address(Serve, "http") + "/auth/callback"},
		}},
		"enablePasswordDB": true,
		"staticPasswords":  people,
	}, 0o600)
}

func oidcCommand(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(OIDC).tool)
	return command{
		path: filepath.Join(dir, "dex"),
		args: []string{"serve", s.path("oidc", "dex.json")},
		env:  serverEnv(),
	}, err
}

func oidcAnswers(ctx context.Context, s *Stack) error {
	return answersOK(ctx, s.issuer()+"/.well-known/openid-configuration")
}
