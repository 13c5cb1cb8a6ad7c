package lawbook

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Whose says who may fill in a field of the certificate.
type Whose string

// By whom a field is filled in. Ticks, names, signatures, dates and statements are
// a person's: whoever signs swears to them.
const (
	Person  Whose = "person"
	Machine Whose = "machine"
)

// A Field is one line of the form.
type Field struct {
	Key     string   `json:"key"`
	Label   string   `json:"label"`
	By      Whose    `json:"by"`
	Choices []string `json:"choices,omitempty"` // boxes to tick; none is ticked
	Value   string   `json:"value"`
}

// A Certificate is the form of section 63(4), Part A for the party and Part B for
// the expert, filled in as far as a machine may and signed by nobody.
type Certificate struct {
	PartA   []Field  `json:"part_a"`
	PartB   []Field  `json:"part_b"`
	Notices []string `json:"notices"` // what whoever signs should know
}

// A Record is an electronic record and its hash.
type Record struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // 64 hex digits, lower case
}

// A Device is what is known of the machine the records were made on.
type Device struct {
	Model  string `json:"model"` // make and model
	Serial string `json:"serial"`
	Ident  string `json:"ident"` // of the machine or of the account in a cloud
}

// Particulars are what a certificate is filled in from.
type Particulars struct {
	Device  Device
	Records []Record // raw inputs as received, the report, the manifest
	Outages []string // when the system did not work, from its own log; nil: no log was read
}

// Bounds of a certificate.
const (
	maxRecords = 10_000
	maxOutages = 1_000
	maxLine    = 300 // bytes
)

// Prefill fills in the certificate. A record without a proper hash refuses it.
func Prefill(p Particulars) (Certificate, error) {
	if len(p.Records) == 0 || len(p.Records) > maxRecords || len(p.Outages) > maxOutages {
		return Certificate{}, fault.New(fault.Invalid, "a certificate is about 1 to %d records", maxRecords)
	}
	hashes := make([]string, len(p.Records))
	for i, r := range p.Records {
		if !line(r.Name) || r.Name == "" || !isHash(r.SHA256) {
			return Certificate{}, fault.New(fault.Invalid, "record %d %.60q: it needs a name of one line and a SHA-256 of 64 hex digits",
				i+1, r.Name)
		}
		hashes[i] = r.Name + ": SHA-256 " + r.SHA256
	}
	for _, s := range append([]string{p.Device.Model, p.Device.Serial, p.Device.Ident}, p.Outages...) {
		if !line(s) {
			return Certificate{}, fault.New(fault.Invalid, "%.60q is more than one line of %d bytes", s, maxLine)
		}
	}
	known := map[string]string{
		"make_model": p.Device.Model, "serial_number": p.Device.Serial, "identifier": p.Device.Ident, "hash_values": strings.Join(hashes,
			"\n"),
	}
	return Certificate{PartA: fill(partA(), known), PartB: fill(partB(), known), Notices: notices(p.Outages)}, nil
}

func fill(fields []Field, known map[string]string) []Field {
	for i, f := range fields {
		if f.By == Machine {
			fields[i].Value = known[f.Key]
		}
	}
	return fields
}

func notices(outages []string) []string {
	out := []string{
		"This certificate is not signed. Nothing in it is ticked, dated or sworn for you.",
		"It covers our copies. What was received from others came from their machines.",
		"It is given anew each time the record is submitted.",
	}
	if outages == nil {
		return append(out, "No log of the system was consulted for outages. Look at it before you sign that it was working properly.")
	}
	if len(outages) == 0 {
		return append(out, "The system's log shows no outage in the time the records were made. Check that before you sign that it was "+
			"working properly.")
	}
	out = append(out, fmt.Sprintf("The system's log shows outages (%d). Before you sign, consider whether they affected the records.",
		len(outages)))
	return append(out, outages...)
}

// line reports whether s is one line that is not too long.
func line(s string) bool { return len(s) <= maxLine && !strings.ContainsAny(s, "\r\n\x00") }

func isHash(s string) bool {
	return len(s) == 64 && strings.Trim(s, "0123456789abcdef") == ""
}
