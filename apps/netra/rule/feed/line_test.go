package feed

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// TestAPlainLineSaysWhatItSaysInGeneral promises that a line that is read in one pass says the same as it does to the general
// reader of JSON, and that no line is plain that this refuses.
func TestAPlainLineSaysWhatItSaysInGeneral(t *testing.T) {
	names := []string{"event_id", "source", "source_type", "event_type", "timestamp", "district_lgd", "district", "state", "severity",
		"polarity", "layers", "event_summary", "fatalities", "url", "Severity", "other"}
	values := []string{`"x"`, `"बंद \" x"`, `"बंद, {: }"`, `"a\u0041"`, `""`, `0`, `7`, `007`, `-3`, `1.5`, `1e3`, `123456789`,
		`1234567890`, `99999999999999999999`, `null`, `true`, `["physical"]`, `{}`, `"2026-01-02T03:04:05Z"`,
		`"2026-01-02T03:04:05.123456789+05:30"`,
		`"2026-01-02T3:04:05Z"`, `"2026-01-02 03:04:05Z"`, `"2026-01-02T03:04:05,5Z"`, `"2026-13-02T03:04:05Z"`, "\"a\tb\"", `"open`, ``}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString(rapid.SampledFrom([]string{"{", "{", "{", " { ", ""}).Draw(t, "begin"))
		for i := range rapid.IntRange(0, 4).Draw(t, "fields") {
			if i > 0 {
				b.WriteString(rapid.SampledFrom([]string{",", ",", ", ", "\t,", ""}).Draw(t, "comma"))
			}
			fmt.Fprintf(&b, `"%s"%s%s`, rapid.SampledFrom(names).Draw(t, "name"),
				rapid.SampledFrom([]string{":", ": ", ""}).Draw(t, "colon"), rapid.SampledFrom(values).Draw(t, "value"))
		}
		b.WriteString(rapid.SampledFrom([]string{"}", "}", "}", " }", "} x", "}}", ""}).Draw(t, "end"))
		var got, want signal.Report
		if !readPlain([]byte(b.String()), &got) {
			return
		}
		if err := json.Unmarshal([]byte(b.String()), &want); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s: got %+v, want %+v, %v", b.String(), got, want, err)
		}
	})
	var r signal.Report
	if !readPlain([]byte(`{"event_id":"e-1","source":"desk","source_type":"news","event_type":"riot","timestamp":"2026-01-02T03:04:05Z",`+
		`"district_lgd":7,"severity":3,"fatalities":0,"event_summary":"दुकानें बंद"}`), &r) {
		t.Error("a line as programs write it is not plain")
	}
}
