package lawbook

import (
	"fmt"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Stage is a stage of the Graded Response Action Plan. 0 is none.
type Stage uint8

// MaxAQI is the end of the national index.
const MaxAQI = 500

// The highest index of each stage's band; the last has no end.
const (
	belowBands = 200
	endOfI     = 300
	endOfII    = 400
	endOfIII   = 450
)

// Band is the stage in whose band a rounded index lies.
func Band(aqi int) Stage {
	switch {
	case aqi <= belowBands:
		return 0
	case aqi <= endOfI:
		return 1
	case aqi <= endOfII:
		return 2
	case aqi <= endOfIII:
		return 3
	}
	return 4
}

// String is the stage's numeral, and nothing for none.
func (s Stage) String() string {
	return [...]string{"", "I", "II", "III", "IV"}[min(s, 4)]
}

// A Measure is whose index is spoken of.
type Measure uint8

// The measures. The zero value claims least.
const (
	OneStation Measure = iota
	DelhiBulletin
)

// BandSentence says in which band an index lies. It never says that a stage is in
// force: the Commission's sub-committee decides that, on Delhi's bulletin of 4 PM
// and the forecast, and the index of one station is not Delhi's.
func BandSentence(aqi int, of Measure) (string, error) {
	if aqi < 0 || aqi > MaxAQI {
		return "", fault.New(fault.Invalid, "an index of %d: the national index runs from 0 to %d", aqi, MaxAQI)
	}
	said := fmt.Sprintf("An AQI of %d lies below the bands of the Graded Response Action Plan.", aqi)
	if s := Band(aqi); s > 0 {
		said = fmt.Sprintf("An AQI of %d lies in the Stage %s band of the Graded Response Action Plan.", aqi, s)
	}
	if of == DelhiBulletin {
		return said + " Stages are invoked by the Commission's sub-committee, on the bulletin and the forecast.", nil
	}
	return said + " It is one station's index, not Delhi's; stages are invoked by the Commission's sub-committee, on Delhi's 4 PM " +
		"bulletin and the forecast.", nil
}
