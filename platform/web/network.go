package web

import (
	"net"
	"net/http"
	"net/netip"
)

// Network is where a request comes from, to bound what a stranger takes up: an
// address or, of the protocol's sixth version, the network of 64 bits that one
// household has. Behind a proxy all strangers share one. It is no proof of anything
// and goes into no log.
func Network(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	at, err := netip.ParseAddr(host)
	if err != nil {
		return ""
	}
	at = at.Unmap().WithZone("")
	if at.Is6() {
		if wide, err := at.Prefix(64); err == nil {
			return wide.String()
		}
	}
	return at.String()
}
