package lake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
)

// TestWhatStandsInsideAFieldIsNoFieldTwice promises that names are told from values,
// and from names within them, and that the number of fields has an end.
func TestWhatStandsInsideAFieldIsNoFieldTwice(t *testing.T) {
	o := read(t, object(`"aqi":450,"note":"pm25\\",  "pm25":40,"more":{"pm25":1,"aqi":[{"aqi":"\"aqi\":"}]},"said":"aqi"`, "", ""))
	if o.Air[0].Index != 450 || len(o.Air[0].Values) != 1 {
		t.Errorf("row %+v", o.Air[0])
	}
	var fields strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fields, `"f%d":1,`, i)
	}
	if _, err := lake.Read([]byte(object(fields.String()+`"aqi":1`, "", ""))); err == nil || !strings.Contains(err.Error(),
		"more than 200 fields") {
		t.Errorf("300 fields: %v", err)
	}
}
