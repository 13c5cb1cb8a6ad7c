package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/due"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/setting"
)

// A Site is a place with gates, as it is set up.
type Site struct {
	ID    string   `json:"id" minLength:"1" maxLength:"64" pattern:"^[a-z0-9][a-z0-9_-]*$" doc:"What passes and programs call it."`
	Name  string   `json:"name" minLength:"1" maxLength:"120"`
	Zone  string   `json:"tz" maxLength:"64" doc:"Its time zone; empty: the organisation's."`
	Opens string   `json:"opens" maxLength:"5" pattern:"^([01][0-9]:[0-5][0-9]|2[0-3]:[0-5][0-9])?$" doc:"When it is at work; empty: always."`
	Shuts string   `json:"shuts" maxLength:"5" pattern:"^([01][0-9]:[0-5][0-9]|2[0-3]:[0-5][0-9])?$"`
	Gates []string `json:"gates" maxItems:"50" doc:"What its gates are called."`
}

// Setup is what an organisation sets for its passes. The first site is meant where none is said.
type Setup struct {
	Sites      []Site `json:"sites" minItems:"1" maxItems:"200"`
	GraceMins  int    `json:"grace_minutes" minimum:"0" maximum:"240" doc:"How long before its time somebody may leave."`
	PhotoBytes int    `json:"photo_bytes" minimum:"1024" maximum:"16777216" doc:"The largest photo that is taken."`

	// Each of these is as it always was where nobody has said.
	ApprovalMins int `json:"approval_minutes,omitempty" minimum:"0" maximum:"1440" doc:"How long an approval may take, while the site is at work; 0: 30."`
	PhotoDays    int `json:"photo_days,omitempty" minimum:"0" maximum:"3650" doc:"How many days photos and conversations are kept; 0: 30."`
	NameDays     int `json:"name_days,omitempty" minimum:"0" maximum:"3650" doc:"How many days names are kept; 0: 365."`
}

// approvalTakes is how long an approval may take, unless it is set otherwise.
const approvalTakes = 30

// ApprovalWithin is how long an approval may take, in the hours of the site.
func (s Setup) ApprovalWithin() time.Duration {
	return time.Duration(cmp.Or(s.ApprovalMins, approvalTakes)) * time.Minute
}

// PhotosKept is how long photos and conversations are kept.
func (s Setup) PhotosKept() time.Duration { return kept(s.PhotoDays, photosKept) }

// NamesKept is how long names are kept.
func (s Setup) NamesKept() time.Duration { return kept(s.NameDays, namesKept) }

func kept(days int, standard time.Duration) time.Duration {
	return cmp.Or(time.Duration(days)*day, standard)
}

// SetupKind is how an organisation's passes are set up.
var SetupKind = setting.Of(setting.Kind{App: Name, Name: "setup", Title: "sites and rules of gate passes", Read: ActOversee,
	Change: ActSettings,
	Record: "gatepass_setup"}, setting.Functions[Setup]{Default: defaultSetup, Check: checkSetup, Said: func(s Setup) map[string]any {
	return map[string]any{"sites": len(s.Sites), "grace_minutes": s.GraceMins, "photo_bytes": s.PhotoBytes,
		"approval_minutes": s.ApprovalMins, "photo_days": s.PhotoDays, "name_days": s.NameDays}
}})

// defaultSetup is one site, in the organisation's own zone, that is always at work.
func defaultSetup(ctx context.Context, tx pgx.Tx, org identity.Org) (Setup, error) {
	whose, err := postgres.OrganisationIn(ctx, tx, org)
	return Setup{Sites: []Site{{ID: "main", Name: whose.Title, Gates: []string{}}}, GraceMins: 15, PhotoBytes: 5 << 20,
		ApprovalMins: approvalTakes, PhotoDays: int(photosKept / day), NameDays: int(namesKept / day)}, err
}

func checkSetup(_ string, s Setup) (Setup, error) {
	if s.NamesKept() < s.PhotosKept() {
		return s, fault.New(fault.Invalid, "photos would be kept longer than the names of whom they show")
	}
	seen := map[string]bool{}
	for i := range s.Sites {
		one := &s.Sites[i]
		one.Name = strings.TrimSpace(one.Name)
		if one.Gates == nil {
			one.Gates = []string{}
		}
		if _, err := time.LoadLocation(one.Zone); err != nil || one.Zone == "Local" {
			return s, fault.New(fault.Invalid, "%.64q is no time zone",
				one.Zone).WithNext("write it as Asia/Kolkata; leave it empty for the organisation's")
		}
		if (one.Opens == "") != (one.Shuts == "") || one.Opens != "" && one.Opens >= one.Shuts {
			return s, fault.New(fault.Invalid, "site %s opens before it shuts, or never shuts", one.ID)
		}
		for _, name := range append([]string{"site " + one.ID}, gateNames(one.Gates)...) {
			if seen[name] {
				return s, fault.New(fault.Invalid, "%s is there twice", name)
			}
			seen[name] = true
		}
	}
	return s, nil
}

func gateNames(gates []string) []string {
	out := make([]string, len(gates))
	for i, g := range gates {
		out[i] = "gate " + g
	}
	return out
}

// SetupIn is what is in force in an organisation, with its sites' zones filled in.
func SetupIn(ctx context.Context, tx pgx.Tx, org identity.Org) (Setup, error) {
	s, _, err := setting.Read[Setup](ctx, tx, SetupKind, org, "")
	if err != nil {
		return s, err
	}
	whose, err := postgres.OrganisationIn(ctx, tx, org)
	for i := range s.Sites {
		if s.Sites[i].Zone == "" {
			s.Sites[i].Zone = whose.Zone
		}
	}
	return s, err
}

// Setup is what is in force in an organisation.
func (s *Store) Setup(ctx context.Context, org identity.Org) (setup Setup, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		setup, err = SetupIn(ctx, tx, org)
		return err
	})
	return setup, err
}

// Site is a site by its id, the first where none is said; false where there is none.
func (s Setup) Site(id string) (Site, bool) {
	i := slices.IndexFunc(s.Sites, func(one Site) bool { return id == "" || one.ID == id })
	if i < 0 {
		return Site{}, false
	}
	return s.Sites[i], true
}

// SiteOfGate is the site that a gate is at; false where no site has it.
func (s Setup) SiteOfGate(gate string) (string, bool) {
	i := slices.IndexFunc(s.Sites, func(one Site) bool { return slices.Contains(one.Gates, gate) })
	if i < 0 {
		return "", false
	}
	return s.Sites[i].ID, true
}

// Location is its time zone.
func (s Site) Location() *time.Location {
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		return time.UTC // it was a zone when it was set
	}
	return zone
}

// Hours is when it is at work: alike on every day.
func (s Site) Hours() due.Hours {
	h := due.Hours{Zone: s.Location()}
	from, err := time.Parse("15:04", s.Opens)
	until, err2 := time.Parse("15:04", s.Shuts)
	if err != nil || err2 != nil {
		return h
	}
	midnight := time.Date(from.Year(), from.Month(), from.Day(), 0, 0, 0, 0, time.UTC)
	for day := range h.Week {
		h.Week[day] = []due.Span{{From: from.Sub(midnight), Until: until.Sub(midnight)}}
	}
	return h
}

// SiteOf is a site of an organisation, by its id; the first where it is not there any more.
func (s *Store) SiteOf(ctx context.Context, org identity.Org, id string) (site Site, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		setup, err := SetupIn(ctx, tx, org)
		if err != nil {
			return err
		}
		var known bool
		if site, known = setup.Site(id); !known {
			site, _ = setup.Site("")
		}
		return nil
	})
	return site, err
}
