package pii

import "strings"

// Verhoeff's tables: the products in the group of the pentagon, and the permutation by place.
var (
	product = [10]string{"0123456789", "1234067895", "2340178956", "3401289567", "4012395678",
		"5987604321", "6598710432", "7659821043", "8765932104", "9876543210"}
	permuted = [8]string{"0123456789", "1576283094", "5803796142", "8916043527", "9453126870", "4286573901", "2793806415", "7046913258"}
)

// verhoeff reports whether a number's last digit fits the others.
func verhoeff(number []byte) bool {
	c := byte(0)
	for i := range number {
		d := number[len(number)-1-i] - '0'
		c = product[c][permuted[i%8][d]-'0'] - '0'
	}
	return c == 0
}

// luhn reports whether a number's last digit fits the others.
func luhn(number []byte) bool {
	sum := 0
	for i := range number {
		n := int(number[len(number)-1-i] - '0')
		if i%2 == 1 {
			n *= 2
		}
		sum += n/10 + n%10
	}
	return sum%10 == 0
}

// taxSum reports whether the last character of a tax number fits the others, in base 36.
func taxSum(number string) bool {
	const of = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sum := 0
	for i := range len(number) - 1 {
		n := strings.IndexByte(of, number[i]) * (1 + i%2)
		sum += n/36 + n%36
	}
	return of[(36-sum%36)%36] == number[len(number)-1]
}

// palindrome reports whether a number reads the same from both ends; no Aadhaar does.
func palindrome(number []byte) bool {
	for i := range len(number) / 2 {
		if number[i] != number[len(number)-1-i] {
			return false
		}
	}
	return true
}

// moment reports whether twelve digits read as a minute of this century or the last, 202611181230.
func moment(n []byte) bool {
	two := func(i int) int { return int(n[i]-'0')*10 + int(n[i+1]-'0') }
	return (two(0) == 19 || two(0) == 20) && 1 <= two(4) && two(4) <= 12 && 1 <= two(6) && two(6) <= 31 && two(8) < 24 && two(10) < 60
}
