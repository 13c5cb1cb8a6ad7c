package letter

import (
	"regexp"
	"strings"
)

// A Strip is a text without what its writer only quoted.
type Strip struct {
	Fresh     string // what is new, without signature; may be empty
	Quoted    bool   // something was taken away
	Forwarded bool   // what was taken away was passed on from somebody else
}

// Fresh strips quoted text, signatures and the like from a mail: what stands
// above a quotation, below it, or between its lines stays. It goes by the forms
// in which mail programs quote, in English, Hindi and a few others. Where
// nothing is left, a person must look: the words may be among what was taken.
func Fresh(text string) Strip {
	all := strings.Split(strings.TrimSpace(lines(text)), "\n")
	var s Strip
	all = s.cutOriginal(all)
	all = s.dropQuotes(all)
	all = dropSignature(all)
	s.Fresh = strings.TrimSpace(squeeze(strings.Join(all, "\n")))
	return s
}

var (
	originalForm = regexp.MustCompile(`(?i)^[\s>*_]*-{2,}\s*(original message|ursprüngliche nachricht|message d'origine|mensaje original|original appointment|मूल संदेश|मूल मेल)\s*-{2,}[\s*_]*$`)
	forwardForm  = regexp.MustCompile(`(?i)^[\s>*_]*(-{2,}\s*(forwarded (message|by)|weitergeleitete nachricht|message transféré|अग्रेषित (संदेश|मेल)|फॉरवर्ड किया गया संदेश)[^\n]*|begin forwarded message:|अग्रेषित संदेश:)\s*$`)
	ruleForm     = regexp.MustCompile(`^\s*[_\-]{10,}\s*$`)
	aboveForm    = regexp.MustCompile(`(?i)^\s*(#+[-=]+|[-=]+#*)?\s*(please )?(type your reply|reply|write) above this line|^\s*कृपया इस पंक्ति के ऊपर`)
	fromForm     = regexp.MustCompile(`(?i)^[\s*>]*(from|von|de|प्रेषक|द्वारा|से)\s*[:：]\s*\*?\s*\S`)
	sentForm     = regexp.MustCompile(`(?i)^[\s*>]*(sent|date|gesendet|envoyé|enviado|datum|भेजा गया|भेजा|दिनांक|तारीख|तिथि)\s*[:：]`)
	toForm       = regexp.MustCompile(`(?i)^[\s*>]*(to|cc|subject|an|betreff|à|objet|para|asunto|प्रति|को|सेवा में|विषय)\s*[:：]`)
)

// cutOriginal cuts where a mail program put the whole original below.
func (s *Strip) cutOriginal(all []string) []string {
	for i, line := range all {
		forward := forwardForm.MatchString(line)
		if !forward && !originalForm.MatchString(line) && !aboveForm.MatchString(line) && !headerBlock(all[i:]) {
			continue
		}
		s.Quoted = true
		s.Forwarded = forward
		return all[:i]
	}
	return all
}

// headerBlock reports whether lines begin with the header of a quoted mail, as
// Outlook writes it: who, when, and to whom or about what, below a rule or not.
func headerBlock(all []string) bool {
	if len(all) > 0 && ruleForm.MatchString(all[0]) {
		all = all[1:]
		for len(all) > 0 && strings.TrimSpace(all[0]) == "" {
			all = all[1:]
		}
	}
	if len(all) < 3 || !fromForm.MatchString(all[0]) {
		return false
	}
	sent, to := false, false
	for _, line := range all[1:min(len(all), 7)] {
		sent = sent || sentForm.MatchString(line)
		to = to || toForm.MatchString(line)
	}
	return sent && to
}

var (
	wroteForm  = regexp.MustCompile(`(?i)(\bwrote|\bschrieb( [^:\n]{0,120})?|\ba écrit|\bescribió|\bescreveu|\bha scritto|ने लिखा( है)?|लिखा|写道)\s*[:：]?\s*$`)
	onForm     = regexp.MustCompile(`(?i)^\s*(on |am |le |el |em |il |\d|(सोम|मंगल|बुध|गुरु|गुरू|शुक्र|शनि|रवि)|[^\n]{0,60}(<[^<>\s]+@[^<>\s]+>|\d{4}))`)
	dateyForm  = regexp.MustCompile(`\d{1,4}|@`)
	quotedForm = regexp.MustCompile(`^\s{0,3}[>|]`)
)

// attribution is how many lines, from the first on, say that somebody wrote what
// follows; 0 if they do not. Mail programs break it over up to four.
func attribution(all []string) int {
	if len(all) == 0 || !onForm.MatchString(all[0]) || quotedForm.MatchString(all[0]) {
		return 0
	}
	joined := ""
	for n := 1; n <= min(4, len(all)); n++ {
		line := strings.TrimSpace(all[n-1])
		if line == "" {
			return 0
		}
		joined = strings.TrimSpace(joined + " " + line)
		if len(joined) > 500 {
			return 0
		}
		ends := strings.HasSuffix(joined, ":") || strings.HasSuffix(joined, "：")
		if ends && dateyForm.MatchString(joined) && wroteForm.MatchString(joined) {
			return n
		}
	}
	return 0
}

// dropQuotes takes away lines that are marked as quoted and what announces
// them. An announcement with no marked line after it means that all below is
// quoted unmarked.
func (s *Strip) dropQuotes(all []string) (out []string) {
	for i := 0; i < len(all); i++ {
		if quotedForm.MatchString(all[i]) && !strings.HasPrefix(strings.TrimSpace(all[i]), "|") {
			s.Quoted = true
			continue
		}
		n := attribution(all[i:])
		if n == 0 {
			out = append(out, all[i])
			continue
		}
		s.Quoted = true
		if !quotedNext(all[i+n:]) {
			return out
		}
		i += n - 1
	}
	return out
}

// quotedNext reports whether the next line that says anything is quoted.
func quotedNext(all []string) bool {
	for _, line := range all {
		if strings.TrimSpace(line) != "" {
			return quotedForm.MatchString(line)
		}
	}
	return false
}

var (
	dashesForm = regexp.MustCompile(`^\s*--\s?$`)
	sentByForm = regexp.MustCompile(`(?i)^\s*(sent from (my )?|get outlook for|sent via |von meinem |envoyé de mon |मेरे (iphone|फ़ोन|फोन|मोबाइल) से भेजा|.{0,20} से भेजा गया\s*$)`)
)

const maxSignature = 15 // lines; what is longer is no signature

// dropSignature takes off what stands below two dashes, and the line with which
// telephones advertise themselves.
func dropSignature(all []string) []string {
	for i := len(all) - 1; i >= 0 && i >= len(all)-maxSignature-1; i-- {
		if dashesForm.MatchString(all[i]) {
			all = all[:i]
			break
		}
	}
	for len(all) > 0 {
		last := strings.TrimSpace(all[len(all)-1])
		if last != "" && (len(last) > 100 || !sentByForm.MatchString(last)) {
			break
		}
		all = all[:len(all)-1]
	}
	return all
}

// squeeze leaves at most one empty line between two that say something.
func squeeze(s string) string {
	var out []string
	blank := 0
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if blank++; line != "" {
			blank = 0
		}
		if blank < 2 {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}
