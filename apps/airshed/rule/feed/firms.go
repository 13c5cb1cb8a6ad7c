package feed

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// FirmsBase is where the fire service is.
const FirmsBase = "https://firms.modaps.eosdis.nasa.gov"

const firmsName = "the fire service"

// Fires makes the request for the detections of one source in a box over some
// days. The key is part of the address.
func Fires(base, key, source string, box Box, span fire.Span) (Request, error) {
	if err := checkKey(firmsName, key); err != nil {
		return Request{}, err
	}
	if err := box.check(); err != nil {
		return Request{}, err
	}
	if !sourceName(source) {
		return Request{}, fault.New(fault.Invalid, "%.40q is no source of the fire service: as VIIRS_NOAA21_NRT", source)
	}
	if _, err := time.Parse(time.DateOnly, span.From); err != nil || span.Days < 1 || span.Days > fire.MaxDays {
		return Request{}, fault.New(fault.Invalid, "the fire service is asked for 1 to %d days from a day as 2026-11-13", fire.MaxDays)
	}
	path := func(key string) string {
		return "/api/area/csv/" + key + "/" + source + "/" + box.String() + "/" + strconv.Itoa(span.Days) + "/" + span.From
	}
	return keyed(base, key, path)
}

// keyed is a request whose path holds a key.
func keyed(base, key string, path func(key string) string) (Request, error) {
	sent, err := address(base, path(key))
	if err != nil {
		return Request{}, err
	}
	shown, err := address(base, path(Hidden))
	return Request{Shown: shown, url: sent, secret: key}, err
}

func sourceName(s string) bool {
	return s != "" && len(s) <= 40 && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_')
	})
}

// A Window is how far back a file without a key reaches.
type Window string

// The windows there are files for.
const (
	Day      Window = "24h"
	TwoDays  Window = "48h"
	SevenDay Window = "7d"
)

// FireFile makes the request for a satellite's file of South Asia, which needs no
// key. Such files roll on: what is older than the window is gone from them.
func FireFile(base string, s fire.Sensor, w Window) (Request, error) {
	if w != Day && w != TwoDays && w != SevenDay {
		return Request{}, fault.New(fault.Invalid, "there are files of %s, %s and %s, not of %.20q", Day, TwoDays, SevenDay, w)
	}
	stem, ok := strings.CutSuffix(s.File, "_24h.csv")
	odd := func(r rune) bool {
		return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("-_./", r))
	}
	if !ok || strings.ContainsFunc(stem, odd) || strings.Contains(stem, "..") || stem[0] == '/' {
		return Request{}, fault.New(fault.NotFound, "there is no file without a key for satellite %.40q", s.Satellite)
	}
	at, err := address(base, "/data/active_fire/"+stem+"_"+string(w)+".csv")
	return Request{Shown: at, url: at}, err
}

// A FireAsk is one question to the fire service: a source and some days.
type FireAsk struct {
	Source string
	Span   fire.Span
}

// PlanFires cuts a time into questions: for every wanted satellite that served on
// a day of it, and each source once, for Terra and Aqua share theirs. Final asks
// for the standard processing, which lags by some months and is not offered for
// every satellite; those without are left out and named.
func PlanFires(known fire.Constellation, from, to time.Time, final bool) (asks []FireAsk, without []fire.Satellite, err error) {
	spans, err := fire.Spans(from, to)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range known.Sensors {
		source := s.Preliminary
		if final {
			source = s.Final
		}
		if !s.Wanted {
			continue
		}
		if source == "" {
			without = append(without, s.Satellite)
			continue
		}
		for _, sp := range spans {
			if ask := (FireAsk{source, sp}); serves(s, sp) && !slices.Contains(asks, ask) {
				asks = append(asks, ask)
			}
		}
	}
	return asks, without, nil
}

// serves reports whether a satellite was in service on any day of a span.
func serves(s interface{ Serves(day string) bool }, sp fire.Span) bool {
	first, err := time.Parse(time.DateOnly, sp.From)
	if err != nil {
		return false
	}
	for d := range sp.Days {
		if s.Serves(first.AddDate(0, 0, d).Format(time.DateOnly)) {
			return true
		}
	}
	return false
}

// Offered makes the request for which days each source has.
func Offered(base, key string) (Request, error) {
	if err := checkKey(firmsName, key); err != nil {
		return Request{}, err
	}
	return keyed(base, key, func(key string) string { return "/api/data_availability/csv/" + key + "/ALL" })
}

// An Offer is the days a source of the fire service has, the last included.
type Offer struct {
	Source, First, Last string
}

// maxOffers bounds the table of sources and its bytes.
const (
	maxOffers     = 200
	maxOfferBytes = 64 << 10
)

// ParseOffers reads the table of which days each source has. Errors come as plain
// text under the status of success, as with the fires.
func ParseOffers(body []byte) ([]Offer, error) {
	if len(body) > maxOfferBytes {
		return nil, fault.New(fault.TooLarge, "the table of sources has more than %d kB", maxOfferBytes>>10)
	}
	lines := strings.FieldsFunc(strings.TrimPrefix(string(body), "\ufeff"), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 || strings.ReplaceAll(strings.ToLower(lines[0]), " ", "") != "data_id,min_date,max_date" {
		return nil, fault.New(fault.Invalid, "the fire service sent no table of its sources").
			WithNext("check the key for the fire service in the settings")
	}
	if len(lines) > maxOffers {
		return nil, fault.New(fault.TooLarge, "the table of sources has more than %d lines", maxOffers)
	}
	var out []Offer
	for i, l := range lines[1:] {
		c := strings.Split(l, ",")
		if len(c) != 3 || !sourceName(strings.TrimSpace(c[0])) || !isDay(c[1]) || !isDay(c[2]) {
			return nil, fault.New(fault.Invalid, "line %d of the table of sources cannot be read", i+2)
		}
		out = append(out, Offer{strings.TrimSpace(c[0]), strings.TrimSpace(c[1]), strings.TrimSpace(c[2])})
	}
	return out, nil
}

func isDay(s string) bool {
	_, err := time.Parse(time.DateOnly, strings.TrimSpace(s))
	return err == nil
}
