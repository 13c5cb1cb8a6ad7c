package post

import (
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A Language is one that letters are written in.
type Language string

// The languages.
const (
	English Language = "en"
	Hindi   Language = "hi"
)

// Speaks is the language in which somebody is written to: theirs where there are letters
// in it, else English. What a letter says of its language is this, and not what the
// records say of the person.
func Speaks(theirs string) Language {
	if Language(theirs) == Hindi {
		return Hindi
	}
	return English
}

// say is a phrase of letters in a language, with what stands in its places: names and
// values by turns.
func (l Language) say(phrase string, places ...string) string {
	words := english
	if l == Hindi {
		words = hindi
	}
	var slots []string
	for i := 0; i+1 < len(places); i += 2 {
		slots = append(slots, "{"+places[i]+"}", places[i+1])
	}
	return strings.NewReplacer(slots...).Replace(words[phrase])
}

// unit is what distances are told in.
func (l Language) unit(u fleet.Unit) string {
	if u == fleet.InKilometres {
		return l.say("km")
	}
	return l.say("mi")
}

// hours are working hours as the records have them, with the days of the language.
func (l Language) hours(text string) string {
	if l != Hindi {
		return text
	}
	return hindiShort.Replace(text)
}

// day writes a day as people read it.
func (l Language) day(t time.Time) string {
	if l != Hindi {
		return t.Format("Monday 2 January 2006")
	}
	return hindiDays[t.Weekday()] + t.Format(" 2 ") + hindiMonths[t.Month()-1] + t.Format(" 2006")
}

// Moment writes a moment as people read it: "09:00 on Monday 9 March 2026
// (America/Los_Angeles)".
func (l Language) Moment(t time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	t = t.In(zone)
	return l.say("moment", "day", l.day(t), "clock", t.Format("15:04"), "zone", zone.String())
}

var (
	hindiShort = strings.NewReplacer("Mon", "सोम", "Tue", "मंगल", "Wed", "बुध", "Thu", "गुरु", "Fri", "शुक्र", "Sat", "शनि",
		"Sun", "रवि")
	hindiDays   = [...]string{"रविवार", "सोमवार", "मंगलवार", "बुधवार", "गुरुवार", "शुक्रवार", "शनिवार"}
	hindiMonths = [...]string{"जनवरी", "फ़रवरी", "मार्च", "अप्रैल", "मई", "जून", "जुलाई", "अगस्त", "सितंबर", "अक्तूबर", "नवंबर", "दिसंबर"}
)

var english = map[string]string{
	"subject":    "Your vanpool membership",
	"holding":    "Your reply about your vanpool membership",
	"dear":       "Dear {name},",
	"hello":      "Hello,",
	"moment":     "{clock} on {day} ({zone})",
	"mi":         "miles",
	"km":         "kilometres",
	"rechecking": "Thank you for your reply. We are looking at the records again and will write to you with the result. You do not need to do anything now.",
	"portal":     "Thank you for telling us. Please make the change in the Employee Portal, if you have not done so yet:\n{portal}",
	"portal_by":  "We look at the records again when they change, at {moment} at the latest.",
	"closing":    "Nothing more is asked of you about your membership in {van}. This review is closed. Thank you for your patience.",
	"first": "We regularly check that every vanpool fits the people in it. For your membership in {van} something does not fit, and we would " +
		"like to hear from you before anything else happens.",
	"answer": "Thank you for your question about your membership in {van}. This is what the rules say, and what they were applied to.",
	"again":  "We have looked again at your membership in {van}. Something still does not fit, and we would like to hear from you.",
	"held":   "What we hold about you:\n{lines}",
	"do": "What you can do: if this is out of date, correct it in the Employee Portal ({portal}) and reply to tell us. If it is right, or " +
		"if you have a question, just reply to this mail.",
	"by": "Please reply by {moment}. If we hear nothing we look at the records once more, and a person of the programme decides what " +
		"happens then.",
	"add_by":     "If you have anything to add, please reply by {moment}.",
	"offer":      "You may also like to know: {offer}",
	"offer_is":   "{van} has a free seat, runs for your working hours, and its pickup is {far} {unit} from your home.",
	"shift":      "The working hours we have for you and the hours the van runs for are too far apart to share the way to work on most days.",
	"van_hours":  " The van runs for these hours: {hours}.",
	"location":   "The home we have for you is {far} {unit} from the van's pickup. The programme allows {limit} {unit}.",
	"held_shift": "- your working hours: {hours}",
	"held_zip":   "- the ZIP code of your home: {zip}",
	"held_van":   "- your vanpool: {van}",
	"page": "You need not write a mail. On this page you can see where this stands, and answer two questions while it is open:\n{page}\n" +
		"The address is for you alone: whoever has it can read the page and answer.",
	"turn":         "If you would rather talk to a person: {contact}. If you think we are wrong: {appeal}.",
	"signed":       "{programme}\nYour reference: {case}",
	"removed":      "Your membership in {van} ends with {day}. After that day you have no seat in this van.",
	"removed_by":   "A person of the programme decided this, after the records had been checked once more.",
	"why":          "This is why:",
	"why_else":     "The records we hold no longer fit the rules of the programme.",
	"wrote_once":   "We wrote to you before. You answered on {days}. Your answer was read before this was decided.",
	"wrote_silent": "We wrote to you before, and had no answer.",
	"seat_subject": "A seat in your vanpool",
	"seat": "One seat in {van} is free after {day}. You need not do anything. Please plan the van's rides without that seat until " +
		"somebody new joins.",
	"seat_quiet":    "Who leaves, and why, is not told in this mail.",
	"holding_reply": "Thank you for your reply. A person of the programme has read it and is looking into what you say.",
}

var hindi = map[string]string{
	"subject":    "आपकी वैनपूल सदस्यता",
	"holding":    "आपकी वैनपूल सदस्यता पर आपका जवाब",
	"dear":       "प्रिय {name},",
	"hello":      "नमस्ते,",
	"moment":     "{day}, {clock} बजे ({zone})",
	"mi":         "मील",
	"km":         "किलोमीटर",
	"rechecking": "आपके जवाब के लिए धन्यवाद। हम अभिलेख फिर देख रहे हैं और नतीजा आपको लिखेंगे। अभी आपको कुछ करने की ज़रूरत नहीं है।",
	"portal":     "बताने के लिए धन्यवाद। यदि आपने अब तक बदलाव नहीं किया है, तो कृपया कर्मचारी पोर्टल में कर दें:\n{portal}",
	"portal_by":  "अभिलेख बदलते ही हम उन्हें फिर देखेंगे; ज़्यादा से ज़्यादा {moment} तक।",
	"closing":    "{van} की आपकी सदस्यता के बारे में आपसे और कुछ नहीं चाहिए। यह जाँच पूरी हुई। आपके धैर्य के लिए धन्यवाद।",
	"first": "हम नियमित रूप से देखते हैं कि हर वैनपूल उसके यात्रियों के अनुकूल हो। {van} की आपकी सदस्यता में कुछ मेल नहीं खाता। आगे कुछ भी होने से पहले हम " +
		"आपकी बात सुनना चाहते हैं।",
	"answer": "{van} की सदस्यता के बारे में आपके प्रश्न के लिए धन्यवाद। नियम क्या कहते हैं और वे किस पर लागू हुए, वह नीचे है।",
	"again":  "हमने {van} की आपकी सदस्यता फिर देखी। कुछ अब भी मेल नहीं खाता, और हम आपकी बात सुनना चाहते हैं।",
	"held":   "आपके बारे में हमारे पास यह दर्ज है:\n{lines}",
	"do": "आप क्या कर सकते हैं: यदि यह पुराना है, तो इसे कर्मचारी पोर्टल ({portal}) में सुधारें और जवाब देकर हमें बताएँ। यदि यह सही है, या आपका कोई " +
		"प्रश्न है, तो बस इस मेल का जवाब दें।",
	"by":         "कृपया {moment} तक जवाब दें। जवाब न आने पर हम अभिलेख एक बार और देखेंगे, और फिर क्या हो यह कार्यक्रम का कोई व्यक्ति तय करेगा।",
	"add_by":     "यदि आपको कुछ और कहना हो, तो कृपया {moment} तक जवाब दें।",
	"offer":      "यह भी जान लें: {offer}",
	"offer_is":   "{van} में एक सीट खाली है। वह आपके काम के समय चलती है और आपके घर से {far} {unit} दूर मिलती है।",
	"shift":      "आपके काम के दर्ज समय और वैन के चलने के समय में बहुत अंतर है। ज़्यादातर दिन साथ आना-जाना नहीं हो सकता।",
	"van_hours":  " वैन इन समयों पर चलती है: {hours}।",
	"location":   "आपका दर्ज घर वैन के पिकअप से {far} {unit} दूर है। कार्यक्रम में सीमा {limit} {unit} है।",
	"held_shift": "- आपके काम का समय: {hours}",
	"held_zip":   "- आपके घर का ZIP कोड: {zip}",
	"held_van":   "- आपका वैनपूल: {van}",
	"page": "मेल लिखना ज़रूरी नहीं है। इस पृष्ठ पर आप देख सकते हैं कि बात कहाँ तक पहुँची है, और खुला रहने तक दो प्रश्नों के उत्तर दे सकते हैं:\n{page}\n" +
		"यह पता केवल आपके लिए है: जिसके पास यह हो, वह पृष्ठ पढ़ और उत्तर दे सकता है।",
	"turn":          "यदि आप किसी व्यक्ति से बात करना चाहें: {contact}। यदि आपको लगे कि हम गलत हैं: {appeal}।",
	"signed":        "{programme}\nआपका संदर्भ: {case}",
	"removed":       "{van} की आपकी सदस्यता {day} के साथ समाप्त होती है। उस दिन के बाद इस वैन में आपकी सीट नहीं रहेगी।",
	"removed_by":    "यह कार्यक्रम के एक व्यक्ति ने तय किया। उससे पहले अभिलेख एक बार और जाँचे गए।",
	"why":           "कारण यह है:",
	"why_else":      "हमारे पास दर्ज अभिलेख अब कार्यक्रम के नियमों से मेल नहीं खाते।",
	"wrote_once":    "हमने आपको पहले लिखा था। आपका जवाब {days} को आया। यह तय होने से पहले उसे पढ़ा गया।",
	"wrote_silent":  "हमने आपको पहले लिखा था, और जवाब नहीं आया।",
	"seat_subject":  "आपके वैनपूल की एक सीट",
	"seat":          "{day} के बाद {van} में एक सीट खाली है। आपको कुछ करने की ज़रूरत नहीं है। नए यात्री के आने तक वैन को उस सीट के बिना चलाने की योजना बनाएँ।",
	"seat_quiet":    "कौन जा रहा है और क्यों, यह इस मेल में नहीं बताया जाता।",
	"holding_reply": "आपके जवाब के लिए धन्यवाद। कार्यक्रम के एक व्यक्ति ने उसे पढ़ लिया है और आपकी बात देख रहे हैं।",
}
