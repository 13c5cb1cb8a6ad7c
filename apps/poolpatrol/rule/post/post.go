// Package post is for what Pool Patrol writes to riders and what it makes of
// their replies.
//
// Everything here is decided from values. Read Compose for what goes out, Own for
// what a letter may say, and Classify for what a reply means. Whose a mail is,
// whether its sender can be believed and when not to answer is the platform's to
// say, for all applications alike.
package post
