package pii

// mixture looks at a word of letters and digits.
func (f *finder) mixture(i, j int, seen uint8) {
	if seen&(foreign|under) == 0 {
		end, kind := f.paper(i, j)
		if end == 0 {
			end, kind = f.plate(i)
		}
		if end == 0 {
			end, kind = f.crossedOut(i)
		}
		if end > 0 {
			f.found(i, end, kind)
			return
		}
	}
	if !digest(f.b[i:j]) {
		f.glued(i, j)
	}
}

// paper looks for the numbers of papers, by their shape; those that others could have, too, need a word
// before them that says so.
func (f *finder) paper(i, j int) (int, Kind) {
	t := f.b[i:j]
	switch {
	case len(t) == 10 && shaped(t, "LLLLLDDDDL") && panHolder(t[3]):
		return j, PAN
	case len(t) == 10 && shaped(t, "CCCDDDDDDD") && f.says(i, 6, voterWord):
		return j, EPIC
	case len(t) == 8 && shaped(t, "CDDDDDDD") && t[0] != 'Q' && t[0] != 'X' && t[0] != 'Z' && t[1] != '0' && f.says(i, 6, passportWord):
		return j, Passport
	case len(t) == 11 && shaped(t, "CCCC0AAAAAA") && (banks[t[:4]] || f.says(i, 4, branchWord)):
		return j, IFSC
	case len(t) == 15 && shaped(t, "DDCCCCCDDDDCAZA") && taxSum(t):
		return j, GSTIN
	}
	return 0, ""
}

// shaped reports whether a text has a shape: L is a letter, C a capital, D a digit, A a capital or a
// digit, anything else itself.
func shaped(t, shape string) bool {
	for i := range len(t) {
		class := plain[t[i]]
		var ok bool
		switch shape[i] {
		case 'L':
			ok = class&letter != 0
		case 'C':
			ok = class == upper
		case 'D':
			ok = class == digit
		case 'A':
			ok = class&(upper|digit) != 0
		default:
			ok = t[i] == shape[i]
		}
		if !ok {
			return false
		}
	}
	return true
}

// panHolder reports whether a letter says who holds a PAN: P is a person.
func panHolder(c byte) bool {
	switch c &^ 0x20 {
	case 'A', 'B', 'C', 'F', 'G', 'H', 'J', 'L', 'P', 'T':
		return true
	}
	return false
}

// plate looks for a number plate or a licence, in one piece or in groups: MN 01 AB 1234, 22BH1234AA,
// MN01 20110012345.
func (f *finder) plate(i int) (int, Kind) {
	if f.run(i, 3, digit) == i+2 && i+4 <= len(f.b) && f.b[i+2:i+4] == "BH" {
		a := f.run(i+4, 5, digit)
		if z := f.run(a, 3, upper); a == i+8 && (z == a+1 || z == a+2) && !f.is(z, wordy) {
			return z, Vehicle
		}
	}
	if f.run(i, 3, upper) != i+2 || !states[f.b[i:i+2]] {
		return 0, ""
	}
	a := f.gap(i + 2)
	b := f.run(a, 3, digit)
	if b == a+2 {
		from := f.gap(b)
		if z := f.run(from, 12, digit); z == from+11 && !f.is(z, wordy) {
			return z, Licence
		}
	}
	if f.run(i+2, 14, digit) == i+15 && !f.is(i+15, wordy) { // in one piece
		return i + 15, Licence
	}
	if b == a || b > a+2 {
		return 0, ""
	}
	series := f.gap(b)
	c := f.run(series, 4, upper)
	last := f.gap(c)
	z := f.run(last, 5, digit)
	if c == series || c > series+3 || z != last+4 || f.is(z, wordy) {
		return 0, ""
	}
	return z, Vehicle
}

// crossedOut looks for an Aadhaar of which four digits are left.
func (f *finder) crossedOut(i int) (int, Kind) {
	at := i
	for range 2 {
		for range 4 {
			if at >= len(f.b) || f.b[at]|0x20 != 'x' {
				return 0, ""
			}
			at++
		}
		at = f.gap(at)
	}
	if z := f.run(at, 5, digit); z == at+4 && !f.is(z, wordy) {
		return z, Masked
	}
	return 0, ""
}

// digest reports whether a word is a piece of one: hexadecimal, long, and a good part of it letters.
func digest(t string) bool {
	letters := 0
	for i := range len(t) {
		if hexOf(t[i]) < 0 {
			return false
		}
		if plain[t[i]]&letter != 0 {
			letters++
		}
	}
	return len(t) >= 12 && 6*letters >= len(t)
}

// glued looks for numbers within a word: a telephone wherever it stands, others between underscores.
func (f *finder) glued(i, j int) {
	for i < j {
		if !f.is(i, digit) {
			i++
			continue
		}
		z := f.run(i, j-i, digit)
		if c := f.chain(i, z); !f.gluedMobile(i, &c) && c.groups > 0 {
			n := c.digits[:c.sums[0]]
			apart := !f.is(i-1, letter|foreign) && !f.is(z, letter|foreign)
			switch {
			case apart && len(n) == 12 && aadhaar(n):
				f.found(i, z, Aadhaar)
			case apart && len(n) == 16 && n[0] != '0' && verhoeff(n):
				f.found(i, z, VID)
			}
		}
		i = max(z, f.done)
	}
}

// gluedMobile notes a telephone at the beginning of a chain that stands after letters.
func (f *finder) gluedMobile(i int, c *chain) bool {
	for g := c.groups; g > 0; g-- {
		if start, ok := f.mobile(i, c.digits[:c.sums[g-1]], c.sums[:g-1]); ok {
			f.found(start, c.ends[g-1], Mobile)
			return true
		}
	}
	return false
}
