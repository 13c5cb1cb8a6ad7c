package brief

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/occupancy"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/roster"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/finding"
)

// A matter is one finding and where it was found.
type matter struct {
	who, van string     // as people call them
	unit     fleet.Unit // in which distances are told
	found    check.Finding
	verdicts []check.Verdict
}

// evidence is the piece of a type that is about the finding's own subject.
func (m matter) evidence(kind string) (check.Data, bool) {
	for _, v := range m.verdicts {
		for _, e := range v.Evidence() {
			if e.Type == kind && e.Data.Text("employee_id") == string(m.found.Employee) {
				return e.Data, true
			}
		}
	}
	return nil, false
}

// A telling is one finding in words.
type telling struct {
	brief, says, change, plain finding.Words
	value, limit               finding.Measure
	pro, unknown               []finding.Point
}

// of is the finding of a telling, about its subject.
func (t telling) of(s finding.Subject, sure check.Confidence) finding.Finding {
	return finding.Finding{Subject: s, Brief: t.brief, Says: t.says, Value: t.value, Limit: t.limit, Sure: sureness(sure),
		For: t.pro, Unknown: t.unknown, Change: t.change, Plain: t.plain}
}

// sureness is how sure the code is, in words.
func sureness(c check.Confidence) finding.Measure {
	words := map[check.Confidence]finding.Words{
		1: {En: "1 of 5: cannot be judged", Hi: "5 में से 1: कहा नहीं जा सकता"},
		2: {En: "2 of 5: not sure", Hi: "5 में से 2: पक्का नहीं"},
		3: {En: "3 of 5: fairly sure", Hi: "5 में से 3: काफ़ी हद तक पक्का"},
		4: {En: "4 of 5: sure", Hi: "5 में से 4: पक्का"},
		5: {En: "5 of 5: certain", Hi: "5 में से 5: पूरी तरह पक्का"},
	}
	if w, ok := words[c]; ok {
		return finding.Measured(w)
	}
	return finding.NotApplicable(finding.Words{En: "Nothing fails any more.", Hi: "अब कुछ भी विफल नहीं है।"})
}

// tell puts a finding into words, by its kind. One whose evidence is gone, or of a kind
// from after this build, is told by its name.
func tell(m matter) telling {
	switch m.found.Kind {
	case location.Mismatch:
		return m.far()
	case shift.Mismatch:
		return m.otherHours()
	case shift.NoMajority:
		return m.noMajority()
	case roster.SeparatedEmployee:
		return m.left()
	case roster.DuplicateMembership:
		return m.twice()
	case badge.SeldomSeen:
		return m.seldomSeen()
	case parking.Concurrent:
		return m.permit()
	case occupancy.TooEmpty, occupancy.TooSmall:
		return m.seats()
	case check.DataMissing, check.EmptyRoster:
		return m.missing()
	case "":
		return m.nothing()
	}
	return m.other()
}

// inUnit is a distance in miles, as the evidence has it, in the unit of the programme.
func inUnit(miles string, u fleet.Unit) finding.Words {
	f, err := strconv.ParseFloat(miles, 64)
	if err != nil || u != fleet.InKilometres {
		return finding.Words{En: miles + " mi", Hi: miles + " मील"}
	}
	km := fleet.ToMiles(f).In(u)
	return finding.Words{En: km + " km", Hi: km + " किमी"}
}

// bare is a distance without its unit, beside one that has it.
func bare(told string) string {
	n, _, _ := strings.Cut(told, " ")
	return n
}

func (m matter) far() telling {
	e, ok := m.evidence("distance_check")
	miles, limit := e.Text("distance_miles"), e.Text("threshold_miles")
	if !ok || miles == "" || limit == "" {
		return m.other()
	}
	far, most := inUnit(miles, m.unit), inUnit(limit, m.unit)
	t := telling{
		brief: finding.Words{En: far.En + " from the pickup; limit " + bare(most.En), Hi: "पिकअप से " + far.Hi + "; सीमा " + bare(most.Hi)},
		says: finding.Words{En: m.who + " lives " + far.En + " from the pickup of " + m.van + "; the limit is " + bare(most.En) + ".",
			Hi: m.who + " का घर " + m.van + " के पिकअप से " + far.Hi + " दूर है; सीमा " + most.Hi + " है।"},
		value:  finding.Measured(far),
		limit:  finding.Measured(most),
		change: finding.Words{En: "A home within " + most.En + " of the pickup.", Hi: "पिकअप से " + most.Hi + " के भीतर का घर।"},
		plain: finding.Words{En: "A rider of " + m.van + " is over the distance limit.",
			Hi: m.van + " का एक यात्री दूरी की सीमा से ऊपर है।"},
	}
	switch location.Method(e.Text("method")) {
	case location.OSRM, location.Valhalla:
		t.pro = append(t.pro, finding.Say("The distance was measured along the road.", "दूरी सड़क के रास्ते मापी गई।"))
	case location.Bound:
		t.pro = append(t.pro, finding.Say("Even the straight line is over the limit.", "सीधी रेखा में भी दूरी सीमा से ज़्यादा है।"))
	default:
		t.unknown = append(t.unknown, finding.Say("The road distance: it is an estimate.", "सड़क की दूरी: यह अनुमान है।"))
	}
	if e.Text("geo_precision") == "zip" {
		t.unknown = append(t.unknown, finding.Say("The exact home: only its ZIP code is known.", "ठीक-ठीक घर: केवल पिन कोड पता है।"))
	} else {
		t.pro = append(t.pro, finding.Say("The home is known by its address.", "घर का पता दर्ज है।"))
	}
	return t
}

func (m matter) otherHours() telling {
	e, ok := m.evidence(shift.Mismatch)
	own, van := Hours(finding.Brief(e.Text("employee_hours"))), Hours(finding.Brief(e.Text("expected_hours")))
	if !ok || own.En == "" || van.En == "" {
		return m.other()
	}
	short := func(text string) string { return clip(text, 50) }
	return telling{
		brief: finding.Words{En: "works " + short(own.En) + "; the van runs for " + short(van.En),
			Hi: "काम " + short(own.Hi) + "; वैन " + short(van.Hi) + " के लिए चलती है"},
		says: finding.Words{En: m.who + " works " + own.En + "; " + m.van + " runs for " + van.En + ".",
			Hi: m.who + " का काम " + own.Hi + " है; " + m.van + " " + van.Hi + " के लिए चलती है।"},
		value:  finding.Measured(own),
		limit:  finding.Measured(finding.Words{En: "the van's hours, " + van.En, Hi: "वैन का समय, " + van.Hi}),
		pro:    []finding.Point{overlap(e)},
		change: finding.Words{En: "Working hours that fit the van's.", Hi: "वैन के समय से मेल खाते काम के घंटे।"},
		plain: finding.Words{En: "A rider of " + m.van + " works other hours than the van runs.",
			Hi: m.van + " के एक यात्री के काम के घंटे वैन से मेल नहीं खाते।"},
	}
}

func overlap(e check.Data) finding.Point {
	n, days := e.Text("overlap_minutes"), e.Text("working_days")
	return finding.Say(fmt.Sprintf("Their way to work overlaps the van's by %s min, over %s working days.", n, days),
		fmt.Sprintf("%s कार्यदिवसों में उनका आना-जाना वैन से %s मिनट ही मेल खाता है।", days, n))
}

func (m matter) noMajority() telling {
	e, ok := m.evidence(shift.NoMajority)
	if !ok {
		return m.other()
	}
	most, all := e.Text("largest_group"), e.Text("riders")
	return telling{
		brief: finding.Words{En: "no shift that most riders share: " + most + " of " + all,
			Hi: "कोई पाली ज़्यादातर यात्रियों की नहीं: " + all + " में " + most},
		says: finding.Words{En: "The riders of " + m.van + " share no working hours: at most " + most + " of " + all +
			" have the same shift.",
			Hi: m.van + " के यात्रियों का समय एक नहीं: " + all + " में से ज़्यादा से ज़्यादा " + most + " की पाली एक है।"},
		value: finding.Measured(finding.Words{En: most + " of " + all + " riders", Hi: all + " में से " + most + " यात्री"}),
		limit: finding.Measured(finding.Words{En: "more than half", Hi: "आधे से ज़्यादा"}),
		change: finding.Words{En: "A schedule for the van, or one shift for more than half.",
			Hi: "वैन की समय-सारणी, या आधे से ज़्यादा की एक पाली।"},
		plain: finding.Words{En: "The riders of " + m.van + " share no working hours.", Hi: m.van + " के यात्रियों का समय एक नहीं है।"},
	}
}

func (m matter) left() telling {
	return telling{
		brief: finding.Words{En: "no longer works here, still in the van", Hi: "अब यहाँ काम नहीं करते, पर वैन में हैं"},
		says: finding.Words{En: m.who + " no longer works here and is still a member of " + m.van + ".",
			Hi: m.who + " अब यहाँ काम नहीं करते और अब भी " + m.van + " के सदस्य हैं।"},
		value:  finding.Measured(finding.Words{En: "has left", Hi: "छोड़ चुके हैं"}),
		limit:  finding.Measured(finding.Words{En: "riders are employed here", Hi: "यात्री यहीं काम करते हों"}),
		pro:    []finding.Point{finding.Say("The staff records say so.", "कर्मचारी अभिलेख यही कहते हैं।")},
		change: finding.Words{En: "A staff record that says they work here.", Hi: "ऐसा कर्मचारी अभिलेख जो कहे कि वे यहाँ काम करते हैं।"},
		plain:  finding.Words{En: "A rider of " + m.van + " no longer works here.", Hi: m.van + " का एक यात्री अब यहाँ काम नहीं करता।"},
	}
}

func (m matter) twice() telling {
	e, ok := m.evidence(roster.DuplicateMembership)
	if !ok {
		return m.other()
	}
	also, n := clip(e.Text("also_in"), 80), e.Text("memberships")
	return telling{
		brief: finding.Words{En: "also a member of " + also + "; one van allowed", Hi: also + " के भी सदस्य; एक ही वैन मान्य"},
		says: finding.Words{En: m.who + " is a member of " + m.van + " and of " + also + "; one van is allowed.",
			Hi: m.who + " " + m.van + " और " + also + " दोनों के सदस्य हैं; एक ही वैन मान्य है।"},
		value:   finding.Measured(finding.Words{En: n + " vans", Hi: n + " वैन"}),
		limit:   finding.Measured(finding.Words{En: "1 van", Hi: "1 वैन"}),
		unknown: []finding.Point{finding.Say("Which of the vans they ride in.", "वे किस वैन से आते-जाते हैं।")},
		change:  finding.Words{En: "One membership fewer.", Hi: "एक सदस्यता कम।"},
		plain: finding.Words{En: "A rider of " + m.van + " is a member of another van, too.",
			Hi: m.van + " का एक यात्री दूसरी वैन का भी सदस्य है।"},
	}
}

func (m matter) seldomSeen() telling {
	e, ok := m.evidence("badge_presence")
	expected, err := strconv.Atoi(e.Text("expected_days"))
	if !ok || err != nil {
		return m.other()
	}
	present, need := e.Text("present_days"), (badge.Standard().Share*expected+99)/100
	return telling{
		brief: finding.Words{En: fmt.Sprintf("on site %s of %d working days; at least %d", present, expected, need),
			Hi: fmt.Sprintf("%d कार्यदिवसों में %s दिन उपस्थित; कम से कम %d", expected, present, need)},
		says: finding.Words{En: fmt.Sprintf("%s was on site on %s of %d working days; the least is %d.", m.who, present, expected, need),
			Hi: fmt.Sprintf("%s %d कार्यदिवसों में %s दिन उपस्थित रहे; कम से कम %d चाहिए।", m.who, expected, present, need)},
		value: finding.Measured(finding.Words{En: present + " days", Hi: present + " दिन"}),
		limit: finding.Measured(finding.Words{En: fmt.Sprintf("at least %d of %d days", need, expected),
			Hi: fmt.Sprintf("%d में से कम से कम %d दिन", expected, need)}),
		pro: []finding.Point{finding.Say("Badge readings from "+e.Text("from")+" to "+e.Text("until")+".",
			e.Text("from")+" से "+e.Text("until")+" तक के बैज अभिलेख।")},
		unknown: []finding.Point{finding.Say("Days on which a badge was forgotten.", "वे दिन जब बैज साथ नहीं था।")},
		change: finding.Words{En: fmt.Sprintf("Badge readings on %d of %d working days.", need, expected),
			Hi: fmt.Sprintf("%d में से %d कार्यदिवसों के बैज अभिलेख।", expected, need)},
		plain: finding.Words{En: "A rider of " + m.van + " is seldom on site.", Hi: m.van + " का एक यात्री कम ही उपस्थित रहता है।"},
	}
}

func (m matter) permit() telling {
	e, ok := m.evidence(parking.Concurrent)
	if !ok {
		return m.other()
	}
	id, until := clip(e.Text("permit_id"), 40), e.Text("until")
	return telling{
		brief: finding.Words{En: "also holds parking permit " + id, Hi: "पार्किंग परमिट " + id + " भी है"},
		says: finding.Words{En: m.who + " has a seat in " + m.van + " and parking permit " + id + ", valid until " + until + ".",
			Hi: m.who + " के पास " + m.van + " में सीट और पार्किंग परमिट " + id + " दोनों हैं, " + until + " तक।"},
		value:   finding.Measured(finding.Words{En: "1 permit", Hi: "1 परमिट"}),
		limit:   finding.Measured(finding.Words{En: "none beside a seat", Hi: "सीट के साथ कोई नहीं"}),
		unknown: []finding.Point{finding.Say("Whether they pay for the permit themselves.", "क्या परमिट का शुल्क वे खुद देते हैं।")},
		change:  finding.Words{En: "An end of the parking permit.", Hi: "पार्किंग परमिट का अंत।"},
		plain: finding.Words{En: "A rider of " + m.van + " holds a parking permit, too.",
			Hi: m.van + " के एक यात्री के पास पार्किंग परमिट भी है।"},
	}
}

// clip is a text in the length of a line's part.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}
