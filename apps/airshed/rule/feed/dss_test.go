package feed_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
)

// entry is one made by hand; the address is the institute's.
const entry = `{"issued_at":"2026-11-12T18:00:00+05:30","valid_date":"2026-11-13","stubble_percent":22.5,"source_url":"https://ews.tropmet.res.in/dss/",
	"captured_bytes_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","captured_by":"dev:analyst@north"}`

// TestAShareComesWithItsBytes promises that an entry is read, and refused when it
// lacks what makes it evidence.
func TestAShareComesWithItsBytes(t *testing.T) {
	got, err := feed.ParseShare([]byte(entry))
	if err != nil || got.Percent != 22.5 || got.ValidDate != "2026-11-13" || len(got.Warnings()) != 0 {
		t.Errorf("got %+v, %v, warnings %v", got, err, got.Warnings())
	}
	for name, change := range map[string][2]string{
		"no percent":        {`"stubble_percent":22.5,`, ``},
		"null":              {`22.5`, `null`},
		"more than all":     {`22.5`, `100.1`},
		"less than nothing": {`22.5`, `-1`},
		"text":              {`22.5`, `"22.5"`},
		"no hash":           {`e3b0`, ``},
		"a hash in capital": {`e3b0`, `E3B0`},
		"nobody":            {`dev:analyst@north`, ` `},
		"no day":            {`2026-11-13"`, `13 November"`},
		"a short day":       {`2026-11-13"`, `2026-11-3"`},
		"no moment":         {`2026-11-12T18:00:00+05:30`, `yesterday`},
		"no address":        {`https://ews.tropmet.res.in/dss/`, `dss`},
		"a password":        {`https://`, `https://me:secret@`},
		"a field too many":  {`"stubble_percent"`, `"state":"Haryana","stubble_percent"`},
		"two":               {`north"}`, `north"}{}`},
	} {
		if got, err := feed.ParseShare([]byte(strings.Replace(entry, change[0], change[1], 1))); err == nil {
			t.Errorf("%s was taken: %+v", name, got)
		}
	}
}

// TestAnOddShareIsWarnedOf promises the bounds of what is expected: 70 percent at
// most, and 5 outside 25 September to 5 December.
func TestAnOddShareIsWarnedOf(t *testing.T) {
	for _, tt := range []struct {
		day, issued string
		percent     float64
		want        []feed.Warning
	}{
		{"2026-11-13", "2026-11-13T00:00:00Z", 70, nil},
		{"2026-11-13", "2026-11-13T00:00:00Z", 70.1, []feed.Warning{feed.ImplausibleShare}},
		{"2026-09-24", "2026-09-24T00:00:00Z", 5.1, []feed.Warning{feed.OutOfSeason, feed.SystemSilent}},
		{"2026-10-01", "2026-10-01T00:00:00Z", 5.1, nil},
		{"2026-12-05", "2026-12-05T00:00:00Z", 5.1, nil},
		{"2026-12-06", "2026-12-06T00:00:00Z", 5.1, []feed.Warning{feed.OutOfSeason}},
		{"2026-12-06", "2026-12-06T00:00:00Z", 5, nil},
		{"2026-11-13", "2026-11-08T00:00:00Z", 10, nil}, // five days ahead
		{"2026-11-13", "2026-11-07T00:00:00Z", 10, []feed.Warning{feed.NotThatForecast}},
		{"2026-11-13", "2026-11-13T19:00:00Z", 10, []feed.Warning{feed.NotThatForecast}}, // in India it is the 14th already
	} {
		body := strings.NewReplacer("2026-11-13\"", tt.day+"\"", "2026-11-12T18:00:00+05:30", tt.issued).Replace(entry)
		got, err := feed.ParseShare([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		got.Percent = tt.percent
		if w := got.Warnings(); !reflect.DeepEqual(w, tt.want) {
			t.Errorf("%v on %s of %s: got %v, want %v", tt.percent, tt.day, tt.issued, w, tt.want)
		}
	}
	if len(feed.Caveats()) < 4 {
		t.Error("a caveat is missing")
	}
}

// FuzzParseShare promises that whatever is read passes its own check.
func FuzzParseShare(f *testing.F) {
	f.Add([]byte(entry))
	f.Fuzz(func(t *testing.T, body []byte) {
		s, err := feed.ParseShare(body)
		if err != nil {
			return
		}
		if err := s.Check(); err != nil || s.Percent < 0 || s.Percent > 100 {
			t.Errorf("%+v: %v", s, err)
		}
		s.Warnings()
	})
}
