// Package docket says what comes next in the case of an episode: a draft of the
// report, an agent that words it, people who decide whether it is filed, notices to
// the states it names, the end.
//
// Read Next. It is asked again whenever something has happened, on what the record
// says then, and remembers nothing. It never files anything: people decide that, and
// what they decided is among what it is told.
package docket

import "time"

// A Step is what comes next.
type Step string

// The steps.
const (
	Draft     Step = "draft"      // make a draft of what is known now
	TakeBack  Step = "take_back"  // people have before them what does not hold any more
	Word      Step = "word"       // have an agent word the summary
	Hand      Step = "hand"       // have an agent put it before people
	Ask       Step = "ask"        // put it before people
	AskNotice Step = "ask_notice" // put notices to states before people
	Wait      Step = "wait"       // for the decision, or for what was decided to be done
	WaitOne   Step = "wait_one"   // for somebody to say how it goes on
	End       Step = "end"
)

// An Ending is how a case ended.
type Ending string

// The endings.
const (
	Filed    Ending = "filed"
	NotFiled Ending = "not_filed" // people said no
	Lapsed   Ending = "lapsed"    // nobody decided in time
	Closed   Ending = "closed"    // somebody closed it by hand
)

// Gist is what an answer says in short: a draft holds as long as it is the same.
type Gist struct {
	Verdict  string
	First    string // state of the largest share
	Category string // of the index at its worst
}

// An Asked is what became of asking people.
type Asked string

// What may have become of it. The zero value: nobody was asked.
const (
	NotAsked Asked = ""
	Open     Asked = "open"
	Under    Asked = "under_way" // approved, and being done or soon to be
	Failed   Asked = "failed"    // approved, and could not be done, or was undone
	Done     Asked = "done"
	Refused  Asked = "rejected"
	Back     Asked = "sent_back" // with a question, or taken back by who asked
	Expired  Asked = "expired"
)

// CameToNothing reports whether people may be asked the same again.
func (a Asked) CameToNothing() bool { return a == Back || a == Failed }

// Patience is how long an agent may take with a draft before code goes on without
// it: as long as everything may take from the data to the report.
const Patience = 10 * time.Minute

// PatienceBy is Patience on a clock on which a second of real time is so many. A model
// thinks in real time, however fast days go by: it is given half a minute of that.
func PatienceBy(speed float64) time.Duration {
	return max(Patience, time.Duration(speed*float64(30*time.Second)))
}

// A Standing is all that is known of a case.
type Standing struct {
	Closing bool  // a person wants it closed
	Answer  Gist  // the newest
	Newest  *Gist // what the newest draft reports; nil: there is none
	Renew   bool  // somebody wants a new draft
	Asked   Asked // about the newest draft, in this attempt
	Filed   bool  // the commission has it; done without that is kept here, and not submitted
	Maybe   bool  // the commission may have it: until that is known nothing else is drafted

	Model  bool          // agents have one
	Worded bool          // an agent was asked to word the newest draft
	Handed bool          // an agent was asked to put it before people
	Age    time.Duration // of the newest draft
	Speed  float64       // of the clock that the age is by; nought is that of real time

	Notices []Asked // for each state that is to be told
}

// Next says what comes next, and for an end which.
func Next(s Standing) (Step, Ending) {
	switch {
	case s.Closing:
		return End, Closed
	case s.Filed:
		return notices(s.Notices)
	case s.Asked == Open && s.Stale():
		return TakeBack, ""
	case s.Asked == Open || s.Asked == Under:
		return Wait, ""
	case s.Asked == Refused:
		return End, NotFiled
	case s.Asked == Expired:
		return End, Lapsed
	case s.Stale():
		return Draft, ""
	case s.Asked != NotAsked: // sent back, failed, or kept and not submitted
		return WaitOne, ""
	case s.Model && s.Age < PatienceBy(s.Speed) && !s.Worded && !s.Maybe:
		return Word, ""
	case s.Model && s.Age < PatienceBy(s.Speed) && !s.Handed:
		return Hand, ""
	}
	return Ask, ""
}

// Stale reports whether the newest draft does not hold any more. One that the commission
// may have is the one to be asked about, whatever is known by now.
func (s Standing) Stale() bool {
	return s.Newest == nil || !s.Maybe && (s.Renew || *s.Newest != s.Answer)
}

// notices is what comes after filing: each is asked about once, and again where it came
// back, or could not be sent, and somebody says so.
func notices(all []Asked) (Step, Ending) {
	open, back := false, false
	for _, n := range all {
		switch n {
		case NotAsked:
			return AskNotice, ""
		case Open, Under:
			open = true
		default:
			back = back || n.CameToNothing()
		}
	}
	switch {
	case open:
		return Wait, ""
	case back:
		return WaitOne, ""
	}
	return End, Filed
}
