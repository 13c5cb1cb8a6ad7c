package outside

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// The settings of the services that are asked: an address for those who have a copy
// of the service's data nearer by, and a key.
const (
	SettingDataGov    = "GAVEL_AIRSHED_DATAGOV"
	SettingDataGovKey = "GAVEL_AIRSHED_DATAGOV_KEY"
	SettingOpenAQ     = "GAVEL_AIRSHED_OPENAQ"
	SettingOpenAQKey  = "GAVEL_AIRSHED_OPENAQ_KEY"
	SettingFirms      = "GAVEL_AIRSHED_FIRMS"
	SettingFirmsKey   = "GAVEL_AIRSHED_FIRMS_KEY"
	SettingMeteo      = "GAVEL_AIRSHED_METEO"
	SettingSatellites = "GAVEL_AIRSHED_SATELLITES"
	SettingWatchers   = "GAVEL_AIRSHED_GEOSTATIONARY"
	SettingWindStep   = "GAVEL_AIRSHED_WIND_STEP"
)

// The settings that are no address and no key, where nobody says otherwise.
const (
	defaultSatellites = "NOAA-21,NOAA-20"
	defaultWindStep   = "0.25"
)

func sourceSettings() []platform.Setting {
	at := func(name, what, carries string) platform.Setting {
		return platform.Setting{Name: name, Help: "where " + what + " is asked; its own address where it is not set",
			Expect: "an http(s) address without a password",
			Fits:   fitsService, Address: func(v string) string { return v }, Carries: carries}
	}
	key := func(name, what string) platform.Setting {
		return platform.Setting{Name: name, Help: "key for " + what, Expect: "a key of letters, digits, -, _ and .", Secret: true,
			Fits: feed.FitsKey}
	}
	return []platform.Setting{
		at(SettingDataGov, "data.gov.in", "a key of data.gov.in"),
		key(SettingDataGovKey, "data.gov.in; without it there is no index of the air from there"),
		at(SettingOpenAQ, "OpenAQ", "a key of OpenAQ"), key(SettingOpenAQKey, "OpenAQ; without it there are no hourly concentrations"),
		at(SettingFirms, "NASA FIRMS", "a key of NASA FIRMS"),
		key(SettingFirmsKey, "NASA FIRMS; without it the files of the last seven days are read, which need none"),
		at(SettingMeteo, "Open-Meteo's forecast", "questions about the weather"),
		{Name: SettingSatellites, Help: "satellites whose fires are asked for",
			Expect:  "names of known satellites with commas between, as " + defaultSatellites,
			Default: defaultSatellites, Fits: func(v string) bool { _, err := wanted(v); return err == nil }},
		{Name: SettingWatchers, Help: "geostationary satellites whose fires between passes are asked for; none where it is not set",
			Expect: "names of known geostationary satellites with commas between, as Meteosat-9,Himawari-9; it needs " + SettingFirmsKey,
			Fits:   func(v string) bool { _, err := watched(v); return err == nil }},
		{Name: SettingWindStep, Help: "degrees between the places the wind is asked for", Expect: "a number from 0.25 to 1",
			Default: defaultWindStep, Fits: func(v string) bool { _, err := windStep(v); return err == nil }},
	}
}

func fitsService(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == ""
}

// wanted is the satellites that are known, of which those named are wanted.
func wanted(names string) (fire.Constellation, error) {
	c, err := fire.Known()
	if err != nil {
		return c, err
	}
	c.Sensors = slices.Clone(c.Sensors)
	for i := range c.Sensors {
		c.Sensors[i].Wanted = false
	}
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(c.Sensors, func(s fire.Sensor) bool { return string(s.Satellite) == strings.TrimSpace(name) })
		if i < 0 {
			return c, fault.New(fault.Invalid, "no satellite is called %.40q", name)
		}
		c.Sensors[i].Wanted = true
	}
	return c, nil
}

// watched is the known geostationary satellites of those names.
func watched(names string) (fire.Watch, error) {
	w, err := fire.KnownWatch()
	if err != nil {
		return w, err
	}
	return w.Only(strings.Split(names, ",")...)
}

func windStep(v string) (float64, error) {
	step, err := strconv.ParseFloat(v, 64)
	if err != nil || !(step >= 0.25 && step <= 1) {
		return 0, fault.New(fault.Invalid, "the wind is asked for every 0.25 to 1 degrees, not %.20q", v)
	}
	return step, nil
}

// Services are what an installation may ask. A service that is nil has no key.
type Services struct {
	Index   *DataGov
	Hourly  *OpenAQ
	Fires   *Firms
	Looks   *Watchers // nil: nobody wants them
	Weather *OpenMeteo

	Known   fire.Constellation
	Keyed   bool // fires are asked for by key; else they are read from files
	Lattice feed.Lattice
}

// OpenServices makes the clients. They last as long as the process: each keeps its
// service's rate.
func OpenServices(set map[string]string, n Network) (Services, error) {
	known, err := wanted(cmp.Or(set[SettingSatellites], defaultSatellites))
	if err != nil {
		return Services{}, fmt.Errorf("%s: %w", SettingSatellites, err)
	}
	step, err := windStep(cmp.Or(set[SettingWindStep], defaultWindStep))
	if err != nil {
		return Services{}, fmt.Errorf("%s: %w", SettingWindStep, err)
	}
	lattice, err := feed.Over(feed.Around(), step)
	if err != nil {
		return Services{}, err
	}
	s := Services{Known: known, Keyed: set[SettingFirmsKey] != "", Lattice: lattice,
		Fires:   NewFirms(n, FirmsConfig{Base: set[SettingFirms], Key: set[SettingFirmsKey], Known: known}),
		Weather: NewOpenMeteo(n, MeteoConfig{Bases: map[feed.Model]string{feed.Forecast: set[SettingMeteo]}})}
	if names := set[SettingWatchers]; names != "" {
		watch, err := watched(names)
		if err != nil {
			return Services{}, fmt.Errorf("%s: %w", SettingWatchers, err)
		}
		s.Looks = NewWatchers(n, s.Fires, watch)
	}
	if key := set[SettingDataGovKey]; key != "" {
		s.Index = NewDataGov(n, DataGovConfig{Base: set[SettingDataGov], Key: key})
	}
	if key := set[SettingOpenAQKey]; key != "" {
		s.Hourly = NewOpenAQ(n, OpenAQConfig{Base: set[SettingOpenAQ], Key: key})
	}
	return s, nil
}
