package hook

import (
	"context"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxURL is how long an address may be; lookupTime how long its name may take to be
// found.
const (
	maxURL     = 2_000
	lookupTime = 5 * time.Second
	maxAddrs   = 64 // of one name
)

// checkURL refuses an address that no message may go to: not https, inside, or of
// a name that nobody knows. It is a courtesy to who types it. The wall is the
// check at every connection, for what a name leads to may change.
func (s *Store) checkURL(ctx context.Context, text string) (string, error) {
	text = strings.TrimSpace(text)
	if len(text) > maxURL {
		return "", fault.New(fault.TooLarge, "the address has over %d characters", maxURL)
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Hostname() == "" || u.Opaque != "" || strings.ContainsAny(text, " \t\r\n\x00") {
		return "", fault.New(fault.Invalid, "the address is not one of the web, as https://example.org/hooks is")
	}
	switch {
	case u.User != nil:
		return "", fault.New(fault.Invalid, "the address holds a user's name or password").
			WithNext("leave it out: every message is signed, and the receiver checks that")
	case u.Fragment != "":
		return "", fault.New(fault.Invalid, "the address has a fragment, which is never sent")
	case u.Scheme != "https" && (u.Scheme != "http" || !s.Loopback):
		return "", fault.New(fault.Invalid, "the address does not begin with https://")
	}
	if err := s.checkPort(u.Port()); err != nil {
		return "", err
	}
	if err := s.checkHost(ctx, u.Hostname(), u.Scheme == "http"); err != nil {
		return "", err
	}
	return u.String(), nil
}

// checkPort keeps messages from being sent to servers of other protocols.
func (s *Store) checkPort(port string) error {
	if port == "" {
		return nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 || n != 443 && n < 1024 && !s.Loopback {
		return fault.New(fault.Invalid, "the port is neither 443 nor from 1024 to 65535")
	}
	return nil
}

// checkHost looks a name up and refuses it where any of its addresses is inside.
func (s *Store) checkHost(ctx context.Context, host string, plain bool) error {
	addrs, err := literalOr(ctx, host, s.Lookup)
	if err != nil || len(addrs) == 0 || len(addrs) > maxAddrs {
		return fault.New(fault.Invalid, "no address is known for the name in it").
			WithNext("correct the name, or try again when it can be looked up")
	}
	for _, a := range addrs {
		if !mayReach(a, s.Loopback) {
			return fault.New(fault.Invalid, "it leads to an address inside, which no message may go to").
				WithNext("give an address that is reached over the internet")
		}
		if plain && !a.Unmap().IsLoopback() {
			return fault.New(fault.Invalid, "the address does not begin with https://")
		}
	}
	return nil
}

func literalOr(ctx context.Context, host string, find func(context.Context, string) ([]netip.Addr, error)) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, stop := context.WithTimeout(ctx, lookupTime)
	defer stop()
	return find(ctx, host)
}

func lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// inside are the networks that are not somebody else's server, beyond those that
// netip has a name for. Some of them carry an address of version 4 within, which
// may be any.
var inside = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // behind a carrier's translation
	netip.MustParsePrefix("192.0.0.0/24"),    // protocol assignments
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved, and broadcast
	netip.MustParsePrefix("::/96"),           // version 4 within, an old form
	netip.MustParsePrefix("64:ff9b::/96"),    // version 4 within, translated
	netip.MustParsePrefix("64:ff9b:1::/48"),  // the same, locally
	netip.MustParsePrefix("100::/64"),        // discarded
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // version 4 within, 6to4
	netip.MustParsePrefix("3fff::/20"),       // documentation
	netip.MustParsePrefix("5f00::/16"),       // segment routing
	netip.MustParsePrefix("fec0::/10"),       // a site's own, an old form
}

// assigned is what of version 6 leads to other people's servers; all else is inside,
// reserved, or carries a version 4 within.
var assigned = netip.MustParsePrefix("2000::/3")

// mayReach reports whether a message may go to an address.
func mayReach(a netip.Addr, loopback bool) bool {
	if a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.IsLoopback() {
		return loopback
	}
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsMulticast() || a.IsUnspecified() {
		return false
	}
	if a.Is6() && !assigned.Contains(a) {
		return false
	}
	for _, p := range inside {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// hostOf is where an address leads, without its path.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return u.Host
}
