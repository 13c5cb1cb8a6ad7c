package verify

import (
	"fmt"
	"strings"
)

// A remark is what is wrong, by a code of the table below, with names and values for the places of its words. The zero remark is none.
type remark struct {
	code   string
	places []string
}

// say makes a remark; pairs are names of places and what stands there.
func say(code string, pairs ...any) remark {
	r := remark{code: code}
	for _, p := range pairs {
		r.places = append(r.places, fmt.Sprint(p))
	}
	return r
}

func (r remark) found() bool { return r.code != "" }

// words is a remark in English and in Hindi.
func (r remark) words() (en, hi string) {
	form := said[r.code]
	fill, here := make([]string, 0, len(r.places)), make([]string, 0, len(r.places))
	for i := 0; i+1 < len(r.places); i += 2 {
		place, value := "{"+r.places[i]+"}", r.places[i+1]
		fill = append(fill, place, value)
		if value == noUnit {
			value = "कोई नहीं"
		}
		here = append(here, place, value)
	}
	return strings.NewReplacer(fill...).Replace(form.en), strings.NewReplacer(here...).Replace(form.hi)
}

// noUnit is the name of the unit of a number that has none.
const noUnit = "no unit"

// said is every remark in both languages. What stands in braces is a place; double braces are a token of a text.
var said = map[string]struct{ en, hi string }{
	// V1, V2, V7, V8
	"token_form":    {"this is not a token: write {{F17}} or {{F17|abs|1|nounit}}", "यह टोकन नहीं है: {{F17}} या {{F17|abs|1|nounit}} लिखें"},
	"no_fact":       {"there is no fact {fact} in this case", "इस मामले में {fact} नाम का कोई तथ्य नहीं है"},
	"no_version":    {"the draft does not say which version of {fact} it uses", "मसौदा नहीं बताता कि {fact} का कौन-सा संस्करण लिया गया है"},
	"input_missing": {"{fact} rests on facts that are not in this case", "{fact} ऐसे तथ्यों पर टिका है जो इस मामले में नहीं हैं"},
	"version_missing": {"there is no version {version} of {fact}",
		"{fact} का संस्करण {version} नहीं है"},
	"changed": {"{fact} changed since this was written: version {version} said {was}, version {newest} says {now}",
		"यह लिखे जाने के बाद {fact} बदल गया: संस्करण {version} में {was} था, संस्करण {newest} में {now} है"},
	"input_old": {"{fact} rests on {input}, which is not the newest version: compute it again",
		"{fact} {input} पर टिका है, जो सबसे नया संस्करण नहीं है: फिर से गणना करें"},
	"shown_twice": {"{fact} is shown as {here} here and as {before} before: use one rounding",
		"{fact} यहाँ {here} और पहले {before} दिखाया गया है: एक ही पूर्णांकन रखें"},
	"typed":       {"a number was typed: cite a fact instead, or derive one", "संख्या हाथ से लिखी गई है: उसकी जगह तथ्य दें, या गणना करवाएँ"},
	"typed_words": {"a number was written in words: cite a fact instead, or derive one", "संख्या शब्दों में लिखी गई है: उसकी जगह तथ्य दें, या गणना करवाएँ"},
	"typed_zero":  {"a number was written in words: cite a fact instead", "संख्या शब्दों में लिखी गई है: उसकी जगह तथ्य दें"},
	"no_figure":   {"there is no such figure or table", "ऐसा कोई चित्र या तालिका नहीं है"},
	"too_long":    {"a sentence this long cannot be checked: split it", "इतना लंबा वाक्य जाँचा नहीं जा सकता: उसे बाँटें"},
	"character_reference": {"a character reference hides what a reader would see: write the character",
		"वर्ण का कूट छिपाता है कि पढ़ने वाला क्या देखेगा: वर्ण ही लिखें"},

	// V3: changes
	"change_unknown_word": {"{fact} is a change of {value}; \"{word}\" is not a word that says which way: write rises, falls or changes",
		"{fact} में {value} का बदलाव है; “{word}” दिशा नहीं बताता: बढ़ना, घटना या बदलना लिखें"},
	"change_no_word": {"{fact} is a change of {value}, and no word says which way it went",
		"{fact} में {value} का बदलाव है, और कोई शब्द दिशा नहीं बताता"},
	"change_hidden": {"{fact} is {value}: without its sign the sentence must say that it fell",
		"{fact} {value} है: चिह्न के बिना वाक्य को कहना होगा कि यह घटा"},
	"change_flat": {"{fact} is a change of {value}, the sentence says that nothing changed",
		"{fact} में {value} का बदलाव है, वाक्य कहता है कि कुछ नहीं बदला"},
	"change_contradicted": {"{fact} is a change of {value}, which \"{word}\" contradicts",
		"{fact} में {value} का बदलाव है, “{word}” इसके उलट है"},
	"change_turned": {"\"{word}\" and \"{other}\" say opposite things of {fact}", "“{word}” और “{other}” {fact} के बारे में उलटी बातें कहते हैं"},
	"minus_twice": {"\"{word}\" and a minus sign say it twice: write {{{fact}|abs}}",
		"“{word}” और ऋण चिह्न एक ही बात दो बार कहते हैं: {{{fact}|abs}} लिखें"},
	"bound": {"{fact} is {value} exactly: it is not \"{word}\" what is shown", "{fact} ठीक {value} है: दिखाई गई संख्या से “{word}” नहीं"},

	// V3: comparisons and movements
	"gap_no_word": {"{fact} is a difference between {one} and {other}: say which is higher, or call it a gap",
		"{fact} {one} और {other} का अंतर है: कहें कि कौन अधिक है, या इसे अंतर कहें"},
	"gap_contradicted": {"{fact} ({value}) is {one} minus {other}, which \"{word}\" contradicts",
		"{fact} ({value}) {one} में से {other} घटाकर है, “{word}” इसके उलट है"},
	"contrast": {"\"{word}\" is not so: {one} has {value}, {other} has {others}", "“{word}” सही नहीं है: {one} का {value} है, {other} का {others}"},
	"motion_unknown_word": {"\"{word}\" is not a word that says which way {fact} went: write rose to, fell to or reached",
		"“{word}” नहीं बताता कि {fact} किस ओर गया: बढ़कर, घटकर या पहुँचा लिखें"},
	"motion_unshown": {"no fact shows which way {fact} went: derive the difference first",
		"कोई तथ्य नहीं दिखाता कि {fact} किस ओर गया: पहले अंतर की गणना करवाएँ"},
	"motion_contradicted": {"the facts do not bear out \"{word}\" for {fact}", "तथ्य {fact} के लिए “{word}” की पुष्टि नहीं करते"},
	"motion_back":         {"{was} is not {word} from {now}", "{now} से {was} तक “{word}” नहीं है"},
	"motion_path":         {"from {was} to {now} is not the way the sentence says", "{was} से {now} वाक्य की बताई दिशा नहीं है"},
	"motion_path_word": {"{one} and {other} tell of a movement; \"{word}\" is not a word that says which way",
		"{one} और {other} बदलाव बताते हैं; “{word}” दिशा नहीं बताता"},
	"contradicted": {"the facts contradict \"{word}\"", "तथ्य “{word}” के उलट हैं"},

	// V4
	"extreme_uncited":  {"no fact in this sentence carries \"{word}\": cite the one that is ranked", "इस वाक्य का कोई तथ्य “{word}” नहीं दिखाता: क्रम वाला तथ्य दें"},
	"extreme_unranked": {"no fact compares {fact} with the others: derive its rank first", "कोई तथ्य {fact} की औरों से तुलना नहीं करता: पहले उसका क्रम निकलवाएँ"},
	"extreme_not":      {"the facts do not bear out \"{word}\"", "तथ्य “{word}” की पुष्टि नहीं करते"},
	"extreme_place":    {"the facts do not bear out \"{word}\": {value} is not in that place", "तथ्य “{word}” की पुष्टि नहीं करते: {value} उस स्थान पर नहीं है"},
	"extreme_shared":   {"\"{word}\" is shared with another: say that they are equal", "“{word}” किसी और पर भी लागू है: कहें कि दोनों बराबर हैं"},
	"extreme_no_tie":   {"nothing is tied here", "यहाँ कोई बराबरी नहीं है"},
	"majority":         {"\"{word}\" needs a share above one half: cite it", "“{word}” के लिए आधे से अधिक हिस्सा चाहिए: उसका तथ्य दें"},
	"always":           {"\"{word}\" cannot be checked: name what it covers", "“{word}” जाँचा नहीं जा सकता: बताएँ कि यह किन पर लागू है"},
	"not_so_many":      {"there are not that many {dim}s", "“{dim}” इतने नहीं हैं"},
	"no_exception":     {"no fact shows a {dim} for which this does not hold", "कोई तथ्य ऐसा “{dim}” नहीं दिखाता जिस पर यह लागू न हो"},
	"not_none":         {"no fact shows this for every {dim}", "कोई तथ्य हर “{dim}” के लिए यह नहीं दिखाता"},
	"not_only":         {"no fact shows that this holds for one {dim} and no other", "कोई तथ्य नहीं दिखाता कि यह एक ही “{dim}” पर लागू है"},
	"not_every": {"no fact shows this for every {dim}: cite one for each, or a minimum, maximum or mean over all",
		"कोई तथ्य हर “{dim}” के लिए यह नहीं दिखाता: हर एक का तथ्य दें, या सबका न्यूनतम, अधिकतम या औसत"},

	// V5: whom it is about
	"itself":        {"{fact} is compared with itself", "{fact} की तुलना उसी से की गई है"},
	"subject_ratio": {"{fact} measures {one} against {other}: name both in this sentence", "{fact} {one} को {other} से मापता है: वाक्य में दोनों के नाम लें"},
	"subject_pair":  {"{fact} compares {one} with {other}: name both in this sentence", "{fact} {one} और {other} की तुलना है: वाक्य में दोनों के नाम लें"},
	"subject_part":  {"{fact} is a share of the whole; {part} is only one of its parts", "{fact} पूरे का हिस्सा है; {part} उसका केवल एक भाग है"},
	"subject_twice": {"{one} stands twice in one list", "{one} एक ही सूची में दो बार है"},
	"subject_every": {"{fact} is about {one} only, the sentence speaks of every {dim}",
		"{fact} केवल {one} के बारे में है, वाक्य हर “{dim}” की बात करता है"},
	"subject_unnamed": {"{fact} is about {one}: name that {dim} in this clause", "{fact} {one} के बारे में है: इस उपवाक्य में वह नाम लें (“{dim}”)"},
	"subject_other":   {"{fact} is about {one}, the clause says {said}", "{fact} {one} के बारे में है, उपवाक्य में {said} है"},
	"subject_only":    {"{fact} is about {one} only, the clause says {said}", "{fact} केवल {one} के बारे में है, उपवाक्य में {said} है"},
	"subject_several": {"{fact} is computed over several: say over which {dim}s, or that it is an average, a sum or a range",
		"{fact} कई से निकला है: बताएँ कि किन “{dim}” से, या कि यह औसत, योग या दायरा है"},
	"subject_together": {"{fact} is about {all} together, the clause says {said}", "{fact} {all} सबके बारे में है, उपवाक्य में {said} है"},
	"year":             {"{fact} does not speak of that year", "{fact} उस वर्ष के बारे में नहीं है"},
	"unit_before":      {"{fact} is in {unit}, not in {said}", "{fact} की इकाई: {unit}; यहाँ लिखी है: {said}"},
	"unit_after":       {"{fact} is in {unit}: the text after it says {said}", "{fact} की इकाई: {unit}; उसके बाद लिखी है: {said}"},
	"unit_missing": {"{fact} is shown without its unit, {unit}, and the sentence does not name it",
		"{fact} अपनी इकाई ({unit}) के बिना है, और वाक्य में भी वह नहीं है"},

	// V6, V9, V10
	"unmentioned": {"the text does not mention {dim} {one}: mention it or have it waived",
		"पाठ में {one} (“{dim}”) का उल्लेख नहीं है: उल्लेख करें, या छूट लें"},
	"unshown": {"no fact in this case shows this: a reviewer must agree", "इस मामले का कोई तथ्य यह नहीं दिखाता: समीक्षक की सहमति चाहिए"},
	"cause": {"this says why something happened, and no fact says so: a reviewer must agree",
		"यह कारण बताता है, और कोई तथ्य ऐसा नहीं कहता: समीक्षक की सहमति चाहिए"},
	"recommends":      {"this recommends: the text may only state what the facts show", "यह सलाह देता है: पाठ केवल वही कहे जो तथ्य दिखाते हैं"},
	"forecast":        {"this speaks of a time after the data end", "यह आँकड़ों के बाद के समय की बात करता है"},
	"names_person":    {"this names a person", "इसमें किसी व्यक्ति का नाम है"},
	"names_community": {"this names a person or a community", "इसमें किसी व्यक्ति या समुदाय का नाम है"},
}
