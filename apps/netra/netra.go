// Package netra says of each district how much is going on there, in three layers and one number whose points are accounted for,
// and says when it does not know.
//
// This file is the table of contents. Each room is a folder: store (the tables and every question put to them). What only
// computes is under rule: signal (what a report weighs), gazette (which districts there are), bucket (sums from which every window
// follows), score (profiles, layers, bands), reason (why, in words), validate (what scores were worth afterwards).
package netra
