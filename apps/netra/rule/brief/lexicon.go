package brief

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
)

// A mark is something that a word says a sentence is about.
type mark string

// The marks. Those of the layers are the layers' own names; those of the bands begin with "band ".
const (
	aScore  mark = "score"
	earlier mark = "earlier"
	up      mark = "risen"
	down    mark = "fallen"
	hours   mark = "hours"
	quiet   mark = "nothing new"
	police  mark = "police"
	signals mark = "signals"
	heard   mark = "heard"
	usual   mark = "usual"
	nobodys mark = "nothing that may be said"
)

func bandMark(b score.Band) mark { return mark("band " + b.String()) }

// lexicon is the words that may stand between facts, and what each says a sentence is about; nothing for those that only connect. There is
// no "not" among them, no name, no cause, no advice and nothing that judges.
var lexicon = map[reason.Lang]map[string]mark{
	reason.English: words(`a an and as at by for from in is it its of on or over since stands stood than that the then there this to
			was were with within has have had been are comes came now about still also band layer layers district state
			point points full out last past next day days window windows if new leaves stays come counted count where here
			after until`,
		map[mark]string{aScore: "score scores", earlier: "earlier before previous previously", up: "risen rose rises higher up rise",
			down: "fallen fell falls lower down fall drops dropped", hours: "hour hours", quiet: "nothing", police: "police action actions",
			signals: "signal signals report reports", heard: "heard", usual: "usual usually normally", "physical": "physical",
			"cognitive": "cognitive", "network": "network"}),
	reason.Hindi: words(`में से का की के को है हैं था थे थी और पर तक ने यह वह इस उस ये इसका इसकी इसके जिले जिला परत परतों श्रेणी कुल अब अभी
			दिन दिनों अवधि पिछले पिछली पिछला अगले तब यदि तो भी गया गई गए रहा रही रहे हुआ हुई हुए राज्य रहेगा आएगा जाएगा आ जा
			मिले मिली मिला मिलते मिलती बाद यहां यहाँ इतने इतना इतनी`,
		map[mark]string{aScore: "अंक अंकों", earlier: "पहले पूर्व", up: "बढ़ा बढ़ी बढ़े ऊपर", down: "घटा घटी घटे नीचे",
			hours: "घंटे घंटों घंटा", quiet: "न नया नई नए कुछ", police: "पुलिस कार्रवाई", signals: "संकेत संकेतों",
			heard: "सूचना सूचनाएँ सूचनाएं सूचनाओं", usual: "आमतौर",
			"physical": "भौतिक", "cognitive": "संज्ञानात्मक", "network": "नेटवर्क"}),
}

func words(connecting string, about map[mark]string) map[string]mark {
	out := map[string]mark{}
	for _, w := range strings.Fields(connecting) {
		out[bare(w)] = ""
	}
	for m, list := range about {
		for _, w := range strings.Fields(list) {
			out[bare(w)] = m
		}
	}
	return out
}

// dotted are letters that are written with their dot in one, and bare ones.
var dotted = strings.NewReplacer("\u0958", "क", "\u0959", "ख", "\u095a", "ग", "\u095b", "ज", "\u095c", "ड", "\u095d", "ढ", "\u095e", "फ",
	"\u095f", "य", nukta, "")

// bare is a text without the dots that some write below letters and some do not.
func bare(text string) string { return dotted.Replace(text) }

// l10n is a mark as who writes in a language is told of it.
func l10n(lang reason.Lang, m mark) string {
	if name, ok := strings.CutPrefix(string(m), "band "); ok {
		for _, b := range score.Bands() {
			if b.String() == name {
				return reason.Band(lang, b)
			}
		}
	}
	if lang != reason.Hindi {
		return string(m)
	}
	var all []string
	for w, of := range lexicon[lang] {
		if of == m {
			all = append(all, w)
		}
	}
	return strings.Join(slices.Sorted(slices.Values(all)), ", ")
}
