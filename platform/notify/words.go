package notify

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/review"
)

// opaque is what cannot stand in the id of what authorises a mail.
var opaque = regexp.MustCompile(`[^A-Za-z0-9._:/@+-]+`)

// phrases are the words of mails to our own staff, by language. A mail holds no name,
// no title and no reason: a mailbox is not behind our walls. What was found stands in it
// as its finding says it plainly.
var phrases = map[string]struct {
	kinds              map[review.NoticeKind]string // {what} is the proposal's number
	digest, foot, open string
}{
	"en": {
		kinds: map[review.NoticeKind]string{
			review.NoticeReminder:   "{what} still waits for a decision",
			review.NoticeEscalation: "{what} now waits for you, too",
			review.NoticeAssigned:   "{what} was assigned to you",
			review.NoticeDelegated:  "Somebody asks you to decide on their behalf",
			review.NoticeExpired:    "{what} was not decided in time",
		},
		digest: "{n} things since yesterday",
		open:   "Open it:",
		foot: "The link opens a page that asks you to sign in. Opening it decides nothing.\n" +
			"How and when you are told is yours to say: {account}",
	},
	"hi": {
		kinds: map[review.NoticeKind]string{
			review.NoticeReminder:   "{what} अब भी निर्णय की प्रतीक्षा में है",
			review.NoticeEscalation: "{what} अब आपकी भी प्रतीक्षा में है",
			review.NoticeAssigned:   "{what} आपको सौंपा गया",
			review.NoticeDelegated:  "किसी ने आपको अपने स्थान पर निर्णय करने दिया है",
			review.NoticeExpired:    "{what} पर समय रहते निर्णय नहीं हुआ",
		},
		digest: "कल से {n} बातें",
		open:   "इसे खोलें:",
		foot: "यह लिंक एक पृष्ठ खोलता है जो आपसे साइन इन करने को कहता है। उसे खोलने से कुछ तय नहीं होता।\n" +
			"आपको कैसे और कब बताया जाए, यह आप तय करते हैं: {account}",
	},
}

// spoken is a language that mails are written in.
func spoken(language string) string {
	if _, known := phrases[language]; known {
		return language
	}
	return "en"
}

// WishesPath is the page where people say how they want to be told.
const WishesPath = "/notices"

// words are what a mail about some notices says: what was found first, without names and
// homes, where the proposal has a finding.
func (d *Desk) words(language string, way Way, about []review.Notice, found map[string]finding.Finding) (subject, text string) {
	p := phrases[spoken(language)]
	line := func(n review.Notice) string { return strings.ReplaceAll(p.kinds[n.Kind], "{what}", n.Proposal) }
	var b strings.Builder
	for _, n := range about {
		if f, ok := found[n.Proposal]; ok {
			b.WriteString(strings.Join(f.MailLines(spoken(language)), "\n") + "\n")
		}
		b.WriteString(line(n) + ".\n" + p.open + " " + d.page(n) + "\n\n")
	}
	b.WriteString(strings.ReplaceAll(p.foot, "{account}", d.Public+WishesPath) + "\n")
	subject = line(about[0])
	if way == Digest && len(about) > 1 {
		subject = strings.ReplaceAll(p.digest, "{n}", strconv.Itoa(len(about)))
	}
	return subject, b.String()
}

// page is where a notice can be acted on.
func (d *Desk) page(n review.Notice) string {
	if n.Proposal == "" {
		return d.Public + "/inbox"
	}
	return d.Proposal(n.Proposal)
}
