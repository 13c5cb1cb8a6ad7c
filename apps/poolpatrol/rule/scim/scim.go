// Package scim is for what provisioning systems say about staff, and how they are
// answered: SCIM 2.0 (RFC 7643, RFC 7644), as far as the staff records of a vanpool
// programme need it.
//
// Everything here is computed from values. Read User for what is shown of somebody,
// Change for what a request asks to change, and Filter for how somebody is looked
// for. The root package reads and writes the records.
package scim

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/platform/fault"
)

// The schemas that are spoken.
const (
	CoreUser   = "urn:ietf:params:scim:schemas:core:2.0:User"
	Enterprise = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User" // read, and not held
	Extension  = "urn:gavel:poolpatrol:2.0:Employee"

	listResponse = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	patchOp      = "urn:ietf:params:scim:api:messages:2.0:PatchOp"
	errorMessage = "urn:ietf:params:scim:api:messages:2.0:Error"
)

// ContentType is what bodies are.
const ContentType = "application/scim+json"

// Bounds of what is taken and shown at once.
const (
	MaxBody       = 64 << 10 // bytes of a request
	MaxOperations = 100      // of one PATCH
	MaxList       = 200      // users in one answer
	maxExternal   = 200      // characters of an id of the other system's
)

// A User is somebody as a provisioning system reads them. What a vanpool programme
// does not hold is not there.
type User struct {
	Schemas     []string `json:"schemas"`
	ID          string   `json:"id"`
	ExternalID  string   `json:"externalId,omitempty"`
	UserName    string   `json:"userName"`
	Name        *Name    `json:"name,omitempty"`
	DisplayName string   `json:"displayName,omitempty"`
	Emails      []Email  `json:"emails,omitempty"`
	Language    string   `json:"preferredLanguage,omitempty"`
	Active      bool     `json:"active"`
	Employee    Employee `json:"urn:gavel:poolpatrol:2.0:Employee"`
	Meta        *Meta    `json:"meta,omitempty"`
}

// A Name is how somebody is called. The whole is held; its parts are made of it.
type Name struct {
	Formatted  string `json:"formatted"`
	GivenName  string `json:"givenName,omitempty"`
	FamilyName string `json:"familyName,omitempty"`
}

// An Email is where letters to somebody go.
type Email struct {
	Value   string `json:"value"`
	Type    string `json:"type"`
	Primary bool   `json:"primary"`
}

// An Employee is what the programme needs that no core schema has: the newest shift,
// where they work, and about where they live.
type Employee struct {
	Shift   fleet.ShiftID    `json:"shift_id,omitempty"`
	From    string           `json:"effective_from,omitempty"`
	Site    fleet.SiteID     `json:"site_id,omitempty"`
	ZIP     string           `json:"home_zip,omitempty"`
	Manager fleet.EmployeeID `json:"manager,omitempty"`
}

// Meta is about the resource itself.
type Meta struct {
	ResourceType string     `json:"resourceType"`
	Created      *time.Time `json:"created,omitempty"`
	LastModified time.Time  `json:"lastModified"`
	Location     string     `json:"location"`
	Version      string     `json:"version"`
}

// Of is somebody on record as a provisioning system reads them, without meta.
func Of(e intake.Employee, external string) User {
	u := User{Schemas: []string{CoreUser, Extension}, ID: string(e.ID), UserName: string(e.ID), ExternalID: external, DisplayName: e.Name,
		Language: e.Language, Active: e.Status != fleet.Inactive, Employee: Employee{Site: e.Site, ZIP: e.ZIP, Manager: e.Manager}}
	if e.Name != "" {
		given, family := parts(e.Name)
		u.Name = &Name{Formatted: e.Name, GivenName: given, FamilyName: family}
	}
	if e.Email != "" {
		u.Emails = []Email{{Value: e.Email, Type: "work", Primary: true}}
	}
	if a, ok := newest(e.Shifts); ok {
		u.Employee.Shift, u.Employee.From = a.Shift, a.From.String()
	}
	return u
}

// parts are a name's first word and the rest.
func parts(name string) (given, family string) {
	given, family, _ = strings.Cut(name, " ")
	return given, family
}

// newest is the shift that began, or will begin, last.
func newest(all []fleet.Assignment) (fleet.Assignment, bool) {
	if len(all) == 0 {
		return fleet.Assignment{}, false
	}
	last := all[0]
	for _, a := range all[1:] {
		if a.From >= last.From {
			last = a
		}
	}
	return last, true
}

// Version names what somebody's resource says: another is another. It is weak in
// the sense of HTTP.
func (u User) Version() string {
	u.Meta = nil
	text, err := json.Marshal(u)
	if err != nil {
		return `W/"0"` // strings and booleans always are JSON
	}
	sum := sha256.Sum256(text)
	return `W/"` + hex.EncodeToString(sum[:8]) + `"`
}

// Matches reports whether a header If-Match, or If-None-Match, names a version.
func Matches(header, version string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(version, "W/") {
			return true
		}
	}
	return false
}

// A List is some users of many.
type List struct {
	Schemas      []string `json:"schemas"`
	TotalResults int      `json:"totalResults"`
	StartIndex   int      `json:"startIndex"`
	ItemsPerPage int      `json:"itemsPerPage"`
	Resources    any      `json:"Resources"`
}

// Listed is a list of resources that begins with the one of an index.
func Listed[T any](total, start int, some []T) List {
	if some == nil {
		some = []T{}
	}
	return List{Schemas: []string{listResponse}, TotalResults: total, StartIndex: start, ItemsPerPage: len(some), Resources: some}
}

// A Kind says what is wrong with a request, in the protocol's words.
type Kind string

// The kinds.
const (
	InvalidFilter Kind = "invalidFilter"
	InvalidSyntax Kind = "invalidSyntax"
	InvalidPath   Kind = "invalidPath"
	InvalidValue  Kind = "invalidValue"
	NoTarget      Kind = "noTarget"
	Mutability    Kind = "mutability"
	TooMany       Kind = "tooMany"
	Uniqueness    Kind = "uniqueness"
)

// A Refusal is an error with the protocol's word for it.
type Refusal struct {
	Kind Kind
	err  error
}

func refuse(kind Kind, format string, args ...any) error {
	return &Refusal{kind, fault.New(fault.Invalid, format, args...)}
}

func (r *Refusal) Error() string { return r.err.Error() }
func (r *Refusal) Unwrap() error { return r.err }

// Taken refuses a user who is there already.
func Taken(format string, args ...any) error {
	return &Refusal{Uniqueness, fault.New(fault.Conflict, format, args...)}
}

// A Failure is an error as the protocol tells it.
type Failure struct {
	Schemas []string `json:"schemas"`
	Status  string   `json:"status"`
	Kind    Kind     `json:"scimType,omitempty"`
	Detail  string   `json:"detail,omitempty"`
}

// Failed is the failure of a status.
func Failed(status string, kind Kind, detail string) Failure {
	return Failure{Schemas: []string{errorMessage}, Status: status, Kind: kind, Detail: detail}
}
