package config

import (
	"net/url"
	"strings"
)

func roads() []Setting {
	return []Setting{
		{Name: NameRouter, Help: "a server that knows how far it is by road; distances are estimated where it is not set",
			Expect: "osrm+ or valhalla+ and an http(s) address, for example osrm+http://127.0.0.1:5000", set: func(c *Config, v string) bool {
				c.Router = v
				kind, address, ok := strings.Cut(v, "+")
				u, err := url.Parse(address)
				return ok && (kind == "osrm" || kind == "valhalla") && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
					u.User == nil && u.RawQuery == "" && u.Fragment == ""
			}},
	}
}

// roadsArePrivate: where people live goes over that line.
func roadsArePrivate(c *Config) (Name, string) {
	if _, address, _ := strings.Cut(c.Router, "+"); plainToOthers(address) {
		return NameRouter, "refused in production: homes would travel over plain http; use an https:// address, or a router on this machine"
	}
	return "", ""
}
