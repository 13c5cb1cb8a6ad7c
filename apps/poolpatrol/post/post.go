// Package post is for what Pool Patrol writes to riders and what it makes of
// their replies: the letters, whom a mail belongs to, whether its sender can be
// believed, and when not to answer.
//
// Everything here is decided from values: headers somebody else parsed, results
// somebody else checked, a key that was handed in. Read Letter and First for
// what goes out, Match and Weigh for what comes in, Automatic and MaySend for
// what must not become a conversation between machines, and Classify for what a
// reply means.
package post
