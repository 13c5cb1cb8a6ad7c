package pii

import "strings"

// Words that say what the number after them is.
var (
	accountWord  = set("a/c", "ac", "account", "acct", "acc", "खाता", "खाते")
	imeiWord     = set("imei")
	voterWord    = set("epic", "voter", "voters", "elector", "मतदाता", "वोटर")
	passportWord = set("passport", "passports", "पासपोर्ट")
	branchWord   = set("ifsc", "आईएफएससी")
	versionWord  = set("version", "ver", "v", "section", "sections", "sec", "clause", "para", "rule", "chapter", "article", "release",
		"build", "धारा", "नियम")
	addressWord = set("ip", "ipv4", "address", "from", "server", "host", "आईपी")
)

// states are the letters that plates and licences begin with.
var states = set("AN", "AP", "AR", "AS", "BR", "CG", "CH", "CT", "DD", "DL", "DN", "GA", "GJ", "HP", "HR", "JH", "JK", "KA", "KL", "LA",
	"LD",
	"MH", "ML", "MN", "MP", "MZ", "NL", "OD", "OR", "PB", "PY", "RJ", "SK", "TG", "TN", "TR", "TS", "UA", "UK", "UP", "WB")

// banks are the letters of banks that most branches belong to.
var banks = set("SBIN", "HDFC", "ICIC", "PUNB", "UTIB", "CNRB", "BARB", "UBIN", "IDIB", "KKBK", "YESB", "UCBA", "CBIN", "IOBA", "BKID",
	"MAHB",
	"INDB", "FDRL", "PSIB", "IDFB", "BDBL", "SIBL", "KVBL", "RATN", "AUBL", "IPOS", "AIRP", "PYTM", "NESF", "JAKA", "KARB")

func set(words ...string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, w := range words {
		out[w] = true
	}
	return out
}

// farthest is how far back words are looked for, in bytes.
const farthest = 80

// says reports whether one of the last few words before i is in a set. "On account of" is no account.
func (f *finder) says(i, most int, words map[string]bool) bool {
	next := ""
	for at, n := i, 0; n < most; n++ {
		a, z := f.wordBefore(at, i-farthest)
		if a == z {
			return false
		}
		w := f.said(a, z)
		if w == "c" && a >= 2 && f.b[a-1] == '/' && f.b[a-2]|0x20 == 'a' {
			w, a = "a/c", a-2
		}
		if words[w] && (w != "account" || next != "of") {
			return true
		}
		next, at = w, a
	}
	return false
}

// wordBefore is the last word that ends before i and begins after a limit; a sentence's end is a limit, too.
func (f *finder) wordBefore(i, limit int) (a, z int) {
	limit = max(limit, 0)
	z = i
	for z > limit && !f.is(z-1, wordy) {
		z--
	}
	a = z
	for a > limit && f.is(a-1, wordy) {
		a--
	}
	return a, z
}

// said is a word as it stands in the text, in small letters and without what nobody sees.
func (f *finder) said(a, z int) string {
	if f.at == nil || a == z {
		return strings.ToLower(f.b[a:z])
	}
	from, to := int(f.at[a]), int(f.at[z-1])
	for to++; to < len(f.src) && f.src[to]&0xc0 == 0x80; to++ { // the rest of the last character
	}
	return strings.Map(func(r rune) rune {
		if _, keep := plainOf(r); r >= 0x80 && !keep {
			return -1
		}
		return r
	}, strings.ToLower(f.src[from:to]))
}
