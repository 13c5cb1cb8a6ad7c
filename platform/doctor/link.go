package doctor

import (
	"crypto/tls"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/fault"
)

// PlainHosts are the hosts that a PostgreSQL address may lead to over a network
// without TLS. It asks the driver and not the text of the address: host, several
// hosts, a service file and what sslmode falls back to can each send rows
// somewhere that the text does not show. Sockets of this machine are not hosts.
func PlainHosts(url string) ([]string, error) {
	return hosts(url, func(t *tls.Config) bool { return t == nil })
}

// UnprovenHosts are the hosts that it may lead to over TLS without asking them to
// prove their name, so that whoever is in between can answer instead: every sslmode
// but verify-full.
func UnprovenHosts(url string) ([]string, error) {
	return hosts(url, func(t *tls.Config) bool { return t != nil && t.InsecureSkipVerify })
}

// hosts are those over a network that would be spoken to in such a way.
func hosts(url string, such func(*tls.Config) bool) ([]string, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		// The driver's error may quote the password.
		return nil, fault.New(fault.Invalid,
			"the address cannot be used: a part of it, or a file that it names, is not as PostgreSQL expects")
	}
	ways := []*pgconn.FallbackConfig{{Host: cfg.Host, Port: cfg.Port, TLSConfig: cfg.TLSConfig}}
	var found []string
	for _, way := range append(ways, cfg.Fallbacks...) {
		network, _ := pgconn.NetworkAddress(way.Host, way.Port)
		if network != "unix" && such(way.TLSConfig) {
			found = append(found, way.Host)
		}
	}
	return found, nil
}
