package pii

import (
	"unicode"
	"unicode/utf8"
)

// What a character of another script is folded to.
const (
	foreignLetter = 0x80
	foreignOther  = 0x81
)

// fold is a text as the rules read it, one byte a character, and where each stands in the text: digits
// of every script are 0 to 9, characters that nobody sees are left out, wide letters and odd spaces
// and dashes are plain, %40 is what it stands for, and other scripts are letters or not.
func fold(text string) (string, []int32) {
	b := make([]byte, 0, len(text))
	at := make([]int32, 0, len(text)+1)
	for i := 0; i < len(text); {
		c, size := text[i], 1
		keep := true
		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			c, keep = plainOf(r)
		}
		if keep {
			b = append(b, c)
			at = append(at, int32(i))
			if n := len(b) - 3; n >= 0 && b[n] == '%' {
				if c, ok := unescaped(b[n+1], b[n+2]); ok {
					b, at = append(b[:n], c), at[:n+1]
				}
			}
		}
		i += size
	}
	return string(b), append(at, int32(len(text)))
}

// unescaped is the character that addresses write as % and these two, if they do.
func unescaped(high, low byte) (byte, bool) {
	h, l := hexOf(high), hexOf(low)
	c := h<<4 | l
	return byte(c), h >= 0 && l >= 0 && ' ' <= c && c <= '~'
}

func hexOf(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

// plainOf is the byte a character is read as; keep is false for one that nobody sees.
func plainOf(r rune) (c byte, keep bool) {
	switch {
	case 0x900 <= r && r <= 0x97f: // Devanagari, the most of it
		if 0x966 <= r && r <= 0x96f {
			return byte('0' + r - 0x966), true
		}
		if r == 0x964 || r == 0x965 { // the stops at the end of a sentence
			return foreignOther, true
		}
		return foreignLetter, true
	case 0xff01 <= r && r <= 0xff5e:
		return byte(r - 0xfee0), true
	case unicode.IsSpace(r) || r == 0x2007:
		return ' ', true
	case unicode.Is(unicode.Pd, r) || r == 0x2212:
		return '-', true
	case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || r == 0x34f:
		return 0, false
	case unicode.IsDigit(r):
		return '0' + digitOf(r), true
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return foreignLetter, true
	}
	return foreignOther, true
}

// digitOf is the value of a digit. Unicode keeps the ten digits of a script in one piece.
func digitOf(r rune) byte {
	for _, in := range unicode.Digit.R16 {
		if rune(in.Lo) <= r && r <= rune(in.Hi) {
			return byte((r - rune(in.Lo)) % 10)
		}
	}
	for _, in := range unicode.Digit.R32 {
		if rune(in.Lo) <= r && r <= rune(in.Hi) {
			return byte((r - rune(in.Lo)) % 10)
		}
	}
	return 0
}
