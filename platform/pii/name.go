package pii

import "strings"

var (
	// things are what is called after people and is none.
	things = set("road", "temple", "mandir", "college", "school", "hospital", "stadium", "chowk", "nagar", "marg", "university",
		"institute", "foundation",
		"trust", "memorial", "bhawan", "bhavan", "airport", "park", "bridge", "setu", "yojana", "scheme", "bazar", "bazaar", "market",
		"ashram", "dham",
		"gurudwara", "colony", "hall", "auditorium", "award", "centre", "center", "museum", "library", "street", "lane", "path",
		"navami", "jayanti",
		"puja", "pooja", "ghat", "station", "church", "mosque", "masjid", "dargah", "academy", "society", "club", "samiti", "gram", "sabha")
	// offices are how somebody is addressed who is not named.
	offices = set("president", "speaker", "chairman", "chairperson", "minister", "justice", "secretary", "deputy", "chief", "governor",
		"prime")
	deities = set("ram", "krishna", "hanuman", "ganesh", "shiva", "vishnu", "durga", "govindajee", "jagannath")
	// lands are what somebody is a proud child of.
	lands = set("india", "manipur", "assam", "nagaland", "mizoram", "tripura", "meghalaya", "sikkim", "arunachal", "arunachal pradesh",
		"bharat", "god")
	// many are those of whom an age is said of each.
	many = set("children", "women", "men", "persons", "people", "voters", "patients", "citizens", "youths", "girls", "boys", "those",
		"all", "students",
		"residents", "workers", "adults", "minors", "individuals", "candidates", "anyone", "infants", "pensioners")
	// openers begin a sentence or stand for a name, and are none.
	openers = set("the", "a", "an", "in", "on", "at", "of", "one", "police", "deceased", "victim", "accused", "man", "woman", "youth",
		"girl", "boy", "person",
		"farmer", "labourer", "he", "she", "they", "it", "his", "her", "their", "this", "that", "and", "was", "is", "said", "by", "to",
		"who", "whom", "as",
		"late", "local", "another", "two", "three", "when", "while", "after", "aged", "resident", "met", "complaint", "from", "with",
		"for", "were", "has", "had", "been", "years")
)

// A run is words that begin with a capital, as names do.
type run struct {
	i, j  int
	words int
	thing bool // it is called after somebody, or is an office
}

func (r run) empty() bool { return r.words == 0 }

// mostWords is the longest name in words.
const mostWords = 4

// nameAfter is the run that begins at i.
func (f *finder) nameAfter(i int) (r run) {
	r.i, r.j = i, i
	for at := i; r.words < mostWords+2 && f.is(at, upper); {
		z := f.nameWord(at)
		w := f.said(at, z)
		if f.is(z, wordy) || openers[w] || z < len(f.b) && f.b[z] == '/' && z == at+1 {
			break
		}
		r.thing = r.thing || r.words > 0 && things[w] || r.words == 0 && offices[w]
		if r.words < mostWords {
			r.j = z
		}
		r.words++
		if z < len(f.b) && f.b[z] == '.' && z-at <= 2 { // an initial, or Md.
			z++
		}
		if z >= len(f.b) || f.b[z] != ' ' && f.b[z-1] != '.' {
			break
		}
		at = f.gap(z)
	}
	return r
}

// nameWord is where a word of a name ends; hyphens and apostrophes join.
func (f *finder) nameWord(i int) int {
	j := f.run(i, 40, letter)
	for j+1 < len(f.b) && strings.IndexByte("-'", f.b[j]) >= 0 && f.is(j+1, upper) {
		j = f.run(j+1, 40, letter)
	}
	return j
}

// nameBefore is the run that ends before i, over a comma, an age in brackets and an article.
func (f *finder) nameBefore(i int) (r run) {
	at := f.backOver(i)
	r.i, r.j = at, at
	for r.words < mostWords {
		a := at
		for a > 0 && (f.is(a-1, letter) || a < at && (f.b[a-1] == '-' || f.b[a-1] == '\'') && f.is(a-2, letter)) {
			a--
		}
		if a == at || !f.is(a, upper) || f.is(a-1, wordy) || openers[f.said(a, at)] {
			break
		}
		if r.words == 0 {
			r.j = at
		}
		r.i = a
		r.words++
		if a < 2 || f.b[a-1] != ' ' {
			break
		}
		if at = a - 1; f.b[at-1] == '.' { // an initial, or Md.; anything longer ends a sentence
			if short := f.shortWord(at - 1); !short {
				break
			}
			at--
		}
	}
	return r
}

// shortWord reports whether the word that ends at i has at most two letters.
func (f *finder) shortWord(i int) bool {
	a := i
	for a > 0 && i-a <= 3 && f.is(a-1, wordy) {
		a--
	}
	return a < i && i-a <= 2
}

// backOver is where a name ends that stands before i.
func (f *finder) backOver(i int) int {
	i = f.backSpace(i)
	for _, article := range [...]string{" a", " A", " an", " AN"} {
		if strings.HasSuffix(f.b[:i], article) {
			i = f.backSpace(i - len(article))
			break
		}
	}
	if i > 0 && f.b[i-1] == ',' {
		i = f.backSpace(i - 1)
	}
	if i > 2 && f.b[i-1] == ')' {
		if open := strings.LastIndexByte(f.b[max(0, i-6):i], '('); open >= 0 {
			i = f.backSpace(max(0, i-6) + open)
		}
	}
	return i
}

func (f *finder) backSpace(i int) int {
	for i > 0 && f.b[i-1] == ' ' {
		i--
	}
	return i
}

// masked reports whether a name stood before i and was taken out.
func (f *finder) masked(i int) bool {
	return strings.HasSuffix(f.b[:f.backOver(i)], "["+string(Name)+"]")
}
