package gavel_test

import "regexp"

// A phrase is one that people stumbled over, in small letters, and what is said instead.
type phrase struct {
	was, say string
	but      []string // files in which it means something else
}

// phrases are not said to people.
var phrases = []phrase{
	{was: "say what becomes of", say: "Decide: whom it is about, and by how much"},
	{was: "what becomes of the case", say: "what happens next"},
	{was: "before a person", say: "Waiting for your decision"},
	{was: "code cannot take this case further", say: "The rules can't settle this"},
	{was: "reversed only by an act of its own", say: "Can't be undone"},
	{was: "binds to what is shown", say: "You approve exactly this version"},
	{was: "nobody in particular", say: "Proposed by Gavel, or leave it out"},
	{was: "put off", say: "snooze"},
	{was: "hand over", say: "reassign"},
	{was: "handed over", say: "reassigned", but: handing},
	{was: "who decides, why", say: "Why me?"},
	{was: "accept it until a day", say: "Allow until"},
	{was: "let be", say: "Give a reason"},
	{was: "told in another way", say: "Contacted by phone or in person"},
	{was: "what came back", say: "Result"},
	{was: "brought to mind", say: "Reminder"},
	{was: "take this case away", say: "Download case file"},
	{was: "take a case away", say: "Download case file"},
	{was: "take this list out", say: "Export"},
	{was: "passes by themselves", say: "Scheduled audits"},
	{was: "audits by themselves", say: "Scheduled audits"},
	{was: "begins by itself", say: "is scheduled"},
	{was: "who is missing from it goes", say: "people not in it become inactive"},
	{was: "never came", say: "No data yet"},
	{was: "never spoke", say: "No data yet"},
	{was: "has never come", say: "No data yet"},
	{was: "has ever come", say: "No data yet"},
	{was: "have the air looked at", say: "Run a scan"},
	{was: "the city's inside", say: "inside the city"},
	{was: "the first stands apart", say: "Clear lead over second place"},
	{was: "other days would not do", say: "Unlikely by chance"},
	{was: "mail is taken in", say: "Incoming mail isn't set up"},
	{was: "nobody was erased", say: "No erasures"},
	{was: "runs that stand", say: "Stuck runs"},
	{was: "weigh alike", say: "Is it fair across groups?"},
	{was: "done again just now", say: "Rechecked"},
	{was: "the same came out", say: "same value"},
	{was: "not in a state that allows", say: "what it is, and what is too late"},
	{was: "you may not do this", say: "You don't have access"},
	{was: "keep this", say: "Save"},
	{was: "be somebody else", say: "Switch role"},
	{was: "the stead of", say: "on behalf of"},
	{was: "their stead", say: "on their behalf"},
	{was: "your stead", say: "on your behalf"},
	{was: "nothing was given", say: "Missing, and its name"},
	{was: "keep us from starting", say: "settings are missing"},
	{was: "speak when they should", say: "up to date"},
	{was: "is anything left?", say: "checks clean shutdown"},
	{was: "why not otherwise", say: "design decisions"},
	{was: "for who connects", say: "Integrators"},
	{was: "possible misuse", say: "which check, and the van"},
	{was: "you may not decide", say: "You don't have access"},
	{was: "your role does not", say: "You don't have access"},
	{was: "सवार", say: "यात्री"},
	{was: "प्रकरण", say: "मामला for a case, घटना for an episode"},
	{was: "झील", say: "लेक"},
	{was: "स्टेशन", say: "केंद्र"},
	{was: "अंकेक्षक", say: "लेखा परीक्षक"},
	{was: "रिकॉर्ड", say: "अभिलेख"},
	{was: "पन्न", say: "पृष्ठ"},
	{was: "दाखिल", say: "दाख़िल"},
}

// handing are the files in which records or a mail are handed to somebody else.
var handing = []string{
	"docs/guide/integrator.md", "docs/guide/operator.md", "docs/guide/programme-manager.md", "apps/poolpatrol/rest/rest.go",
	"platform/notify/end.go",
}

// unsaid are files and folders in which nothing is said to people who work with the product, or
// in which the words stay as they are: letters to riders, the text of reports that are
// filed, and what /verify says of a bundle.
var unsaid = []string{
	"bench", "devstack", "platform/web/gallery", "platform/fact/lexicon", "platform/bundle",
	"apps/poolpatrol/rule/post", "apps/airshed/rule/report",
}

// keptKeys begin the keys of messages whose words stay as they are, however long.
var keptKeys = []string{"verify."}

// names are the words in Latin letters that a Hindi page may hold: names of things that have no
// other, and what is typed or sent exactly so.
var names = []string{
	"Gavel", "Airshed", "Hello", "MODIS", "OpenID", "Connect", "OpenAPI", "Standard", "Webhooks", "MCP", "API",
	"PM2.5", "PM10", "g/m", "µg/m", "MiB", "SHA-256", "JSON", "CSV", "PDF", "UTF-8", "ZIP", "UTC", "RFC", "USD", "Esc",
	"America/Los_Angeles", "GAVEL_MODELS", "https", "gavel", "logout", "null", "zip", "html", "pdf", "json", "csv",
	"Idempotency-Key", "ETag", "If-Match", "Link", "If-None-Match", "page_size", "next_page_token", "page_token", "Accept", "text/csv",
	"format=csv", "fields=a", "b", "validate_only=true", "Prefer", "respond-async", "operation", "Location", "wait=N", "RateLimit",
	"Retry-After", "Gavel-Zone", "application/problem+json", "code", "next", "errors", "reason", "detail", "propo", "proposals",
}

// refForm is how things are numbered.
var refForm = regexp.MustCompile(`^[A-Z]{1,4}-[0-9A-Z]+$`)
