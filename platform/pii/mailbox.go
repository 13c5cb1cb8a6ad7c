package pii

import "strings"

// payees are what follows the "@" of an address for payments, besides ok and a bank.
var payees = set("ybl", "paytm", "upi", "ibl", "axl", "apl", "yapl", "rapl", "ptyes", "ptaxis", "pthdfc", "ptsbi", "sbi", "hdfcbank",
	"icici", "axisbank",
	"axisb", "kotak", "barodampay", "pnb", "cnrb", "idfcbank", "airtel", "freecharge", "ikwik", "waicici", "wahdfcbank", "waaxis", "wasbi",
	"fam", "fbl", "jupiteraxis", "naviaxis", "superyes", "yescred", "postbank", "indus", "federal", "rbl", "dbs", "uco", "unionbank",
	"idbi", "aubank", "abfspay", "timecosmos", "tapicici",
	"slice", "mahb", "indianbank", "jio")

// Bounds of a name on a network, in characters.
const (
	shortestHandle = 3
	longestHandle  = 30
)

// mailbox looks at an "@": both ways for an address, to the right for somebody's name on a network.
func (f *finder) mailbox(i int) {
	start := i
	for start > 0 && (f.is(start-1, wordy) || strings.IndexByte(".+-", f.b[start-1]) >= 0) {
		start--
	}
	for start < i && !f.is(start, wordy) {
		start++
	}
	end := i + 1
	for end < len(f.b) && (f.is(end, wordy) || f.b[end] == '.' || f.b[end] == '-') {
		end++
	}
	for end > i+1 && !f.is(end-1, wordy) {
		end--
	}
	if start == i || !f.is(i-1, wordy) {
		f.handle(i)
		return
	}
	domain := f.b[i+1 : end]
	switch dot := strings.LastIndexByte(domain, '.'); {
	case dot > 0 && f.topLevel(i+2+dot, end):
		f.found(start, end, Email)
	case dot < 0 && i-start >= 2 && payee(strings.ToLower(domain)):
		f.found(start, end, UPI)
	}
}

// topLevel reports whether an address could end in what stands from i to j: letters, at least two.
func (f *finder) topLevel(i, j int) bool { return j-i >= 2 && f.run(i, j-i, letter|foreign) == j }

func payee(name string) bool {
	rest, ok := strings.CutPrefix(name, "ok")
	return payees[name] || ok && len(rest) >= 3
}

// handle looks for "@name" at an "@" with nothing before it. Prices are no names.
func (f *finder) handle(i int) {
	if f.is(i-1, wordy) {
		return
	}
	end := f.run(i+1, longestHandle+1, letter|digit|under)
	name := strings.ToLower(f.b[i+1 : end])
	letters := strings.TrimLeft(name, "0123456789_")
	price := strings.TrimRight(name, "0123456789")
	if len(name) < shortestHandle || len(name) > longestHandle || letters == "" || price != name && (price == "rs" || price == "inr") {
		return
	}
	f.found(i, end, Handle)
}
