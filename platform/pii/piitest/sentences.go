package piitest

// news are sentences that concern nobody in particular, with the numbers that news have.
var news = []string{
	"Traffic on NH-102 was disrupted for 3 hours on 14 November 2026.",
	"The bandh called from 5 am to 5 pm passed off peacefully in Imphal East and Thoubal.",
	"Officials said 1,250 people were moved to 14 relief camps by 18:30.",
	"Section 163 of the BNSS is in force in 6 police station areas until 2026-11-21.",
	"Prices rose by 4.5 % since 2024, according to the Directorate of Economics.",
	"Schools reopened on Monday; attendance was about 80 per cent.",
	"A 12-hour shutdown was observed in Churachandpur, PIN 795128.",
	"The river stood at 786.35 m at 9 am, 0.4 m below the danger level.",
	"प्रशासन ने बताया कि 14 राहत शिविर खोले गए हैं।",
	"राष्ट्रीय राजमार्ग 102 पर यातायात 3 घंटे बाधित रहा।",
	"बंद शांतिपूर्ण रहा और बाज़ार शाम 6 बजे खुल गए।",
	"जिला प्रशासन ने 2026 में 45 बैठकें कीं।",
}

// anything are sentences that say nothing about what stands in them.
var anything = []string{
	"{x}", "({x})", "forwarded as received: {x}", "Please share widely, {x}.", "see {x}, then delete", "\"{x}\"", "contact: {x};",
	"आगे भेजें: {x}", "यह देखें {x}।",
	"{\"value\":\"{x}\",\"ok\":true}", "Imphal West,{x},2026-11-14",
}

// sentences are where things of a kind stand; {x} is the thing.
var sentences = map[string][]string{
	Aadhaar: append([]string{"Aadhaar number {x} was circulated in the group.", "his UID is {x} as per the list", "Aadhaar no.:{x}",
		"Ward 12 {x} registered at the camp", "{x} 144 families",
		"आधार संख्या {x} समूह में भेजी गई।", "आधार:{x}"}, anything...),
	Masked: append([]string{"Aadhaar {x} verified at the counter.", "आधार {x} की पुष्टि हुई।"}, anything...),
	VID:    append([]string{"VID {x} generated for the camp.", "Virtual ID: {x}"}, anything...),
	PAN:    append([]string{"PAN {x} of the contractor was leaked.", "PAN: {x}", "पैन {x} सूची में है।"}, anything...),
	Mobile: append([]string{"Call {x} for details.", "Mob. {x}", "WhatsApp:{x}", "ph no {x} is spreading the rumour",
		"फ़ोन {x} पर संपर्क करें।", "item 3 {x}", "Helpline {x} (24x7)"}, anything...),
	Email: append([]string{"Write to {x}.", "mailto:{x}", "From: <{x}>", "https://example.org/unsubscribe?to={x}&k=1",
		"ईमेल {x} पर भेजें।"},
		anything...),
	UPI:    append([]string{"Donate via UPI {x} today.", "pay to {x}.", "UPI ID: {x}", "दान {x} पर भेजें।"}, anything...),
	Handle: append([]string{"Posted by {x} on Tuesday.", "via {x}:", "credit {x} for the video", "{x} के अनुसार"}, anything[:10]...),
	EPIC: {"EPIC {x} was shown at the booth.", "Voter ID no. {x}", "voter card {x} found", "मतदाता पहचान पत्र {x} मिला।",
		"EPIC No: {x}, part 12"},
	Passport: {"Passport No. {x} was seized.", "passport {x} issued at Guwahati", "पासपोर्ट {x} ज़ब्त हुआ।", "Indian passport: {x}"},
	Licence:  {"Driving licence {x} was produced.", "DL No. {x}", "licence {x} suspended", "ड्राइविंग लाइसेंस {x} दिखाया गया।"},
	Vehicle: {"A truck bearing registration {x} was torched.", "vehicle no. {x}", "the car, {x}, was found near the river",
		"गाड़ी {x} मिली।"},
	IFSC:  {"IFSC {x} was given for donations.", "IFSC code: {x}", "bank branch {x}", "आईएफएससी {x}"},
	GSTIN: {"GSTIN {x} of the shop", "GST no. {x}", "the bill says {x}", "जीएसटी {x}"},
	Account: {"Donations to A/c {x} only.", "a/c no. {x}", "account number {x}", "bank account no: {x}, IFSC follows",
		"खाता संख्या {x} में भेजें।", "acct {x}"},
	IP:   {"The post came from IP {x} on Monday.", "logged in from {x}", "IP address: {x}", "server {x} was blocked"},
	IMEI: {"IMEI {x} of the seized handset", "IMEI: {x}", "the phone's IMEI no. {x}"},
}
