package postgres

import "time"

// A Retention says how long something is kept, for the page where administrators
// look it up.
type Retention struct {
	What string        // the end of its message's key: "answers"
	Keep time.Duration // after that it is deleted; zero where nothing deletes it by itself
	Ends RetentionEnd
}

// A RetentionEnd is what ends the keeping of something.
type RetentionEnd string

// The ends.
const (
	EndsByTime    RetentionEnd = "time"    // it is deleted when its time has passed
	EndsByErasure RetentionEnd = "erasure" // words about a person go when they are erased; ids and digests stay
	EndsNever     RetentionEnd = "never"
)
