package pii

// What a byte can be part of.
const (
	lower uint8 = 1 << iota
	upper
	digit
	under
	foreign
	atSign
	slash
	unread // the text must be folded first

	letter = lower | upper
	wordy  = lower | upper | digit | under | foreign
)

// The tables for a text as it is, and for one that was folded.
var (
	plain  = classes(false)
	folded = classes(true)
)

func classes(isFolded bool) (out [256]uint8) {
	for c := range out {
		switch {
		case 'a' <= c && c <= 'z':
			out[c] = lower
		case 'A' <= c && c <= 'Z':
			out[c] = upper
		case '0' <= c && c <= '9':
			out[c] = digit
		case c == '_':
			out[c] = under
		case c == '@':
			out[c] = atSign
		case c == '/':
			out[c] = slash
		case isFolded && c == foreignLetter:
			out[c] = foreign
		case !isFolded && (c >= 0x80 || c == '%'):
			out[c] = unread
		}
	}
	return out
}

// pass goes through the text once. It is false where the text must be folded first.
func (f *finder) pass() bool {
	b, class := f.b, f.class
	for i := 0; i < len(b); {
		seen := class[b[i]]
		if seen&wordy == 0 {
			if seen != 0 && !f.sign(i, seen) {
				return false
			}
			i++
			continue
		}
		j := i + 1
		for j < len(b) && class[b[j]]&wordy != 0 {
			seen |= class[b[j]]
			j++
		}
		f.token(i, j, seen)
		i = j
	}
	return true
}

// sign looks at a character that is part of no word.
func (f *finder) sign(i int, c uint8) bool {
	switch {
	case c == unread:
		if f.b[i] != '%' || i+2 < len(f.b) && hexOf(f.b[i+1]) >= 0 && hexOf(f.b[i+2]) >= 0 {
			return false
		} // else a plain per cent
	case i < f.done:
	case c == atSign:
		f.mailbox(i)
	case c == slash:
		f.profile(i)
		f.relation(i)
	}
	return true
}

// token looks at a word, a number or a mixture of both.
func (f *finder) token(i, j int, seen uint8) {
	switch {
	case i < f.done:
		if seen&digit != 0 {
			f.glued(f.done, j) // a number before it took the first of it
		}
	case seen == digit:
		f.number(i, j)
	case seen&digit != 0:
		f.mixture(i, j, seen)
	case seen&foreign != 0:
		f.hindi(i, j)
	default:
		f.word(i, j)
	}
	if j < len(f.b) && f.b[j] == ':' && j-i <= 4 && seen&^(digit|letter) == 0 {
		f.ipv6(i)
	}
}

// is reports whether the byte at i is of a class; outside the text there is nothing.
func (f *finder) is(i int, c uint8) bool { return i >= 0 && i < len(f.b) && f.class[f.b[i]]&c != 0 }

// run is where the run of a class that begins at i ends, after at most so many.
func (f *finder) run(i, most int, c uint8) int {
	j := i
	for j-i < most && f.is(j, c) {
		j++
	}
	return j
}

// gap skips one space or hyphen.
func (f *finder) gap(i int) int {
	if i < len(f.b) && (f.b[i] == ' ' || f.b[i] == '-') {
		return i + 1
	}
	return i
}
