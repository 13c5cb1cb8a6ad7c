package brief

import (
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/occupancy"
	"github.com/gavelhq/gavel/platform/finding"
)

// seats is a van that is too empty or too small.
func (m matter) seats() telling {
	if m.found.Kind == occupancy.TooSmall {
		e, ok := m.evidence(occupancy.TooSmall)
		if !ok {
			return m.other()
		}
		has, least := e.Text("capacity"), e.Text("min_capacity")
		return telling{
			brief: finding.Words{En: has + " seats; at least " + least, Hi: has + " सीटें; कम से कम " + least},
			says: finding.Words{En: m.van + " has " + has + " seats; the least is " + least + ".",
				Hi: m.van + " में " + has + " सीटें हैं; कम से कम " + least + " चाहिए।"},
			value:  finding.Measured(finding.Words{En: has + " seats", Hi: has + " सीटें"}),
			limit:  finding.Measured(finding.Words{En: "at least " + least, Hi: "कम से कम " + least}),
			change: finding.Words{En: "A vehicle with at least " + least + " seats.", Hi: "कम से कम " + least + " सीटों वाला वाहन।"},
			plain:  finding.Words{En: m.van + " is too small.", Hi: m.van + " छोटी है।"},
		}
	}
	e, ok := m.evidence("occupancy")
	if !ok {
		return m.other()
	}
	riders, seats, least := e.Text("riders"), e.Text("seats"), e.Text("min_fill_percent")
	return telling{
		brief: finding.Words{En: riders + " of " + seats + " seats taken; at least " + least + " %",
			Hi: seats + " में " + riders + " सीटें भरी; कम से कम " + least + " %"},
		says: finding.Words{En: m.van + " has " + riders + " riders on " + seats + " seats; at least " + least + " % must be taken.",
			Hi: m.van + " की " + seats + " सीटों पर " + riders + " यात्री हैं; कम से कम " + least + " % भरी होनी चाहिए।"},
		value:  finding.Measured(finding.Words{En: e.Text("fill_percent") + " % full", Hi: e.Text("fill_percent") + " % भरी"}),
		limit:  finding.Measured(finding.Words{En: "at least " + least + " %", Hi: "कम से कम " + least + " %"}),
		change: finding.Words{En: "More riders in the van.", Hi: "वैन में और यात्री।"},
		plain:  finding.Words{En: m.van + " is too empty.", Hi: m.van + " ज़्यादातर खाली है।"},
	}
}

// missing is a record that is not complete: nobody is accused of that.
func (m matter) missing() telling {
	field, hi := "roster", "यात्रियों की सूची"
	if m.found.Kind == check.DataMissing {
		field = clip(strings.ReplaceAll(m.found.Mark, "_", " "), 40)
		hi = map[string]string{"home": "घर", "pickup": "पिकअप", "schedule": "समय-सारणी", "capacity": "सीटों की संख्या",
			"shift": "पाली"}[field]
		if hi == "" {
			hi = field
		}
	}
	none := finding.NotApplicable(finding.Words{En: "The record is incomplete.", Hi: "अभिलेख अधूरा है।"})
	return telling{
		brief: finding.Words{En: "record incomplete: " + field, Hi: "अभिलेख अधूरा: " + hi},
		says: finding.Words{En: "The records of " + m.who + " are incomplete: " + field + " is missing or unreadable.",
			Hi: m.who + " के अभिलेख अधूरे हैं: " + hi + " नहीं है या पढ़ा नहीं जाता।"},
		value: none, limit: none,
		unknown: []finding.Point{finding.Say("Whether anything is wrong at all.", "क्या सच में कुछ गड़बड़ है।")},
		change:  finding.Words{En: "A complete record.", Hi: "पूरा अभिलेख।"},
		plain:   finding.Words{En: "A record of " + m.van + " is incomplete.", Hi: m.van + " का एक अभिलेख अधूरा है।"},
	}
}

// nothing is a case with nothing that fails any more.
func (m matter) nothing() telling {
	none := finding.NotApplicable(finding.Words{En: "Nothing fails any more.", Hi: "अब कुछ भी विफल नहीं है।"})
	return telling{
		brief: finding.Words{En: "nothing fails any more", Hi: "अब कुछ भी विफल नहीं"},
		says: finding.Words{En: "Nothing fails any more for " + m.who + " in " + m.van + ".",
			Hi: m.van + " में " + m.who + " के लिए अब कुछ भी विफल नहीं है।"},
		value: none, limit: none,
		change: finding.Words{En: "A new audit that finds something.", Hi: "नई जाँच में कुछ निकलना।"},
		plain: finding.Words{En: "A case of " + m.van + " waits; nothing fails any more.",
			Hi: m.van + " का एक मामला रुका है; अब कुछ भी विफल नहीं।"},
	}
}

// other is a finding told by its name: its evidence was erased, or it is newer than this.
func (m matter) other() telling {
	name := clip(strings.ReplaceAll(m.found.Kind, "_", " "), 60)
	none := finding.NotApplicable(finding.Words{En: "The evidence is not at hand; open the case.",
		Hi: "साक्ष्य यहाँ नहीं है; मामला खोलें।"})
	return telling{
		brief: finding.Words{En: "does not pass: " + name, Hi: "जाँच में विफल: " + name},
		says: finding.Words{En: m.who + " does not pass an audit of " + m.van + ": " + name + ".",
			Hi: m.van + " की जाँच में " + m.who + " ठीक नहीं निकले: " + name + "।"},
		value: none, limit: none,
		unknown: []finding.Point{finding.Say("The numbers behind it.", "इसके पीछे के आँकड़े।")},
		change:  finding.Words{En: "A new audit that passes.", Hi: "नई जाँच जिसमें सब ठीक निकले।"},
		plain: finding.Words{En: "A rider of " + m.van + " does not pass an audit.",
			Hi: m.van + " का एक यात्री जाँच में ठीक नहीं निकला।"},
	}
}

// fits is what the audit found in order about the same rider: it speaks against ending a
// membership. What it found about others says nothing about them.
func fits(who fleet.EmployeeID, u fleet.Unit, verdicts []check.Verdict) (all []finding.Point) {
	for _, v := range verdicts {
		side := v.Against
		if v.Label == check.Pass {
			side = v.For
		}
		for _, e := range side {
			if e.Data.Text("employee_id") != string(who) {
				continue
			}
			switch e.Type {
			case "employee_shift":
				all = append(all, finding.Say("Their working hours fit the van's.", "उनके काम के घंटे वैन से मेल खाते हैं।"))
			case "distance_check":
				far := inUnit(e.Data.Text("distance_miles"), u)
				all = append(all, finding.Say("They live "+far.En+" from the pickup, within the limit.",
					"उनका घर पिकअप से "+far.Hi+" है, सीमा के भीतर।"))
			case "badge_presence":
				all = append(all, finding.Say("They are on site as often as expected.", "वे अपेक्षा के अनुसार उपस्थित रहते हैं।"))
			case "exception":
				all = append(all, finding.Say("An exception is in force.", "एक छूट लागू है।"))
			}
		}
	}
	return all
}

// A why is what brought a case before a person, on the side it speaks for.
type why struct {
	side  string
	point finding.Point
}

func whys() map[lifecycle.Why]why {
	return map[lifecycle.Why]why{
		lifecycle.Triage: {"unknown", finding.Say("The rules are not sure enough to write to anybody.",
			"नियम इतने पक्के नहीं कि किसी को लिखा जाए।")},
		lifecycle.Undeliverable: {"unknown", finding.Say("Whether they know: a letter came back.",
			"उन्हें पता है या नहीं: एक पत्र लौट आया।")},
		lifecycle.MailHeld: {"unknown", finding.Say("Whether they know of the last look: they had three letters that day, so none went.",
			"पिछली जाँच का उन्हें पता है या नहीं: उस दिन तीन पत्र जा चुके थे, इसलिए और नहीं भेजा गया।")},
		lifecycle.Escalated: {"against", finding.Say("A reply came that a person must answer.",
			"एक जवाब आया जिसका उत्तर किसी व्यक्ति को देना है।")},
		lifecycle.ManyQuestions: {"unknown", finding.Say("They still ask; letters have not settled it.",
			"उनके प्रश्न बाकी हैं; पत्रों से बात नहीं बनी।")},
		lifecycle.UnreadReply: {"against", finding.Say("A reply came meanwhile and is unread.", "इस बीच एक जवाब आया, जो पढ़ा नहीं गया।")},
		lifecycle.DataChanged: {"against", finding.Say("The records changed while this waited.", "प्रतीक्षा के दौरान अभिलेख बदल गए।")},
		lifecycle.OnLeave: {"against", finding.Say("Their leave began while this waited.",
			"प्रतीक्षा के दौरान उनकी छुट्टी शुरू हुई।")},
		lifecycle.Unheard: {"unknown", finding.Say("Not everybody concerned has been written to.",
			"सभी संबंधित लोगों को लिखा नहीं गया है।")},
		lifecycle.TooOld: {"unknown", finding.Say("The case has been open longer than a case may be.",
			"मामला तय समय से ज़्यादा खुला है।")},
		lifecycle.Expired: {"unknown", finding.Say("Nobody answered the request to end memberships in time.",
			"सदस्यता समाप्त करने के अनुरोध का समय पर उत्तर नहीं मिला।")},
		lifecycle.Declined: {"against", finding.Say("Somebody declined to end the membership.",
			"किसी ने सदस्यता समाप्त करने से मना किया।")},
		lifecycle.NoMoreAudits: {"unknown", finding.Say("It was looked at as often as the rules allow.",
			"नियमों में जितनी बार जाँच हो सकती थी, हो चुकी है।")},
	}
}

// sinceAsked say what became of the question before, in a few words.
func sinceAsked() map[string]finding.Words {
	return map[string]finding.Words{
		"rejected":   {En: "asked again after a no", Hi: "मना होने के बाद फिर पूछा गया"},
		"sent_back":  {En: "asked again after it was sent back", Hi: "लौटाए जाने के बाद फिर पूछा गया"},
		"expired":    {En: "asked again, nobody answered in time", Hi: "समय पर उत्तर नहीं मिला, फिर पूछा गया"},
		"failed":     {En: "asked again, what was approved failed", Hi: "मंज़ूर काम नहीं हो पाया, फिर पूछा गया"},
		"undone":     {En: "asked again, what was approved was undone", Hi: "मंज़ूरी वापस ली गई, फिर पूछा गया"},
		"looked":     {En: "checked again, still so", Hi: "फिर जाँचा गया, अब भी यही"},
		"not_looked": {En: "could not be checked again", Hi: "फिर जाँच नहीं हो सकी"},
	}
}
