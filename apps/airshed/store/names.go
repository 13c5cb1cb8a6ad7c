package store

import (
	"crypto/rand"
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
)

// The names the engine knows its work by; they never change.
const (
	ScanName   = "airshed.Scan"
	IngestName = "airshed.Ingest"
	WatchName  = "airshed.Watch"
	CaseName   = "airshed.Case"
)

var reportForm = regexp.MustCompile(`^CAQM-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6}$`)

// KeyOf is the key of an episode in an address.
func KeyOf(text string) (surge.Key, error) {
	if _, _, err := surge.ParseKey(text); err != nil {
		return "", fault.From(fault.Invalid, err, "%.80q is no key of an episode", text).WithNext("see the list of episodes").
			Because("no_episode", "id", text)
	}
	return surge.Key(text), nil
}

// ReportID is the number of a report in an address.
func ReportID(text string) (string, error) {
	if !reportForm.MatchString(text) {
		return "", fault.New(fault.Invalid, "report %.40q: use the form CAQM-2026-11-14-001", text).WithNext("see the list of reports").
			Because("report_name", "value", text)
	}
	return text, nil
}

// newID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint.
func newID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}

// Cut shortens a text to so many characters.
func Cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// maxPlain is the most a text that came from outside may have, in bytes.
const maxPlain = 200

// plain refuses what no page of ours writes and the database could not read: too long,
// broken, or with control characters.
func plain(text string) error {
	if len(text) > maxPlain || !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl) {
		return fault.New(fault.Invalid, "this address holds what no page of ours writes").WithNext("begin the list anew").
			Because("address_odd")
	}
	return nil
}

// Name is the application's: its addresses, its task queue, the log.
const Name = "airshed"

// The acts of the application.
const (
	ActRead = "airshed.episodes.read"
	ActScan = "airshed.lake.scan"

	ActNotice   = "airshed.lake.notify"
	ActSchedule = "airshed.schedule.change"

	ActAsk    = "airshed.report.ask"
	ActOffice = "airshed.office.change"
	ActMethod = "airshed.method.change"

	ActThreshold = "airshed.thresholds.change"

	ActIngest   = "airshed.lake.ingest"
	ActShare    = "airshed.share.enter"
	ActBoundary = "airshed.boundaries.import"
	ActRefer    = "airshed.reference.import"
)

// Acts are what somebody may be allowed to do with Airshed.
func Acts() []policy.Act {
	return []policy.Act{
		{Name: ActRead, Words: "read what scans of the air found", Reads: true},
		{Name: ActScan, Words: "run a scan of the air, or upload a file of it"},
		{Name: ActNotice, Words: "tell of new objects in the data lake"},
		{Name: ActSchedule, Words: "pause or resume looking at the data lake by itself", Persons: true},
		{Name: ActAsk, Words: "have a report drafted anew or put before officers again", Persons: true},
		{Name: ActOffice, Words: "say where notices to states go", Persons: true},
		{Name: ActMethod, Words: "choose the version of the verdict for new episodes", Persons: true},
		{Name: ActThreshold, Words: "propose other thresholds for surges", Persons: true},
		{Name: ActIngest, Words: "have the services outside asked, and the data lake written to", Persons: true},
		{Name: ActShare, Words: "enter the stubble share of the forecast", Persons: true},
		{Name: ActBoundary, Words: "import boundaries of districts, and static sources", Persons: true},
		{Name: ActRefer, Words: "import stations and citations for everybody", Persons: true},
	}
}
