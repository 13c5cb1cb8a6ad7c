package seal

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Subject is a person whose data is held: an employee, a rider. Its id is one
// that Gavel or the organisation gave out. It stands in places that never
// change, also after an erasure, so it must not say who the person is: an e-mail
// address, a telephone number or a name is refused or, where we cannot tell, is
// the caller's mistake.
type Subject struct {
	Type string // of person, as the application calls it: "rider"
	ID   string // "R-7"
}

var (
	typeForm    = regexp.MustCompile(`^[a-z][a-z_]{1,29}$`)
	opaqueForm  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,119}$`)
	numberForm  = regexp.MustCompile(`^[0-9.:-]{10,}$`) // reads like a telephone or identity number
	purposeForm = regexp.MustCompile(`^[a-z][a-z0-9_.]{1,39}$`)
	caseForm    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)
)

// Types that the tables use for other things than persons.
const (
	conversationType = "conversation"
	setType          = "set"
	caseType         = "case"
)

// ParseSubject reads the written form, "rider:R-7".
func ParseSubject(s string) (Subject, error) {
	typ, id, _ := strings.Cut(s, ":")
	sub := Subject{Type: typ, ID: id}
	return sub, sub.check()
}

// String is the written form, "rider:R-7".
func (s Subject) String() string { return s.Type + ":" + s.ID }

func (s Subject) check() error {
	if !typeForm.MatchString(s.Type) || slices.Contains([]string{conversationType, setType, caseType}, s.Type) {
		return fault.New(fault.Invalid, "%.40q is no type of person: use 2 to 30 lower case letters", s.Type)
	}
	// The id is not quoted: what is refused here may be somebody's name.
	if !opaqueForm.MatchString(s.ID) || numberForm.MatchString(s.ID) {
		return fault.New(fault.Invalid,
			"the id of a %s must be opaque: 1 to 120 of letters, digits and . _ : -, and not ten digits or more alone", s.Type).
			WithNext("give the person an id that says nothing about them")
	}
	return nil
}

// maxSubjects bounds whom one object may concern. A list of more people than
// this is a table, not a document.
const maxSubjects = 32

// A Matter says what is being sealed and whom it concerns, which decides the
// key.
//
// Without a conversation the key belongs to exactly this set of subjects: one
// subject's own key, or a key for these several together. Erasing one of them
// destroys what concerns them, alone or with others, and nothing else.
//
// With a conversation there is one key for all of it, because what a person said
// in one message is repeated in the next. Everyone named in any part of it is
// named for the whole: erasing one of them makes the conversation unreadable for
// all. Nothing can be added to it afterwards.
type Matter struct {
	Subjects     []Subject // 1 to 32, everyone the content says something about
	Conversation string    // the id of a run or thread; empty for a thing of its own
	Case         string    // the case it belongs to, whose hold then protects it; may be empty
	Purpose      string    // what it is, "mail" or "transcript": it opens only as what it was sealed as
}

func (m Matter) check() error {
	if n := len(m.Subjects); n == 0 || n > maxSubjects {
		return fault.New(fault.Invalid, "a sealed object concerns 1 to %d people, not %d", maxSubjects, n)
	}
	for _, s := range m.Subjects {
		if err := s.check(); err != nil {
			return err
		}
	}
	switch {
	case m.Conversation != "" && !opaqueForm.MatchString(m.Conversation):
		return fault.New(fault.Invalid, "%.60q is no id of a conversation", m.Conversation)
	case m.Case != "" && !caseForm.MatchString(m.Case):
		return fault.New(fault.Invalid, "%.60q is no id of a case", m.Case)
	case !purposeForm.MatchString(m.Purpose):
		return fault.New(fault.Invalid, "a purpose is 2 to 40 of a-z, 0-9, _ and ., not %.60q", m.Purpose)
	}
	return nil
}

// names are the subjects in their written form, each once, in order.
func (m Matter) names() []string {
	names := make([]string, len(m.Subjects))
	for i, s := range m.Subjects {
		names[i] = s.String()
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// owner is whose key the matter is sealed under.
func (m Matter) owner() string {
	if m.Conversation != "" {
		return conversationType + ":" + m.Conversation
	}
	names := m.names()
	if len(names) == 1 {
		return names[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(names, "\n")))
	return setType + ":" + hex.EncodeToString(sum[:])
}
