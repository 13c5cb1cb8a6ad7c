package feed

import (
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Hidden stands in the shown form of an address where the key was.
const Hidden = "hidden-key"

// A Request is what to ask a service for. It prints as its shown form, however it
// is printed: keys are part of some services' addresses.
type Request struct {
	Shown string // the address without its key, for records and logs

	url    string
	secret string
	header string // the key goes here where the service takes it in a header
}

// URL is the address as it is sent. It may hold a key: it is for the sender alone.
func (r Request) URL() string { return r.url }

// Secret is the key that is sent along, empty where there is none.
func (r Request) Secret() string { return r.secret }

// KeyHeader is the name of the header the key is sent in, empty where it is part
// of the address or there is none.
func (r Request) KeyHeader() string { return r.header }

// String is the shown form.
func (r Request) String() string { return r.Shown }

// GoString is the shown form too.
func (r Request) GoString() string { return r.Shown }

// maxKey bounds a key, maxURL an address.
const (
	maxKey = 200
	maxURL = 16 << 10
)

// checkKey refuses a key that could not be sent as it is.
func checkKey(service, key string) error {
	odd := func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' || r == '.')
	}
	if key == "" {
		return fault.New(fault.Refused, "%s needs a key", service).WithNext("set the key for %s", service)
	}
	if len(key) > maxKey || strings.ContainsFunc(key, odd) {
		return fault.New(fault.Invalid, "the key for %s has characters that no key has, or too many", service).
			WithNext("set the key for %s again", service)
	}
	return nil
}

// FitsKey reports whether a key could be sent as it is.
func FitsKey(key string) bool { return checkKey("a service", key) == nil }

// address joins a base and a path below it. A base is as https://host or
// http://127.0.0.1:8080/some/where and holds no password, question or fragment.
func address(base, path string) (string, error) {
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.ForceQuery ||
		u.Fragment != "" {
		return "", fault.New(fault.Invalid,
			"the address of a service is https://host or http://host:port, with a path or without, and holds no password")
	}
	return strings.TrimRight(u.String(), "/") + path, nil
}

// query writes parameters in the order of their names, so that one question has
// one address. Brackets, commas and colons stay readable.
func query(of map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(of)) {
		parts = append(parts, k+"="+strings.NewReplacer("%2C", ",", "%3A", ":").Replace(url.QueryEscape(of[k])))
	}
	return "?" + strings.Join(parts, "&")
}

// bounded refuses an address that servers would cut.
func bounded(r Request) (Request, error) {
	if len(r.url) > maxURL {
		return Request{}, fault.New(fault.TooLarge, "a request of more than %d kB", maxURL>>10)
	}
	return r, nil
}

// A Box is a piece of the earth, in degrees. It does not reach across the 180th
// meridian.
type Box struct {
	West  float64 `json:"west"`
	South float64 `json:"south"`
	East  float64 `json:"east"`
	North float64 `json:"north"`
}

// Around is the box from which smoke comes to Delhi in three days: both Punjabs,
// Haryana, Uttarakhand, western Uttar Pradesh and the north of Rajasthan.
func Around() Box { return Box{West: 72, South: 26.5, East: 79.5, North: 33} }

// Holds reports whether a place lies in the box, edges included.
func (b Box) Holds(lat, lon float64) bool {
	return lat >= b.South && lat <= b.North && lon >= b.West && lon <= b.East
}

// check refuses a box that is none.
func (b Box) check() error {
	if !onGlobe(b.South, b.West) || !onGlobe(b.North, b.East) || !(b.West < b.East) || !(b.South < b.North) {
		return fault.New(fault.Invalid,
			"a box is west, south, east and north in degrees. West is less than east, and south less than north")
	}
	return nil
}

// String is the form the services want: west,south,east,north.
func (b Box) String() string {
	return degrees(b.West) + "," + degrees(b.South) + "," + degrees(b.East) + "," + degrees(b.North)
}

// degrees writes an angle to a ten-thousandth, some ten metres.
func degrees(d float64) string {
	return strconv.FormatFloat(math.Round(d*1e4)/1e4, 'f', -1, 64)
}
