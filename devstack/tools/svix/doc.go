// Package svix holds our webhooks' signatures against the code of the people who
// wrote the standard. It has tests only, and a module of its own, so that nothing
// we ship depends on theirs.
package svix
