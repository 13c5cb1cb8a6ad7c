package hook

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// How long each part of a try may take, and how much of an answer is read.
const (
	dialTime  = 5 * time.Second
	tryTime   = 10 * time.Second // the whole of it
	idleTime  = 30 * time.Second
	maxHeader = 16 << 10
	MaxAnswer = 1_024 // bytes that are kept
)

// errInside is why a connection was not made.
var errInside = errors.New("the name leads to an address inside")

// newClient makes what messages are sent with. The dialler looks at the address it
// is about to connect to, after the name was looked up, whatever stood in the URL
// and however often the name changes. It follows no redirect, for that would be
// another address than the one which was registered, and it asks no proxy: a proxy
// would look the name up itself, unseen.
func newClient(loopback bool) *http.Client {
	d := &net.Dialer{Timeout: dialTime, ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil || network != "tcp4" && network != "tcp6" || !mayReach(at.Addr(), loopback) {
			return errInside
		}
		return nil
	}}
	return &http.Client{
		Timeout:       tryTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: nil, DialContext: d.DialContext, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: tryTime,
			MaxResponseHeaderBytes: maxHeader, DisableCompression: true, ForceAttemptHTTP2: true,
			MaxIdleConns: 64, MaxIdleConnsPerHost: 1, IdleConnTimeout: idleTime,
		},
	}
}
