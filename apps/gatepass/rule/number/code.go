package number

import (
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Code is six symbols that a guard types where a pass cannot be scanned. It is unique among passes that
// are alive, and is given again afterwards.
type Code string

// symbols are those that nobody mistakes for another: no 0 and O, no 1 and I.
const symbols = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

// codeLength is how many of them a code has: about a thousand million codes.
const codeLength = 6

// CodeOf is the code of thirty bits of chance; more than thirty are cut off.
func CodeOf(bits uint32) Code {
	var b [codeLength]byte
	for i := range b {
		b[i] = symbols[bits&31]
		bits >>= 5
	}
	return Code(b[:])
}

// ParseCode reads a code as it is typed: small letters, spaces and hyphens are fine. A symbol that no code
// has is not guessed at.
func ParseCode(typed string) (Code, error) {
	s := strings.ToUpper(strings.NewReplacer(" ", "", "-", "").Replace(strings.TrimSpace(typed)))
	bad := strings.IndexFunc(s, func(r rune) bool { return !strings.ContainsRune(symbols, r) })
	if len(s) != codeLength || bad >= 0 {
		return "", fault.New(fault.Invalid, "code %.20q: it has six letters and digits, and none of 0, O, 1 and I", typed).
			On("pass_number", "bad_code", "")
	}
	return Code(s), nil
}
