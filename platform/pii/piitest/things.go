package piitest

import (
	"fmt"
	"strings"
)

const (
	digits   = "0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	smalls   = "abcdefghijklmnopqrstuvwxyz"
	handed   = smalls + digits + "_"
)

// states are the two letters that licences and number plates begin with.
var states = []string{"AN", "AP", "AR", "AS", "BR", "CG", "CH", "DD", "DL", "GA", "GJ", "HP", "HR", "JH", "JK", "KA", "KL", "LA", "LD",
	"MH", "ML", "MN", "MP", "MZ",
	"NL", "OD", "PB", "PY", "RJ", "SK", "TN", "TR", "TS", "UK", "UP", "WB"}

// banks are the letters that a branch's code begins with.
var banks = []string{"SBIN", "HDFC", "ICIC", "PUNB", "UTIB", "CNRB", "BARB", "UBIN", "IDIB", "KKBK", "YESB", "UCBA", "CBIN", "IOBA",
	"BKID", "MAHB", "INDB", "FDRL"}

// checkDigit is the last digit that makes a number valid by Verhoeff's scheme: the dihedral group of
// the pentagon, computed, where others use tables.
func checkDigit(number string) byte {
	sum := 0
	for i := len(number) - 1; i >= 0; i-- {
		sum = turn(sum, permute(int(number[i]-'0'), len(number)-i))
	}
	for c := range 10 {
		if turn(sum, c) == 0 {
			return byte('0' + c)
		}
	}
	panic("every element of a group has an inverse")
}

// turn multiplies two symmetries of the pentagon; 0 to 4 are rotations, 5 to 9 reflections. The check
// is read from the right, so a sum is built up on its right side, and the order of the last product
// does not matter for being 0.
func turn(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b-5)%5
	case b < 5:
		return 5 + (a-5-b+5)%5
	}
	return (a - b + 10) % 5
}

// permute is Verhoeff's permutation, applied so many times.
func permute(digit, times int) int {
	cycle := map[int]int{0: 1, 1: 5, 5: 8, 8: 9, 9: 4, 4: 2, 2: 7, 7: 0, 3: 6, 6: 3}
	for range times % 8 {
		digit = cycle[digit]
	}
	return digit
}

// checked is a number with its check digit.
func checked(d *dice, length int) string {
	for {
		n := d.text(1, "23456789") + d.text(length-2, digits)
		n += string(checkDigit(n))
		if n != reversed(n) {
			return n
		}
	}
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

// grouped writes a number in groups of the given lengths.
func grouped(number, between string, lengths ...int) string {
	var parts []string
	for _, n := range lengths {
		parts = append(parts, number[:n])
		number = number[n:]
	}
	return strings.Join(parts, between)
}

// thingOf is one made-up thing of a kind, as people write it.
func thingOf(d *dice, kind string) string {
	between := pick(d, []string{" ", "-"})
	switch kind {
	case Aadhaar:
		n := checked(d, 12)
		return pick(d, []string{n, grouped(n, between, 4, 4, 4), grouped(n, between, 4, 4, 4)})
	case Masked:
		return pick(d, []string{"XXXX", "xxxx"}) + between + pick(d, []string{"XXXX"}) + between + d.text(4, digits)
	case VID:
		n := checked(d, 16)
		return pick(d, []string{n, grouped(n, between, 4, 4, 4, 4)})
	case PAN:
		return d.text(3, capitals) + pick(d, []string{"P", "P", "P", d.text(1, "ABCFGHJLPT")}) + d.text(1, capitals) + d.text(4,
			digits) + d.text(1, capitals)
	case Mobile:
		return mobile(d)
	case Email:
		return mailbox(d)
	case UPI:
		return pick(d, []string{word(d) + d.text(2, digits), word(d) + "." + word(d), d.text(1, "6789") + d.text(9, digits)}) + "@" +
			pick(d, []string{"ybl", "okaxis", "oksbi", "okhdfcbank", "okicici", "paytm", "upi", "ibl", "axl", "apl", "ptsbi"})
	case Handle:
		return handle(d)
	}
	return documentOf(d, kind)
}

// documentOf is the number of a paper, a car, an account or a device.
func documentOf(d *dice, kind string) string {
	switch kind {
	case EPIC:
		return d.text(3, capitals) + d.text(7, digits)
	case Passport:
		return d.text(1, "ABCDEFGHIJKLMNOPRSTUVWY") + d.text(1, "123456789") + d.text(6, digits)
	case Licence:
		return pick(d, states) + fmt.Sprintf("%02d", 1+d.below(90)) + pick(d,
			[]string{" ", "", "-"}) + fmt.Sprint(1990+d.below(36)) + d.text(7, digits)
	case Vehicle:
		parts := []string{pick(d, states), fmt.Sprintf("%02d", 1+d.below(90)), d.text(1+d.below(2), "ABCDEFGHJKLMNPRSTUVWXYZ"),
			fmt.Sprintf("%04d", 1+d.below(9999))}
		return strings.Join(parts, pick(d, []string{"", "", " ", "-"}))
	case IFSC:
		return pick(d, banks) + "0" + d.text(6, digits)
	case GSTIN:
		return gstin(d)
	case Account:
		return d.text(1, "123456789") + d.text(8+d.below(9), digits)
	case IP:
		if d.chance(0.2) {
			return fmt.Sprintf("2001:db8:%x::%x", d.below(1<<16), 1+d.below(1<<15))
		}
		return fmt.Sprintf("%d.%d.%d.%d", 11+d.below(200), d.below(256), d.below(256), 1+d.below(254))
	case IMEI:
		n := "35" + d.text(12, digits)
		return n + string(luhnDigit(n))
	}
	panic("there is no kind " + kind)
}

// gstin is a tax number: a state, a PAN, a count, a Z and a sum over all of it in base 36.
func gstin(d *dice) string {
	const of = digits + capitals
	n := fmt.Sprintf("%02d", 1+d.below(37)) + d.text(3, capitals) + d.text(1, "PCF") + d.text(1, capitals) + d.text(4,
		digits) + d.text(1, capitals) + d.text(1, "123456789") + "Z"
	sum := 0
	for i := range n {
		product := strings.IndexByte(of, n[i]) * (1 + i%2)
		sum += product/36 + product%36
	}
	return n + string(of[(36-sum%36)%36])
}

// luhnDigit is the last digit of a device's number.
func luhnDigit(number string) byte {
	sum := 0
	for i := range number {
		n := int(number[len(number)-1-i] - '0')
		if i%2 == 0 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return byte('0' + (10-sum%10)%10)
}

func mobile(d *dice) string {
	n := d.text(1, "6789") + d.text(9, digits)
	between := pick(d, []string{" ", "-"})
	n = pick(d, []string{n, n, grouped(n, between, 5, 5), grouped(n, between, 5, 5), grouped(n, between, 3, 3, 4),
		grouped(n, " ", 4, 3, 3)})
	return pick(d, []string{"", "", "", "+91", "+91 ", "+91-", "91 ", "0", "(+91) "}) + n
}

func mailbox(d *dice) string {
	local := pick(d, []string{word(d), word(d) + "." + word(d), word(d) + "_" + word(d), word(d) + d.text(3, digits),
		word(d) + "+" + word(d), d.text(1, smalls) + "." + word(d)})
	at := local + "@" + pick(d, []string{"example.org", "example.com", "mail.example.in", "example.co.in", "dist-office.example.gov.in",
		"post.example"})
	if d.chance(0.1) {
		return strings.ToUpper(at)
	}
	return at
}

func handle(d *dice) string {
	name := word(d) + pick(d, []string{"", "_", "_" + word(d), d.text(2, digits)}) + d.text(2, handed)
	return pick(d, []string{
		"@" + name, "@" + name, "@" + name, "@" + strings.ToUpper(name[:1]) + name[1:],
		"t.me/" + name, "https://t.me/" + name, "https://x.com/" + name, "x.com/" + name + "/status/" + d.text(19, "123456789"),
		"https://twitter.com/" + name + "?s=20",
		"https://www.facebook.com/" + name, "facebook.com/profile.php?id=1000" + d.text(11, digits),
		"https://m.facebook.com/" + name + "/", "instagram.com/" + name,
		"https://www.instagram.com/" + name + "?igshid=" + d.text(8, handed),
	})
}

// word is something that could be a name in an address.
func word(d *dice) string {
	return pick(d, []string{"lal", "ibo", "thoi", "ran", "mei", "nga", "kha", "zor", "bir", "tom", "ana", "devi"}) + pick(d,
		[]string{"ba", "muan", "jit", "leima", "sang", "chan", "pui", "kim", "dam", "raj"})
}
