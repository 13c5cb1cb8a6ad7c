package output_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

type item struct {
	Title string     `json:"title"`
	N     int        `json:"n"`
	At    *time.Time `json:"at"`
}

func columns() []output.Column[item] {
	return []output.Column[item]{
		{Head: "TITLE", Field: "title", Value: func(i item) any { return i.Title }},
		{Head: "N", Field: "n", Value: func(i item) any { return i.N }},
		{Head: "AT", Field: "at", Value: func(i item) any { return i.At }, Time: true},
	}
}

func printer(t *testing.T, f output.Format) (p *output.Printer, out, talk *bytes.Buffer) {
	t.Helper()
	zone, err := time.LoadLocation("Asia/Kolkata")
	if err != nil {
		t.Fatal(err)
	}
	out, talk = &bytes.Buffer{}, &bytes.Buffer{}
	return &output.Printer{Out: out, Talk: talk, Format: f, Zone: zone}, out, talk
}

func items() []item {
	at := time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)
	return []item{{"first <b>", 1, &at}, {"=HYPERLINK()\x1b[2J", -2, nil}}
}

func TestEachFormatShowsAList(t *testing.T) {
	for _, tt := range []struct {
		format output.Format
		want   string
	}{
		{output.Table, "TITLE             N   AT (IST)\nfirst <b>         1   2026-11-15 01:30\n=HYPERLINK() [2J  -2  \n"},
		{output.JSON, "[\n  {\n    \"title\": \"first <b>\",\n    \"n\": 1,\n    \"at\": \"2026-11-14T20:00:00Z\"\n  },\n  {\n    " +
			"\"title\": \"=HYPERLINK()\\u001b[2J\",\n    \"n\": -2,\n    \"at\": null\n  }\n]\n"},
		{output.NDJSON, "{\"title\":\"first <b>\",\"n\":1,\"at\":\"2026-11-14T20:00:00Z\"}\n{\"title\":\"=HYPERLINK()\\u001b[2J\",\"n\":-2,\"at\":null}\n"},
		{output.CSV, "title,n,at\nfirst <b>,1,2026-11-14T20:00:00Z\n'=HYPERLINK()\x1b[2J,-2,\n"},
		{output.YAML, "- title: \"first <b>\"\n  \"n\": 1\n  at: \"2026-11-14T20:00:00Z\"\n- title: \"=HYPERLINK()\\e[2J\"\n  \"n\": " +
			"-2\n  at: null\n"},
		{output.Name, "first <b>\n=HYPERLINK() [2J\n"},
	} {
		p, out, talk := printer(t, tt.format)
		if err := output.List(p, items(), "nothing", columns()); err != nil {
			t.Fatal(err)
		}
		got := out.String()
		if got != tt.want || talk.Len() != 0 {
			t.Errorf("%s: got\n%s\nwant\n%s\nand said %q", tt.format, got, tt.want, talk)
		}
	}
}

func TestAnEmptyListIsStillAList(t *testing.T) {
	for _, tt := range []struct {
		format    output.Format
		out, talk string
	}{
		{output.Table, "", "no items\n"},
		{output.JSON, "[]\n", ""},
		{output.NDJSON, "", ""},
		{output.CSV, "title,n,at\n", ""},
		{output.YAML, "[]\n", ""},
		{output.Name, "", ""},
	} {
		p, out, talk := printer(t, tt.format)
		if err := output.List(p, nil, "no items", columns()); err != nil {
			t.Fatal(err)
		}
		if out.String() != tt.out || talk.String() != tt.talk {
			t.Errorf("%s: got %q and %q, want %q and %q", tt.format, out, talk, tt.out, tt.talk)
		}
	}
}

func TestOneItemIsAnObject(t *testing.T) {
	p, out, _ := printer(t, output.JSON)
	if err := output.One(p, items()[0], columns()); err != nil {
		t.Fatal(err)
	}
	var got item
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Title != "first <b>" {
		t.Errorf("got %s %v", out, err)
	}
	p, out, _ = printer(t, output.Table)
	if err := output.One(p, items()[1], columns()); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "TITLE  =HYPERLINK() [2J\nN      -2\n"; got != want {
		t.Errorf("got %q, want %q: an empty value has no line", got, want)
	}
}

// One heading stands over times of the whole year, so it must be true of all.
func TestTheHeadingNamesTheZone(t *testing.T) {
	for _, tt := range []struct{ zone, want string }{
		{"Asia/Kolkata", "AT (IST)"},
		{"Europe/Berlin", "AT (Europe/Berlin)"}, // CET and CEST
		{"UTC", "AT (UTC)"},
		{"", "AT (UTC)"},
	} {
		p, out, _ := printer(t, output.Table)
		p.Zone = nil
		if tt.zone != "" {
			zone, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			p.Zone = zone
		}
		if err := output.List(p, items(), "", columns()); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), tt.want+"\n") {
			t.Errorf("%s: got\n%s\nwant %s", tt.zone, out, tt.want)
		}
	}
}

func TestQuietSaysNothing(t *testing.T) {
	p, _, talk := printer(t, output.Table)
	p.Quiet = true
	p.Say("opened %s", "x")
	if talk.Len() != 0 {
		t.Errorf("got %q", talk)
	}
}

func TestUnknownFormatsAreRefused(t *testing.T) {
	for _, name := range output.Formats() {
		if _, err := output.ParseFormat(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := output.ParseFormat("xml"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestTextFromOutsideCannotMoveTheTerminal(t *testing.T) {
	got := output.Clean("a\x1b]0;owned\x07b\r\nc\u202ed\u2066e\u202af" + strings.Repeat("ध", 500))
	if strings.ContainsAny(got, "\x1b\x07\r\n\u202e\u2066\u202a") || len([]rune(got)) != 200 || !strings.HasSuffix(got, "…") {
		t.Errorf("got %q", got)
	}
}
