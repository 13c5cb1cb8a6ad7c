package poolpatrol

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
)

// The addresses of the application, as people and programs know them.
const (
	homeAt     = "/poolpatrol"
	casesAt    = homeAt + "/cases"
	passesAt   = homeAt + "/passes"
	vansAt     = homeAt + "/vanpools"
	runsAt     = homeAt + "/runs"
	ridersAt   = homeAt + "/employees"
	gapsAt     = homeAt + "/gaps"
	importAt   = homeAt + "/import"
	simulateAt = homeAt + "/simulate"
	settingsAt = homeAt + "/settings"
	scimAt     = homeAt + "/scim/v2"

	passesAddress   = "/v1/poolpatrol/passes"
	casesAddress    = "/v1/poolpatrol/cases"
	scheduleAddress = "/v1/poolpatrol/schedule"
	officeAddress   = "/v1/poolpatrol/programme"
	writeMethod     = http.MethodPut
)

// Bounds that the pages promise.
const (
	perPage      = 50
	maxSmallForm = 16 << 10 // bytes of a form without a file
	maxLink      = 400      // bytes of a token that is looked at
	maxAnswers   = 20       // of one person on one case
	linkPurpose  = "poolpatrol-rider"
)

// passAddress is the page of a pass, or what lies under it.
func passAddress(id, under string) string { return passesAt + "/" + id + under }

// outcomes are how an audit ends, in the order people look at them.
func outcomes() []audit.Outcome {
	return []audit.Outcome{audit.Failed, audit.Errored, audit.Verified}
}

// placeOf is a zone that the test names itself.
func placeOf(zone string) *time.Location {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return time.UTC
	}
	return place
}

// of is an address with a name in it that somebody typed.
func of(path, name string) string { return "/v1/poolpatrol/" + path + "/" + url.PathEscape(name) }

func moment(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}
