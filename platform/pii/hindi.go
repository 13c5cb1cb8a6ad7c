package pii

import "strings"

var (
	honorificsHi = set("श्री", "श्रीमती", "सुश्री", "डॉ", "डा", "प्रो", "कुमारी", "मो", "मोहम्मद")
	relationsHi  = set("पुत्र", "पुत्री", "पत्नी", "उर्फ")
	residentHi   = "निवासी"
	// stopsHi are words that follow or come before a name and are no part of it.
	stopsHi = set("ने", "को", "का", "की", "के", "से", "में", "पर", "और", "है", "हैं", "था", "थे", "थी", "भी", "तक", "व", "एवं", "या",
		"तथा", "जी", "मौजूद",
		"ग्राम", "स्थानीय", "मूल", "सभी", "क्षेत्र", "गांव", "गाँव", "जिला", "नगर", "वह", "यह", "कि", "एक", "निवासी", "पुत्र", "पुत्री",
		"पत्नी", "उर्फ", "लापता", "द्वारा", "सहित")
	thingsHi = set("मंदिर", "मार्ग", "रोड", "अस्पताल", "विद्यालय", "विश्वविद्यालय", "महाविद्यालय", "चौक", "स्टेडियम", "सभागार", "पुल",
		"मठ", "धाम", "नवमी", "जयंती", "नगर", "पार्क",
		"योजना", "भवन", "कॉलेज", "स्कूल", "सेतु", "बाज़ार", "बाजार", "समिति", "घाट")
)

// longestHi is the longest word of these lists in characters as they are folded.
const longestHi = 9

// hindi looks at a word of another script: श्री and its like before a name, पुत्र and निवासी after one.
// Hindi has no capitals, so a name is the words beside it that are not known to be something else:
// up to three after it, two before.
func (f *finder) hindi(i, j int) {
	if j-i > longestHi {
		return
	}
	switch w := f.foreignWord(i, j); {
	case honorificsHi[w]:
		if j < len(f.b) && f.b[j] == '.' {
			j++
		}
		f.hindiAfter(j)
	case relationsHi[w]:
		f.hindiBefore(i)
		f.hindiAfter(j)
	case w == residentHi:
		f.hindiBefore(i)
	}
}

// foreignWord is said for a word of Devanagari, whose characters have three bytes each: where nothing was
// left out, it is the text itself.
func (f *finder) foreignWord(i, j int) string {
	from := int(f.at[i])
	if end := from + 3*(j-i); end <= len(f.src) && int(f.at[j-1]) == end-3 {
		return f.src[from:end]
	}
	return f.said(i, j)
}

// hindiAfter notes the name that begins after i.
func (f *finder) hindiAfter(i int) {
	start, end := 0, 0
	for words := range mostWords {
		a := f.gap(i)
		z := f.run(a, 40, foreign)
		if a == i && words > 0 || a == z {
			break
		}
		w := f.said(a, z)
		if thingsHi[w] {
			return
		}
		if stopsHi[w] {
			break
		}
		if words == 0 {
			start = a
		}
		if words < mostWords-1 { // the last one is looked at only for what a place is called
			end = z
		}
		i = z
	}
	if end > start {
		f.found(start, end, Name)
	}
}

// hindiBefore notes the name that ends before i.
func (f *finder) hindiBefore(i int) {
	end := strings.TrimRight(f.b[:i], " ,")
	a, z := len(end), len(end)
	for words, at := 0, z; words < 2; words++ {
		from := at
		for from > 0 && f.is(from-1, foreign) {
			from--
		}
		w := f.said(from, at)
		if from == at || stopsHi[w] || thingsHi[w] || honorificsHi[w] {
			break
		}
		a = from
		if from == 0 || f.b[from-1] != ' ' {
			break
		}
		at = from - 1
	}
	if a < z {
		f.found(a, z, Name)
	}
}
