package piitest

import "strings"

// scripts are the zeros of the digits people type here: Devanagari, Bengali and Assamese, Meetei Mayek,
// and the wide ones of some keyboards.
var scripts = []rune{'०', '০', '꯰', '０'}

// unseen are characters that nobody sees: zero-width space, non-joiner, joiner, word joiner, byte order
// mark, soft hyphen.
var unseen = []string{"\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad"}

// disguise writes some things as a phone, a scan or somebody careful would: in another script's digits,
// with characters nobody sees between, with spaces that do not break.
func disguise(d *dice, kind, thing string) string {
	number := kind == Aadhaar || kind == VID || kind == Mobile || kind == Account || kind == IMEI
	switch {
	case number && d.chance(0.25):
		return inScript(thing, pick(d, scripts))
	case d.chance(0.12):
		at := 1 + d.below(len(thing)-1)
		return thing[:at] + pick(d, unseen) + thing[at:]
	case number && d.chance(0.1):
		return strings.ReplaceAll(strings.ReplaceAll(thing, " ", "\u00a0"), "-", pick(d, []string{"\u2011", "\u2013"}))
	case kind == Email && d.chance(0.1):
		return strings.ReplaceAll(thing, "@", "%40")
	}
	return thing
}

// inScript writes the digits of a text in another script.
func inScript(text string, zero rune) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return zero + r - '0'
		}
		return r
	}, text)
}
