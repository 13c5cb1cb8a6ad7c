package watchlist

import "strings"

// Unicode lays the nine scripts that came of ISCII out alike: what has the same place in its block is the same letter. So
// one table reads Devanagari, Bengali, Gurmukhi, Gujarati, Oriya, Tamil, Telugu, Kannada and Malayalam.
const (
	firstBlock, lastBlock = 0x0900, 0x0D7F
	blockSize             = 0x80
	firstSouthern         = 0x0B80 // Tamil; from here on the last a of a word is spoken
)

// consonants are by their place in the block; every one brings its a along.
var consonants = map[rune]string{
	0x15: "k", 0x16: "kh", 0x17: "g", 0x18: "gh", 0x19: "n", 0x1A: "ch", 0x1B: "chh", 0x1C: "j", 0x1D: "jh", 0x1E: "n", 0x1F: "t",
	0x20: "th", 0x21: "d", 0x22: "dh", 0x23: "n", 0x24: "t", 0x25: "th", 0x26: "d", 0x27: "dh", 0x28: "n", 0x29: "n", 0x2A: "p", 0x2B: "ph",
	0x2C: "b", 0x2D: "bh", 0x2E: "m", 0x2F: "y", 0x30: "r", 0x31: "r", 0x32: "l", 0x33: "l", 0x34: "zh", 0x35: "v",
	0x36: "sh", 0x37: "sh", 0x38: "s", 0x39: "h",
	0x58: "q", 0x59: "kh", 0x5A: "g", 0x5B: "z", 0x5C: "r", 0x5D: "rh", 0x5E: "f", 0x5F: "y",
}

// whole are vowels that stand for themselves, and signs after a vowel.
var whole = map[rune]string{
	0x05: "a", 0x06: "a", 0x07: "i", 0x08: "i", 0x09: "u", 0x0A: "u", 0x0B: "ri", 0x0E: "e", 0x0F: "e",
	0x10: "ai", 0x12: "o", 0x13: "o", 0x14: "au", 0x01: nasal, 0x02: nasal, 0x03: "h",
}

// signs are vowels written on a consonant, in the place of its a.
var signs = map[rune]string{
	0x3E: "a", 0x3F: "i", 0x40: "i", 0x41: "u", 0x42: "u", 0x43: "ri", 0x46: "e", 0x47: "e", 0x48: "ai", 0x4A: "o", 0x4B: "o", 0x4C: "au",
}

const (
	noVowel = 0x4D   // a consonant without its a
	schwa   = "\x00" // an a that was not written
	nasal   = "\x01" // m before b, p and m, and n elsewhere
)

// romanise writes what stands in an Indian script in Latin letters, as people do in their passports: without marks for length.
// Everything else stays.
func romanise(text string) string {
	var b strings.Builder
	var word []string // sounds of the word so far; schwa for an a that was not written
	southern := false
	flush := func() {
		b.WriteString(spoken(word, southern))
		word = word[:0]
	}
	for _, r := range text {
		if r == '\u200c' || r == '\u200d' {
			continue
		}
		if r < firstBlock || r > lastBlock {
			flush()
			b.WriteRune(r)
			continue
		}
		southern = r >= firstSouthern
		word = sound(word, (r-firstBlock)%blockSize)
	}
	flush()
	return b.String()
}

// sound adds one letter to a word.
func sound(word []string, place rune) []string {
	last := len(word) - 1
	waits := last >= 0 && word[last] == schwa
	switch {
	case consonants[place] != "":
		return append(word, consonants[place], schwa)
	case signs[place] != "" && waits:
		word[last] = signs[place]
		return word
	case signs[place] != "":
		return append(word, signs[place])
	case place == noVowel && waits:
		return word[:last]
	case whole[place] != "":
		return append(word, whole[place])
	case place >= 0x66 && place <= 0x6F:
		return append(word, string('0'+place-0x66))
	}
	return word // a nukta, a mark of metre: not heard in a name
}

// spoken is a word without the a that is written and not said: at its end, and between two consonants that have a vowel on their other
// side. "rāmadeva" is Ramdev.
func spoken(word []string, southern bool) string {
	said := make([]string, len(word))
	copy(said, word)
	for i := len(said) - 1; i >= 0; i-- {
		if said[i] == nasal {
			said[i] = "n"
			if i+1 < len(said) && said[i+1] != "" && strings.ContainsAny(said[i+1][:1], "bpm") {
				said[i] = "m"
			}
		}
		if said[i] != schwa {
			continue
		}
		end := i == len(said)-1
		between := i >= 2 && i+2 < len(said) && vowel(said[i-2]) && !vowel(said[i-1]) && !vowel(said[i+1]) && vowel(said[i+2])
		said[i] = "a"
		if !southern && (end && i >= 2 || between) {
			said[i] = ""
		}
	}
	return strings.Join(said, "")
}

func vowel(s string) bool { return s == schwa || s != "" && strings.ContainsAny(s[:1], "aeiou") }
