package toolset

import "github.com/gavelhq/gavel/platform/finding"

// guides are what may be done about each kind of error, in both languages.
var guides = map[string]finding.Words{
	"bad_request":    {En: "Say it in other words.", Hi: "दूसरे शब्दों में कहें।"},
	"auth_expired":   {En: "Sign in again.", Hi: "फिर से साइन इन करें।"},
	"role_forbidden": {En: "Another role does this. Ask somebody who has it.", Hi: "यह दूसरी भूमिका का काम है। जिसके पास वह भूमिका है उनसे कहें।"},
	"invalid_state": {En: "The pass is in another state. See what can be done with it now.",
		Hi: "पास दूसरी स्थिति में है। देखें कि अब उसके साथ क्या हो सकता है।"},
	"not_found":  {En: "Check the number, or list the passes.", Hi: "नंबर जाँचें, या पासों की सूची देखें।"},
	"validation": {En: "Say what is missing or was not understood.", Hi: "जो बाकी है या समझ नहीं आया वह बताएँ।"},
	"busy":       {En: "The server is busy. Try again in a moment.", Hi: "सर्वर व्यस्त है। थोड़ी देर में फिर कोशिश करें।"},
	"too_many": {En: "Make them from a list: New pass, then Paste a list. It shows all of them before anything is made.",
		Hi: "इन्हें सूची से बनाएँ: नया पास, फिर सूची चिपकाएँ। बनाने से पहले सब दिखाए जाते हैं।"},
	"server":  {En: "The server failed. Try again, or tell whoever runs it.", Hi: "सर्वर में गड़बड़ी हुई। फिर कोशिश करें, या उसे चलाने वाले को बताएँ।"},
	"network": {En: "The server cannot be reached. Check the network, then try again.", Hi: "सर्वर तक पहुँच नहीं है। नेटवर्क जाँचें, फिर कोशिश करें।"},
}

// Guide is what may be done about a kind of error.
func Guide(kind string) finding.Words {
	if w, ok := guides[kind]; ok {
		return w
	}
	return guides["server"]
}

// questions are what a person is asked for each value.
var questions = map[string]finding.Words{
	"person_name":     {En: "Whom is the pass for?", Hi: "पास किसके लिए है?"},
	"description":     {En: "What is the pass for?", Hi: "पास किस काम के लिए है?"},
	"is_returnable":   {En: "Does the person come back?", Hi: "क्या वह व्यक्ति वापस आएगा?"},
	"pass_number":     {En: "Which pass? Give its number, as GP-2026-0001.", Hi: "कौन सा पास? नंबर बताएँ, जैसे GP-2026-0001।"},
	"pass_id":         {En: "Which pass? Give its number, as GP-2026-0001.", Hi: "कौन सा पास? नंबर बताएँ, जैसे GP-2026-0001।"},
	"photo":           {En: "Hand in a photo of the person.", Hi: "व्यक्ति की फ़ोटो जोड़ें।"},
	"notification_id": {En: "Which notice?", Hi: "कौन सी सूचना?"},
	"status":          {En: "Which status: pending, approved, rejected, exited or returned?", Hi: "कौन सी स्थिति: लंबित, स्वीकृत, अस्वीकृत, बाहर या वापस?"},
	"reason":          {En: "Why?", Hi: "कारण क्या है?"},
}

// Question is what a person is asked for a value of a call.
func Question(param string) finding.Words {
	if w, ok := questions[param]; ok {
		return w
	}
	return finding.Words{En: "What else is there to know?", Hi: "और क्या जानना चाहिए?"}
}
