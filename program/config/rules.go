package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/doctor"
)

// A rule refuses a value that is well formed but may not stand with the others.
// It gives the name of the setting to change and why, or nothing.
type rule func(*Config) (Name, string)

// together hold in every mode.
func together() []rule {
	return []rule{blobHasKeys, signInIsWhole, clockHasEpoch, engineTLSIsWhole, mailIsWhole, incomingIsWhole}
}

// inProduction hold where real people are judged.
func inProduction() []rule {
	return []rule{noDevTokens, realTime, publicIsHTTPS, listensBehindHTTPS, issuerIsHTTPS, serverIsHTTPS,
		databaseIsPrivate(NameDatabase, func(c *Config) Secret { return c.Database }),
		databaseIsPrivate(NameDatabaseSystem, func(c *Config) Secret { return c.DatabaseSystem }),
		databaseIsPrivate(NameDatabaseOwner, func(c *Config) Secret { return c.DatabaseOwner }),
		blobIsPrivate, engineIsPrivate, resendIsHTTPS, tracesArePrivate, modelsArePrivate, hooksLeadElsewhere}
}

// judge applies the rules to a config whose values all parsed or were refused
// already; a setting with a problem gets no second one.
func (c *Config) judge() {
	rules := together()
	if c.Mode == Production {
		rules = append(rules, inProduction()...)
	}
	for _, r := range rules {
		if name, why := r(c); name != "" && !c.problems.names([]Name{name}) {
			c.problems = append(c.problems, Problem{Name: name, Origin: (*c.given)[name].origin, Detail: why})
		}
	}
	if c.Mode == Production {
		c.judgeBrought()
	}
}

func blobHasKeys(c *Config) (Name, string) {
	if u, err := url.Parse(c.BlobURL); err != nil || u.Scheme != "s3" {
		return "", ""
	} else if u.Query().Get("credentials") == "role" { // the machine's; that there are no keys beside it the store says
		return "", ""
	}
	if c.BlobAccessKey == "" {
		return NameBlobAccessKey, "missing: an s3:// store needs " + lookup(NameBlobAccessKey).Expect
	}
	if c.BlobSecretKey == "" {
		return NameBlobSecretKey, "missing: an s3:// store needs " + lookup(NameBlobSecretKey).Expect
	}
	return "", ""
}

func signInIsWhole(c *Config) (Name, string) {
	parts := []Name{NameOIDCIssuer, NameOIDCClientID, NameOIDCClientSecret}
	if !slices.ContainsFunc(parts, c.IsSet) {
		return "", ""
	}
	for _, name := range parts {
		if !c.IsSet(name) {
			return name, "missing: issuer, client id and client secret go together; set " + lookup(name).Expect
		}
	}
	return "", ""
}

// clockHasEpoch: a scaled clock without a beginning would jump at every restart.
func clockHasEpoch(c *Config) (Name, string) {
	if c.Mode != Production && c.ClockSpeed != 1 && c.ClockSpeed > 0 && c.ClockEpoch.IsZero() {
		return NameClockEpoch, "missing: a clock speed other than 1 needs " + lookup(NameClockEpoch).Expect
	}
	return "", ""
}

func noDevTokens(c *Config) (Name, string) {
	if c.DevTokenKey != "" {
		return NameDevTokenKey, "refused in production: development tokens let anyone who holds the key be anyone; remove it"
	}
	return "", ""
}

func realTime(c *Config) (Name, string) {
	if c.ClockSpeed != 1 {
		return NameClockSpeed, "refused in production: deadlines are owed in real time; remove it or set 1"
	}
	return "", ""
}

func publicIsHTTPS(c *Config) (Name, string) {
	if plainToOthers(c.PublicURL) {
		return NamePublicURL, "refused in production: people would sign in over plain http; use an https:// address"
	}
	return "", ""
}

func listensBehindHTTPS(c *Config) (Name, string) {
	if c.Listen == "" || loopbackAddress(c.Listen) || strings.HasPrefix(c.PublicURL, "https://") {
		return "", ""
	}
	return NameListen, "refused in production: other machines could reach it without TLS. Listen on 127.0.0.1, or set GAVEL_PUBLIC_URL " +
		"to the proxy's https:// address"
}

func issuerIsHTTPS(c *Config) (Name, string) {
	if plainToOthers(c.OIDCIssuer) {
		return NameOIDCIssuer, "refused in production: identities would travel over plain http; use an https:// address"
	}
	return "", ""
}

func serverIsHTTPS(c *Config) (Name, string) {
	if plainToOthers(c.Server) {
		return NameServer, "refused in production: the token would travel over plain http; use an https:// address"
	}
	return "", ""
}

// databaseIsPrivate judges every host the driver would try, and by which means;
// the text of the address does not tell.
func databaseIsPrivate(name Name, get func(*Config) Secret) rule {
	return func(c *Config) (Name, string) {
		address := get(c).Reveal()
		if address == "" {
			return "", ""
		}
		plain, err := doctor.PlainHosts(address)
		if err != nil {
			return name, "refused in production: " + err.Error()
		}
		if i := slices.IndexFunc(plain, elsewhereHost); i >= 0 {
			return name, fmt.Sprintf("refused in production: rows would travel in plain to %.60q; add sslmode=verify-full", plain[i])
		}
		if unproven := unprovenHosts(address); len(unproven) > 0 && c.DatabaseTLSWhy == "" {
			return name, fmt.Sprintf("refused in production: %.60q need not prove its name, and somebody in between could answer. Use "+
				"sslmode=verify-full, or say in %s why not", unproven[0], NameDatabaseTLSWhy)
		}
		return "", ""
	}
}

// UnprovenDatabases are the other machines that a database is expected on and that
// need not prove their name, each once.
func (c *Config) UnprovenDatabases() []string {
	var all []string
	for _, address := range []Secret{c.Database, c.DatabaseSystem, c.DatabaseOwner} {
		all = append(all, unprovenHosts(address.Reveal())...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// unprovenHosts are those of one address. One that cannot be read has a problem of
// its own.
func unprovenHosts(address string) []string {
	if address == "" {
		return nil
	}
	all, _ := doctor.UnprovenHosts(address)
	return slices.DeleteFunc(all, loopbackHost)
}

func elsewhereHost(host string) bool { return !loopbackHost(host) }

func engineIsPrivate(c *Config) (Name, string) {
	if c.TemporalAddress == "" || loopbackAddress(c.TemporalAddress) || c.TemporalTLS {
		return "", ""
	}
	return NameTemporalAddress, "refused in production: steps would travel in plain to another machine; set GAVEL_TEMPORAL_TLS=on"
}

func tracesArePrivate(c *Config) (Name, string) {
	if plainToOthers(c.OTLPEndpoint) {
		return NameOTLPEndpoint, "refused in production: traces would travel over plain http; use an https:// address, or a collector " +
			"on this machine"
	}
	return "", ""
}

func blobIsPrivate(c *Config) (Name, string) {
	u, err := url.Parse(c.BlobURL)
	if err == nil && plainToOthers(u.Query().Get("endpoint")) {
		return NameBlobURL, "refused in production: evidence would travel over plain http; use an https:// endpoint"
	}
	return "", ""
}

// plainToOthers reports whether an address is http on another machine.
func plainToOthers(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "http" && !loopbackHost(u.Hostname())
}

func loopbackAddress(hostPort string) bool {
	host, _, err := net.SplitHostPort(hostPort)
	return err == nil && loopbackHost(host)
}

func loopbackHost(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
