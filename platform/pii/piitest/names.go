package piitest

import (
	"fmt"
	"strings"
)

var (
	given = []string{"Thoiba", "Ranjit", "Lalboi", "Ibemcha", "Mary", "Anil", "Sunita", "Zothan", "Abdul", "Tomba", "Kiran", "Rupa",
		"Ngam", "Hemanta", "Pooja", "Biren", "Rahima", "Joseph"}
	family = []string{"Singh", "Devi", "Haokip", "Kumar", "Das", "Ao", "Khan", "Sharma", "Ahmed", "Rongmei", "Meitei", "Lalrinpuii",
		"Borah", "Sangma", "Tiwari", "Chanu"}
	givenHi = []string{"राजेश", "सुनीता", "मोहन", "पूजा", "अनिल", "रहीमा", "थोइबा", "किरण", "अब्दुल", "मीना"}
	famHi   = []string{"कुमार", "देवी", "सिंह", "शर्मा", "दास", "खान", "बोरा", "यादव"}
	towns   = []string{"Wangkhei", "Lamka", "Singjamei", "Mao", "Kakching", "Silchar", "Dimapur", "Moirang"}
	townsHi = []string{"थौबल", "इंफाल", "सिलचर", "दीमापुर"}
)

// someone is a made-up name.
func someone(d *dice) string {
	middle := pick(d, []string{"", "", "", "Kumar ", "K. ", "Md. "})
	return pick(d, given) + " " + middle + pick(d, family)
}

func someoneHi(d *dice) string { return pick(d, givenHi) + " " + pick(d, famHi) }

// named are sentences in which what stands around a name says that it is one.
var named = []string{
	"Shri {x} addressed the gathering.", "The complaint of Smt. {x} was registered.", "Dr {x} treated the injured.",
	"Mr. {x} said the road was closed.", "Mrs {x} was hurt.",
	"They met Md. {x} at the camp.", "Ms {x}, a teacher, was present.", "Sri {x} filed an FIR.", "Prof. {x} spoke at the rally.",
	"{x}, s/o {other}, was arrested.", "{x} S/O {other} R/O {town}", "{x}, d/o {other}, is missing.", "{x} w/o {other} lodged a report.",
	"{x}, son of {other}, was found dead.", "{x}, daughter of {other}, was rescued.", "{x}, wife of {other}, alleged negligence.",
	"{x}, aged {age}, was injured.", "{x} aged about {age} years died on the spot.", "{x}, aged {age} years, resident of {town}.",
	"{x}, a resident of {town}, was killed.", "{x}, resident of {town}, has been missing.",
	"{x} ({age}), a resident of {town}, was shot at.", "{x} r/o {town} was held.",
	"The deceased was identified as {x}.",
}

var namedHi = []string{
	"श्री {x} ने सभा को संबोधित किया।", "श्रीमती {x} की शिकायत दर्ज हुई।", "डॉ. {x} ने घायलों का इलाज किया।", "डॉ {x} मौजूद थे।",
	"{x} पुत्र {other} को गिरफ्तार किया गया।", "{x} पत्नी {other} ने रिपोर्ट लिखाई।", "{x} निवासी {town} लापता है।",
}

// unnamed are sentences that describe one person without a name.
var unnamed = []string{
	"A woman {x} was shot dead near the market.", "A man {x} was injured in the clash.", "A youth, {x}, was beaten.",
	"The victim, {x}, is a tailor.", "a labourer {x} died",
}

// described is a sentence about somebody, who it is, and whose child or wife they are.
func described(d *dice, kind string) (sentence, thing, other string) {
	age := fmt.Sprint(18 + d.below(60))
	fill := strings.NewReplacer("{age}", age, "{town}", pick(d, towns))
	if kind == Person {
		thing = pick(d, []string{"aged {age}", "aged {age} years", "aged about {age} years", "resident of {town}", "a resident of {town}"})
		return pick(d, unnamed), strings.TrimPrefix(fill.Replace(thing), "a "), ""
	}
	if d.chance(0.2) {
		return strings.ReplaceAll(pick(d, namedHi), "{town}", pick(d, townsHi)), someoneHi(d), someoneHi(d)
	}
	sentence, thing, other = fill.Replace(pick(d, named)), someone(d), someone(d)
	if d.chance(0.1) { // as police forms have it
		capitals := strings.NewReplacer("{X}", "{x}", "{OTHER}", "{other}")
		return capitals.Replace(strings.ToUpper(sentence)), strings.ToUpper(thing), strings.ToUpper(other)
	}
	return sentence, thing, other
}
