// Package outside asks servers beyond our walls: routers, how far it is by road.
package outside

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Router measures ways by road. It is somebody's own server: homes are asked
// about, and go to nobody else. It is safe for use by many goroutines.
type Router interface {
	// Name is the router's method, as evidence gives it.
	Name() location.Method
	// Table measures the ways from at most MaxFrom places to one. An entry is nil
	// where there is no way. A fault of the kind NotFound says that one of the
	// places, and it does not say which, is off the router's map; every other is
	// Unavailable. No error holds a coordinate.
	Table(ctx context.Context, to fleet.Point, from []fleet.Point) ([]*location.Road, error)
}

// MaxFrom is from how many places ways are measured in one request. With the one
// they lead to these are the hundred an OSRM takes unless it is told otherwise.
const MaxFrom = 99

// Bounds of one request, and of a way by road.
const (
	routerTime    = 10 * time.Second // for the whole of it
	maxRouterSays = 4 << 20          // bytes of an answer
	maxMiles      = 25_000
	maxMinutes    = 100_000
)

const (
	metresPerMile     = 1609.344
	kilometresPerMile = metresPerMile / 1000
)

// NewRouter makes the router at an address: osrm+http://127.0.0.1:5000 or
// valhalla+https://roads.example/here.
func NewRouter(address string) (Router, error) {
	method, rest, _ := strings.Cut(address, "+")
	u, err := url.Parse(rest)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, badRouter()
	}
	at := endpoint{base: strings.TrimRight(u.String(), "/"), client: routerClient()}
	switch location.Method(method) {
	case location.OSRM:
		return osrm{at}, nil
	case location.Valhalla:
		return valhalla{at}, nil
	}
	return nil, badRouter()
}

// SettingRouter tells where a server is that knows roads.
const SettingRouter = "GAVEL_ROUTER"

// Settings are what an installation says about servers beyond our walls.
func Settings() []platform.Setting {
	return []platform.Setting{{
		Name: SettingRouter, Help: "a server that knows how far it is by road; distances are estimated where it is not set",
		Expect: "osrm+ or valhalla+ and an http(s) address, for example osrm+http://127.0.0.1:5000",
		Fits:   func(v string) bool { _, err := NewRouter(v); return err == nil },
		Address: func(v string) string {
			_, address, _ := strings.Cut(v, "+")
			return address
		},
		Carries: "homes",
	}}
}

// Open is the router that settings name; nil where they name none.
func Open(settings map[string]string) (Router, error) {
	address := settings[SettingRouter]
	if address == "" {
		return nil, nil
	}
	return NewRouter(address)
}

func badRouter() error {
	return fault.New(fault.Invalid, "the address of a router is osrm+http://host:port or valhalla+http://host:port, or either with "+
		"https, and holds no password")
}

// routerClient follows no redirect and asks no proxy: homes go to the address that
// was set, and nowhere else.
func routerClient() *http.Client {
	d := &net.Dialer{Timeout: routerTime / 2}
	return &http.Client{
		Timeout:       routerTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: nil, DialContext: d.DialContext, TLSHandshakeTimeout: routerTime / 2, ResponseHeaderTimeout: routerTime,
			MaxResponseHeaderBytes: 16 << 10, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
		},
	}
}

// An endpoint is a router's server.
type endpoint struct {
	base   string
	client *http.Client
}

// ask sends one request and reads the whole answer. Errors of net/http quote the
// address that was asked for, and with OSRM that is where people live: only what
// cannot hold it is kept of them.
func (e endpoint) ask(ctx context.Context, method, path string, body io.Reader) (status int, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, method, e.base+path, body)
	if err != nil {
		return 0, nil, fault.New(fault.Unavailable, "the router cannot be asked: its address is malformed")
	}
	req.Header.Set("User-Agent", "gavel")
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := e.client.Do(req)
	if err != nil {
		return 0, nil, noAnswer(err)
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(res.Body, maxRouterSays+1))
	switch {
	case err != nil:
		return 0, nil, noAnswer(err)
	case len(answer) > maxRouterSays:
		return 0, nil, fault.New(fault.Unavailable, "the router's answer is larger than %d MiB", maxRouterSays>>20)
	}
	return res.StatusCode, answer, nil
}

func noAnswer(err error) error {
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fault.From(fault.Unavailable, op, "the router could not be reached")
	}
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		return fault.New(fault.Unavailable, "the router did not answer within %v", routerTime)
	}
	return fault.New(fault.Unavailable, "the connection to the router broke before it had answered")
}

// tooMany refuses more than one request can hold.
func tooMany(from []fleet.Point) error {
	if len(from) <= MaxFrom {
		return nil
	}
	return fault.New(fault.TooLarge, "a router is asked about %d places at once, more than %d", len(from), MaxFrom)
}

// Faults that a router's answer can be. What the router says in its own words is
// left out: it may quote the request.

func offTheMap() error {
	return fault.New(fault.NotFound, "a place is off the router's map")
}

func refused(status int, code string) error {
	return fault.New(fault.Unavailable, "the router refused with status %d, code %s", status, code)
}

func garbled(what string) error {
	return fault.New(fault.Unavailable, "the router's answer cannot be used: %s", what)
}

// measured makes a way of a router's numbers. Both are missing where there is no
// way.
func measured(method location.Method, miles, minutes *float64) (*location.Road, error) {
	switch {
	case miles == nil && minutes == nil:
		return nil, nil
	case miles == nil || minutes == nil:
		return nil, garbled("a distance without a time, or a time without a distance")
	case *miles < 0 || *miles > maxMiles || *minutes < 0 || *minutes > maxMinutes:
		return nil, garbled("a distance or a time out of bounds")
	}
	return &location.Road{Miles: *miles, Minutes: *minutes, Method: method}, nil
}

// scaled is a number in another unit.
func scaled(n *float64, by float64) *float64 {
	if n == nil {
		return nil
	}
	out := *n / by
	return &out
}
