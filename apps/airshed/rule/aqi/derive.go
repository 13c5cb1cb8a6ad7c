package aqi

// DerivedLabel goes wherever a concentration is shown that nobody measured.
const DerivedLabel = "derived from sub-index, rounded"

// Derived is what concentration a published sub-index can stand for. It is a mean
// over the pollutant's period, never an hour's reading. The range holds every
// amount that this package would round to that sub-index; it assumes that the
// publisher rounds as the published method does, half upwards.
type Derived struct {
	Pollutant Pollutant `json:"pollutant"`
	Index     int       `json:"sub_index"`
	Hours     int       `json:"averaging_hours"`
	Middle    Amount    `json:"middle"` // what the sub-index itself stands for; at 500 the least it can
	Low       Amount    `json:"low"`    // the least amount that rounds to the sub-index
	High      Amount    `json:"high"`   // the greatest; none where Open
	Open      bool      `json:"open"`   // 500 is the end of the scale: any amount from Low upwards
	Footing   Footing   `json:"footing"`
	Label     string    `json:"label"` // always DerivedLabel
}

// Derive goes back from a published sub-index to concentrations.
func Derive(p Pollutant, index int) (Derived, error) {
	if _, err := Given(p, index); err != nil {
		return Derived{}, err
	}
	d := Derived{Pollutant: p, Index: index, Hours: p.Period(), Label: DerivedLabel, High: None,
		Low: least(p, index), Middle: middle(p, index), Footing: footing(p, bandOf(2*int64(index)))}
	if index == Top {
		d.Open = true
	} else {
		d.High = least(p, index+1) - 1
	}
	return d, nil
}

// bandOf is the band a number of the index lies in; the number comes doubled, so
// that halves are whole. A number where two bands meet is of the lower.
func bandOf(doubled int64) int {
	band := 0
	for band < severe && doubled > 2*marks[band+1] {
		band++
	}
	return band
}

// least is the smallest amount whose sub-index rounds to the given one.
func least(p Pollutant, index int) Amount {
	if index == 0 {
		return 0
	}
	return standing(p, 2*int64(index)-1) // rounding goes up from half a point below
}

// middle is the amount that stands exactly at a sub-index.
func middle(p Pollutant, index int) Amount { return standing(p, 2*int64(index)) }

// standing is the amount that stands exactly at a number of the index, which comes
// doubled. All bands are so wide in millionths that half points divide them evenly.
func standing(p Pollutant, doubled int64) Amount {
	band := bandOf(doubled)
	low, high := knot(p, band), knot(p, band+1)
	return low + (high-low)*Amount(doubled-2*marks[band])/Amount(2*(marks[band+1]-marks[band]))
}
