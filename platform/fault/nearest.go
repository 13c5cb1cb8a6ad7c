package fault

// Nearest is the word that a mistyped one was probably meant to be: the first of those
// that take the fewest slips, and no more than most. It is empty where none looks like
// it, and for what is longer than anybody types by mistake.
func Nearest(typed string, most int, words []string) string {
	const longest = 200
	if len(typed) > longest {
		return ""
	}
	best, least := "", most+1
	for _, w := range words {
		if n := slips(typed, w); n < least {
			best, least = w, n
		}
	}
	return best
}

// slips counts the letters one would add, drop or change to make one word another.
func slips(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost = 1 + min(before, row[j], row[j+1])
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
