package piitest

import (
	"fmt"
	"strings"
)

// trap is a sentence that looks like a kind of personal data and holds none.
func trap(d *dice, kind string) string {
	switch kind {
	case Aadhaar, VID, Masked:
		return longNumber(d, kind)
	case Mobile:
		return pick(d, []string{
			"reference no. " + d.text(1, "12345") + d.text(9, digits), "file " + d.text(9, digits),
			"recorded at 17" + d.text(8, digits), "Rs " + lakhs(d.text(1, "6789")+d.text(9, digits)),
			"toll-free 1800-" + d.text(3, digits) + "-" + d.text(4, digits), "control room 0385-24" + d.text(5, digits),
			"at 24.8" + d.text(9, digits) + ", 93.9" + d.text(9, digits),
			"serial " + d.text(1, "6789") + d.text(12, digits), "from 2026-11-14 to 2026-11-16",
			"the ratio was 0." + d.text(1, "6789") + d.text(9, digits), "dial 112 or 1930, or 0674-239" + d.text(4, digits),
			"votes: " + d.text(4, "6789") + ", " + d.text(3, digits) + ", " + d.text(3, digits),
		})
	case PAN:
		return pick(d, []string{
			"code " + d.text(3, capitals) + d.text(1, "DEIKMNOQRSUVWXYZ") + d.text(1, capitals) + d.text(4, digits) + d.text(1,
				capitals), "batch " + d.text(4, capitals) + d.text(5, digits) + d.text(1, capitals),
			"ticket " + d.text(5, capitals) + d.text(5, digits), "tender " + d.text(5, capitals) + d.text(4, digits),
			"model " + d.text(3, capitals) + "P" + d.text(1, capitals) + d.text(5, digits) + d.text(1, capitals),
		})
	case Email, UPI, Handle:
		return atSign(d, kind)
	case Name, Person:
		return pick(d, nobody)
	}
	return paper(d, kind)
}

// longNumber is a long number that is nobody's.
func longNumber(d *dice, kind string) string {
	length := 12
	if kind == VID {
		length = 16
	}
	wrong := checked(d, length)
	wrong = wrong[:length-1] + string('0'+(wrong[length-1]-'0'+byte(1+d.below(9)))%10)
	first := d.text(1, "01") + d.text(length-1, digits)
	return pick(d, []string{
		"transaction " + wrong, "ref " + grouped(wrong, " ", 4, 4, length-8), "challan no. " + first,
		"consignment " + checked(d, 12) + d.text(7, digits), "id " + d.text(11, digits),
		"elections of 1998 2004 " + fmt.Sprint(2009+d.below(10)), "amount Rs " + lakhs(checked(d, 12)),
		"sha1 " + d.text(40, "0123456789abcdef"),
		"uuid " + d.text(8, "0123456789abcdef") + "-" + d.text(4, "0123456789abcdef") + "-4" + d.text(3,
			"0123456789abcdef") + "-a" + d.text(3, "0123456789abcdef") + "-" + d.text(12, "abcdef0123"),
		fmt.Sprintf("stamped 2026%02d%02d%02d%02d", 1+d.below(12), 1+d.below(28), d.below(24), d.below(60)),
		"XXXX marks the spot, XXX " + d.text(4, digits), "size XXXL 2026",
	})
}

// lakhs groups a number as sums of money are.
func lakhs(n string) string {
	head, out := n[:len(n)-3], n[len(n)-3:]
	for len(head) > 2 {
		out = head[len(head)-2:] + "," + out
		head = head[:len(head)-2]
	}
	return head + "," + out
}

// atSign is an "@" or an address that leads to nobody.
func atSign(d *dice, kind string) string {
	switch kind {
	case Email:
		return pick(d, []string{"sold 40@12.50 each", "npm left-pad@1.3." + d.text(1, digits), "root@localhost said so",
			"meet @ 5.30 pm", "rate @ 7.5% p.a.", "see example.org/contact", "12@3.5", "deploy@latest", "the @-sign is odd."})
	case UPI:
		return pick(d, []string{"meeting@5pm", "live@nine tonight", "party@home", "build@main failed", "onions@40 a kilo",
			"user@host is a form", "paytm is accepted", "open upi and pay", "work@desk"})
	}
	return pick(d, []string{
		"potatoes @50/kg and onions @120 per kg", "starts @ 5 pm", "see box.com/press and netflix.com/title", "https://x.com/home",
		"https://www.facebook.com/", "t.me/ is blocked", "https://twitter.com/search?q=bandh",
		"instagram.com/explore", "https://example.org/facebook.com", "fedex.com/track", "linux.com/news", "@ the market",
		"x.com/hashtag/peace", "https://x.com/i/trending", "buy 2 @Rs.45 each",
	})
}

// nobody are sentences with the words around names and no name of anybody.
var nobody = []string{
	"The procession left Shri Govindajee Temple at noon.", "Dr Ambedkar Road was blocked.", "The rally ended at Shri Krishna Mandir.",
	"Dr. Rajendra Prasad Stadium was full.", "Mr Speaker, the House is adjourned.",
	"Shri Ram Navami processions were peaceful.", "Children aged 6 to 14 get free meals.", "Voters aged 18 and above may register.",
	"Persons aged 60 or more were moved first.", "Residents of Imphal West demanded water.",
	"The residents of the relief camp were fed.", "Sons of the soil, the poster said.", "w/o permission no rally is allowed",
	"Shops stayed shut 24/7 w/o notice.", "An aged bridge collapsed.", "Women aged between 20 and 40 were trained.",
	"Dr B R Ambedkar Hospital was cordoned off.", "श्री कृष्ण मंदिर में भीड़ थी।", "डॉ. अंबेडकर मार्ग बंद रहा।",
	"श्रीनगर में कर्फ्यू है।", "निवासी कल्याण समिति की बैठक हुई।", "Shri Mata Vaishno Devi University reopened.",
	"The Jammu and Kashmir border was sealed.", "Patients aged above 70 were shifted.", "resident doctors went on strike",
	"The resident commissioner was informed.", "Mr Justice is a title.", "He is a proud son of Manipur.",
	"Imphal West (34), Thoubal (12) and Bishnupur (9) reported cases.", "East Khasi Hills and West Garo Hills stayed calm.",
	"The District Magistrate and the Superintendent of Police met.",
}

// paper is a sentence with something like the number of a paper, a car, an account or a device.
func paper(d *dice, kind string) string {
	luhn := "35" + d.text(12, digits)
	bad := gstin(d)
	switch kind {
	case EPIC:
		return pick(d, []string{"tender " + d.text(3, capitals) + d.text(7, digits),
			"flight code " + d.text(3, capitals) + d.text(6, digits), "the voter turnout was 7654321", "PRID " + d.text(7, digits),
			"order " + d.text(3, capitals) + d.text(7, digits) + " issued"})
	case Passport:
		return pick(d, []string{"hangar " + d.text(1, "ABC") + d.text(7, "123456789"),
			"pole " + d.text(1, "KLM") + "1" + d.text(6, digits) + " was cut", "the passport office closed at 5",
			"memo Q" + d.text(7, digits)})
	case Licence, Vehicle:
		return pick(d, []string{"NH 37 and NH 2 were blocked", "grid XQ" + d.text(2, digits) + "AB" + d.text(4, digits),
			"part no. ZZ" + d.text(2, digits) + d.text(11, digits), "IPC 302 and BNS 103", "AS 4 of 2026", "UP 12 trains were late in 2026",
			"MN was calm in 2026", "the licence raj of 1990"})
	case IFSC:
		return pick(d, []string{"code ABCD1" + d.text(6, digits), "lot QWER0" + d.text(6, digits), "HDFC and SBIN shares fell",
			"batch SBIN1" + d.text(6, digits)})
	case GSTIN:
		return pick(d, []string{"code " + bad[:14] + otherThan(d, bad[14:]), "lot " + bad[:13],
			"key " + strings.ToLower(d.text(15, capitals))})
	case Account:
		return pick(d, []string{"on account of 120000000 rupees spent", "serial " + d.text(11, "12345"),
			"PRID " + d.text(9, digits) + " of the ministry", "they accounted for 123456789 votes", "barcode 4" + d.text(11, "12345"),
			"no account was opened in 2026"})
	case IP:
		return pick(d, []string{"version 1.2.3." + d.text(1, "123456789"), "clause 4.2.1.3 applies", "at 300.400.1.2",
			"v10.4.2.1 was released", "score 12.5.3", "from 10:30:45 to 11:00:00", "section 5.1.2.4"})
	}
	return pick(d, []string{"IMEI of the handset is unknown since 2026", "lot " + luhn + string('0'+(luhnDigit(luhn)-'0'+1)%10),
		"container " + luhn + string(luhnDigit(luhn)), "parcel " + d.text(15, "12345")})
}

// otherThan is a character of base 36 that is not the given one.
func otherThan(d *dice, one string) string {
	return d.text(1, strings.ReplaceAll(digits+capitals, one, ""))
}
