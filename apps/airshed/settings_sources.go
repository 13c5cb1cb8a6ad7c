package airshed

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
	settingDataGov    = "GAVEL_AIRSHED_DATAGOV"
	settingDataGovKey = "GAVEL_AIRSHED_DATAGOV_KEY"
	settingOpenAQ     = "GAVEL_AIRSHED_OPENAQ"
	settingOpenAQKey  = "GAVEL_AIRSHED_OPENAQ_KEY"
	settingFirms      = "GAVEL_AIRSHED_FIRMS"
	settingFirmsKey   = "GAVEL_AIRSHED_FIRMS_KEY"
	settingMeteo      = "GAVEL_AIRSHED_METEO"
	settingSatellites = "GAVEL_AIRSHED_SATELLITES"
	settingWindStep   = "GAVEL_AIRSHED_WIND_STEP"
)

// The settings that are no address and no key, where nobody says otherwise.
const (
	defaultSatellites = "NOAA-21,NOAA-20"
	defaultWindStep   = "0.25"
)

func sourceSettings() []platform.Setting {
	at := func(name, what, carries string) platform.Setting {
		return platform.Setting{Name: name, Help: "where " + what + " is asked; its own address where it is not set", Expect: "an http(s) address without a password",
			Fits: fitsService, Address: func(v string) string { return v }, Carries: carries}
	}
	key := func(name, what string) platform.Setting {
		return platform.Setting{Name: name, Help: "key for " + what, Expect: "a key of letters, digits, -, _ and .", Secret: true, Fits: feed.FitsKey}
	}
	return []platform.Setting{
		at(settingDataGov, "data.gov.in", "a key of data.gov.in"), key(settingDataGovKey, "data.gov.in; without it there is no index of the air from there"),
		at(settingOpenAQ, "OpenAQ", "a key of OpenAQ"), key(settingOpenAQKey, "OpenAQ; without it there are no hourly concentrations"),
		at(settingFirms, "NASA FIRMS", "a key of NASA FIRMS"), key(settingFirmsKey, "NASA FIRMS; without it the files of the last seven days are read, which need none"),
		at(settingMeteo, "Open-Meteo's forecast", "questions about the weather"),
		{Name: settingSatellites, Help: "satellites whose fires are asked for", Expect: "names of known satellites with commas between, as " + defaultSatellites,
			Default: defaultSatellites, Fits: func(v string) bool { _, err := wanted(v); return err == nil }},
		{Name: settingWindStep, Help: "degrees between the places the wind is asked for", Expect: "a number from 0.25 to 1",
			Default: defaultWindStep, Fits: func(v string) bool { _, err := windStep(v); return err == nil }},
	}
}

func fitsService(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" && u.Fragment == ""
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

func windStep(v string) (float64, error) {
	step, err := strconv.ParseFloat(v, 64)
	if err != nil || !(step >= 0.25 && step <= 1) {
		return 0, fault.New(fault.Invalid, "the wind is asked for every 0.25 to 1 degrees, not %.20q", v)
	}
	return step, nil
}

// services are what an installation may ask. A service that is nil has no key.
type services struct {
	index   *DataGov
	hourly  *OpenAQ
	fires   *Firms
	weather *OpenMeteo

	known   fire.Constellation
	keyed   bool // fires are asked for by key; else they are read from files
	lattice feed.Lattice
}

// openServices makes the clients. They last as long as the process: each keeps its
// service's rate.
func openServices(d platform.Deps) (services, error) {
	set := d.Settings
	known, err := wanted(cmp.Or(set[settingSatellites], defaultSatellites))
	if err != nil {
		return services{}, fmt.Errorf("%s: %w", settingSatellites, err)
	}
	step, err := windStep(cmp.Or(set[settingWindStep], defaultWindStep))
	if err != nil {
		return services{}, fmt.Errorf("%s: %w", settingWindStep, err)
	}
	lattice, err := feed.Over(feed.Around(), step)
	if err != nil {
		return services{}, err
	}
	n := Network{Clock: d.Clock}
	s := services{known: known, keyed: set[settingFirmsKey] != "", lattice: lattice,
		fires:   NewFirms(n, FirmsConfig{Base: set[settingFirms], Key: set[settingFirmsKey], Known: known}),
		weather: NewOpenMeteo(n, MeteoConfig{Bases: map[feed.Model]string{feed.Forecast: set[settingMeteo]}})}
	if key := set[settingDataGovKey]; key != "" {
		s.index = NewDataGov(n, DataGovConfig{Base: set[settingDataGov], Key: key})
	}
	if key := set[settingOpenAQKey]; key != "" {
		s.hourly = NewOpenAQ(n, OpenAQConfig{Base: set[settingOpenAQ], Key: key})
	}
	return s, nil
}
