package pii

import "strings"

// mostDigits is the longest number that is anything.
const mostDigits = 18

// A chain is runs of digits that may be one number.
type chain struct {
	digits [mostDigits]byte
	n      int    // digits
	ends   [6]int // where in the text each group ends
	sums   [6]int // digits up to the end of each group
	groups int
	glued  bool // the last group goes on in letters
}

// number looks at a number: the digits from i to j and up to five groups after it, each behind one space
// or hyphen. What takes the most groups counts; the next group is looked at by itself afterwards.
func (f *finder) number(i, j int) {
	if j < len(f.b) && f.b[j] == '.' && f.ipv4(i) {
		return
	}
	c := f.chain(i, j)
	if c.n < 9 {
		return
	}
	for g := c.groups; g > 0; g-- {
		if kind, start, ok := f.numberKind(i, &c, g); ok {
			f.found(start, c.ends[g-1], kind)
			return
		}
	}
}

// chain gathers the groups that begin at i.
func (f *finder) chain(i, j int) (c chain) {
	for c.groups < len(c.ends) && c.n+j-i <= mostDigits {
		c.n += copy(c.digits[c.n:], f.b[i:j])
		c.ends[c.groups], c.sums[c.groups] = j, c.n
		c.groups++
		c.glued = c.groups > 1 && f.is(j, wordy)
		if i = f.gap(j); i == j || !f.is(i, digit) {
			break
		}
		j = f.run(i, mostDigits+1, digit)
	}
	return c
}

// numberKind says what the first groups of a chain are, and where that begins.
func (f *finder) numberKind(i int, c *chain, groups int) (Kind, int, bool) {
	n := c.digits[:c.sums[groups-1]]
	breaks := c.sums[:groups-1]
	switch {
	case len(n) >= 9 && groups == 1 && f.says(i, 4, accountWord):
		return Account, i, true
	case len(n) == 15 && luhn(n) && f.says(i, 5, imeiWord):
		return IMEI, i, true
	case f.inDecimal(i, c.ends[groups-1]):
		return "", 0, false
	}
	if start, ok := f.mobile(i, n, breaks); ok {
		return Mobile, start, true
	}
	switch {
	case c.glued && groups == c.groups:
	case len(n) == 12 && aadhaar(n) && within(breaks, 4, 8):
		return Aadhaar, i, true
	case len(n) == 16 && n[0] != '0' && verhoeff(n) && (groups == 1 || within(breaks, 4, 8, 12)):
		return VID, i, true
	}
	return "", 0, false
}

func aadhaar(n []byte) bool { return n[0] >= '2' && verhoeff(n) && !palindrome(n) && !moment(n) }

// within reports whether a number is broken at these places only.
func within(breaks []int, places ...int) bool {
	for _, b := range breaks {
		ok := false
		for _, p := range places {
			ok = ok || b == p
		}
		if !ok {
			return false
		}
	}
	return true
}

// mobile reports whether a number is a mobile telephone, and where it begins with the sign before it.
// Twelve digits in fours are an Aadhaar, even if they begin with India's 91.
func (f *finder) mobile(i int, n []byte, breaks []int) (int, bool) {
	prefix := len(n) - 10
	if prefix < 0 || prefix > 4 || n[prefix] < '6' {
		return 0, false
	}
	switch string(n[:prefix]) {
	case "", "0", "091", "0091":
	case "91":
		if len(breaks) == 2 && within(breaks, 4, 8) && aadhaar(n) {
			return 0, false
		}
	default:
		return 0, false
	}
	if prefix > 0 && len(breaks) > 0 && breaks[0] == prefix {
		breaks = breaks[1:]
	}
	well := within(breaks, prefix+5) || len(breaks) == 2 && (within(breaks, prefix+3, prefix+6) || within(breaks, prefix+4, prefix+7))
	return f.withPlus(i), well
}

// withPlus is where a telephone number that has its first digit at i begins: at "+", or at "(+91) ".
func (f *finder) withPlus(i int) int {
	for _, before := range [...]string{"(+91) ", "(+91)-", "(+91)", "(91) ", "(0) ", "(0)", "+"} {
		if strings.HasSuffix(f.b[:i], before) {
			return i - len(before)
		}
	}
	return i
}

// inDecimal reports whether digits are part of a number with a point, 24.8170112345.
func (f *finder) inDecimal(i, j int) bool {
	return i >= 2 && f.b[i-1] == '.' && f.is(i-2, digit) || j+1 < len(f.b) && f.b[j] == '.' && f.is(j+1, digit)
}
