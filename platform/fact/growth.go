package fact

import (
	"math/big"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
)

// growthDigits is how many digits a growth rate is computed to before it is
// rounded to Digits: those of a decimal128.
const growthDigits = 34

// maxPeriods bounds the degree of the root.
const maxPeriods = 400

// growth is ((first ÷ second)^(1/years) − 1) × 100. The years are the real
// distance between the two subjects' years; nothing is interpolated.
func growth(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	if _, err := oneUnit(Growth, facts); err != nil {
		return nil, "", err
	}
	years, err := periods(facts)
	if err != nil {
		return nil, "", err
	}
	for i, x := range n {
		if x.Sign() <= 0 {
			return nil, "", fault.New(fault.Invalid, "growth_rate: %s is not above zero; a rate of growth needs two positive values",
				facts[i].ID)
		}
	}
	return yearlyRate(new(big.Rat).Quo(n[0], n[1]), years), PercentYearly, nil
}

func periods(facts []Fact) (int, error) {
	var y [2]int
	for i, f := range facts {
		year, err := strconv.Atoi(f.Subject.IDs[YearID])
		if err != nil || year < 0 || year > 9999 {
			return 0, fault.New(fault.Invalid, "growth_rate: the subject of %s has no year", f.ID)
		}
		y[i] = year
	}
	n := y[0] - y[1]
	if n < 1 || n > maxPeriods {
		return 0, fault.New(fault.Invalid, "growth_rate: %s (%d) must lie 1 to %d years after %s (%d)",
			facts[0].ID, y[0], maxPeriods, facts[1].ID, y[1])
	}
	return n, nil
}

// yearlyRate works in whole numbers with guard digits, and takes more of them
// until the difference from 1 has enough of its own. It stops at 176 places: a
// rate below 10^-140 is shown as what is left of it.
func yearlyRate(q *big.Rat, years int) *big.Rat {
	if q.Cmp(big.NewRat(1, 1)) == 0 {
		return new(big.Rat)
	}
	for places := growthDigits + 10; ; places *= 2 {
		x := new(big.Int).Mul(q.Num(), pow10(places*years))
		r := root(x.Quo(x, q.Denom()), years)
		r.Sub(r, pow10(places))
		if len(r.Text(10)) > growthDigits+2 || places > 150 {
			rate := new(big.Rat).SetFrac(r, pow10(places-2)) // −2: in per cent
			return RoundTo(rate, growthDigits)
		}
	}
}

// root is the largest whole number whose n-th power is at most x, by Newton's
// method from above.
func root(x *big.Int, n int) *big.Int {
	if x.Sign() == 0 {
		return new(big.Int)
	}
	N, less := big.NewInt(int64(n)), big.NewInt(int64(n-1))
	r := new(big.Int).Lsh(one, uint((x.BitLen()+n-1)/n))
	for {
		t := new(big.Int).Exp(r, less, nil)
		t.Quo(x, t)
		t.Add(t, new(big.Int).Mul(r, less)).Quo(t, N)
		if t.Cmp(r) >= 0 {
			return r
		}
		r = t
	}
}
