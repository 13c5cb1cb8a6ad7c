package fact

import (
	"math/big"

	"github.com/gavelhq/gavel/platform/fault"
)

var hundred = big.NewRat(100, 1)

func sum(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	unit, err := oneUnit(Sum, facts)
	return total(n), unit, err
}

func total(n []*big.Rat) *big.Rat {
	t := new(big.Rat)
	for _, x := range n {
		t.Add(t, x)
	}
	return t
}

func difference(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	unit, err := oneUnit(Difference, facts)
	if unit == Percent {
		unit = Points
	}
	return new(big.Rat).Sub(n[0], n[1]), unit, err
}

func ratio(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	if err := nonZero(Ratio, facts[1], n[1]); err != nil {
		return nil, "", err
	}
	unit, err := perUnit(facts[0].Unit, facts[1].Unit)
	return new(big.Rat).Quo(n[0], n[1]), unit, err
}

func percentage(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	if _, err := oneUnit(Percentage, facts); err != nil {
		return nil, "", err
	}
	if err := nonZero(Percentage, facts[1], n[1]); err != nil {
		return nil, "", err
	}
	q := new(big.Rat).Quo(n[0], n[1])
	return q.Mul(q, hundred), Percent, nil
}

// share refuses parts of different signs: a part of a sum in which some parts
// cancel others is not a share of it.
func share(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	if _, err := oneUnit(Share, facts); err != nil {
		return nil, "", err
	}
	sign := 0
	for i, x := range n {
		if x.Sign()*sign < 0 {
			return nil, "", fault.New(fault.Invalid, "share: %s has another sign than the parts before it; a share needs parts of one sign",
				facts[i].ID)
		}
		if x.Sign() != 0 {
			sign = x.Sign()
		}
	}
	if sign == 0 {
		return nil, "", fault.New(fault.Invalid, "share: all parts are zero")
	}
	q := new(big.Rat).Quo(n[0], total(n))
	return q.Mul(q, hundred), Percent, nil
}

func nonZero(op Op, f Fact, n *big.Rat) error {
	if n.Sign() == 0 {
		return fault.New(fault.Invalid, "%s: %s is zero and cannot be divided by", op, f.ID)
	}
	return nil
}

func mean(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	unit, err := oneUnit(Mean, facts)
	t := total(n)
	return t.Quo(t, big.NewRat(int64(len(n)), 1)), unit, err
}

func least(facts []Fact, n []*big.Rat) (*big.Rat, string, error) { return extreme(Min, -1, facts, n) }

func most(facts []Fact, n []*big.Rat) (*big.Rat, string, error) { return extreme(Max, 1, facts, n) }

func extreme(op Op, sign int, facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	unit, err := oneUnit(op, facts)
	best := n[0]
	for _, x := range n[1:] {
		if x.Cmp(best) == sign {
			best = x
		}
	}
	return best, unit, err
}

func rank(facts []Fact, n []*big.Rat) (*big.Rat, string, error) { return place(Rank, 1, facts, n) }

func rankLow(facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	return place(RankLow, -1, facts, n)
}

// place is one more than the number of inputs that beat the first; equals share
// a place.
func place(op Op, sign int, facts []Fact, n []*big.Rat) (*big.Rat, string, error) {
	_, err := oneUnit(op, facts)
	p := int64(1)
	for _, x := range n[1:] {
		if x.Cmp(n[0]) == sign {
			p++
		}
	}
	return big.NewRat(p, 1), "", err
}

func count(_ []Fact, n []*big.Rat) (*big.Rat, string, error) {
	return big.NewRat(int64(len(n)), 1), "", nil
}
