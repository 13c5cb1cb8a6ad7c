package config

import (
	"encoding/base64"
	"net"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gavelhq/gavel/platform/durable"
)

var (
	namespaceForm = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,100}$`)
	bucketForm    = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)
)

func parseSpeed(v string) (float64, bool) {
	f, err := strconv.ParseFloat(v, 64)
	return f, err == nil && f > 0 && f <= durable.MaxSpeed
}

// validListen allows an empty host, which means every interface, and port 0,
// which means any free port.
func validListen(v string) bool {
	_, port, err := net.SplitHostPort(v)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil && !hasSpace(v)
}

func hostPort(field func(*Config) *string) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		*field(c) = v
		host, port, err := net.SplitHostPort(v)
		return err == nil && host != "" && port != "0" && validListen(v)
	}
}

func word(put func(*Config, string)) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		put(c, v)
		return !hasSpace(v)
	}
}

func hasSpace(v string) bool {
	return strings.ContainsFunc(v, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
}

// base takes an http(s) address without user, query and fragment, and drops
// the final slash so that paths can be appended.
func base(field func(*Config) *string) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		*field(c) = strings.TrimRight(v, "/")
		return validWebURL(v)
	}
}

func validWebURL(v string) bool {
	u, err := url.Parse(v)
	if err != nil || hasSpace(v) {
		return false
	}
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
		u.User == nil && u.RawQuery == "" && !u.ForceQuery && u.Fragment == "" && u.Opaque == ""
}

func postgres(field func(*Config) *Secret) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		*field(c) = Secret(v)
		u, err := url.Parse(v)
		if err != nil || hasSpace(v) {
			return false
		}
		return (u.Scheme == "postgres" || u.Scheme == "postgresql") && u.User.Username() != "" &&
			len(u.Path) > 1 && (u.Hostname() != "" || u.Query().Get("host") != "")
	}
}

// showDatabase shows who connects where, and nothing that could be a secret:
// the password and every query value but the ones known to be harmless go.
func showDatabase(v string) string {
	u, err := url.Parse(v)
	if err != nil || u.Scheme == "" || u.Host == "" && u.Query().Get("host") == "" {
		return mask
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), mask)
	}
	q := u.Query()
	for name := range q {
		if !slices.Contains([]string{"host", "port", "sslmode", "application_name", "pool_max_conns", "connect_timeout"}, name) {
			q.Set(name, mask)
		}
	}
	u.RawQuery, u.Fragment = q.Encode(), ""
	return strings.ReplaceAll(u.String(), url.QueryEscape(mask), mask)
}

func valid32Bytes(v string) bool {
	b, err := base64.StdEncoding.Strict().DecodeString(v)
	return err == nil && len(b) == 32
}

func validBlobURL(v string) bool {
	u, err := url.Parse(v)
	if err != nil || hasSpace(v) || u.User != nil || u.Fragment != "" {
		return false
	}
	switch u.Scheme {
	case "file":
		return u.Host == "" && path.IsAbs(u.Path) && u.RawQuery == ""
	case "s3":
		endpoint := u.Query().Get("endpoint")
		return bucketForm.MatchString(u.Host) && (endpoint == "" || validWebURL(endpoint))
	}
	return false
}
