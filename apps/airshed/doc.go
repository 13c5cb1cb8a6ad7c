// Package airshed answers whose smoke it is, when the air at Delhi's border turns
// bad: with fires, wind, a range and the custody of every byte, and with
// "inconclusive" where that is the truth.
//
// The subfolders compute and touch nothing: aqi (the index), surge (episodes),
// fire (detections), wind and plume (where air came from), seedmethod (the circle
// the first design drew, kept beside it), lawbook (what may be cited), feed (what
// the services outside say), lake (everything of one moment in one file) and
// analysis (from that file to a finding).
//
// This package touches the world. Files named source*.go fetch from outside: read
// source.go first, which says what each source is and what is lost without it,
// then source_http.go, through which every request goes. Whatever was received is
// kept as it came, as a Snapshot. Files named pages*.go and the templates are what
// people see: pages.go lists every address.
package airshed
