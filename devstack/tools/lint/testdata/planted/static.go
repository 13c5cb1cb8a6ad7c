package planted

import (
	"strings"

	"example.test/planted/clock"
)

func Same(s string) bool { return strings.ToLower(s) == strings.ToLower("A") } // want "(SA6005)"

func Later() int { return clock.Evening() } // want "(SA1019)"

func LaterOnPurpose() int {
	//lint:ignore SA1019 it is evening here
	return clock.Evening()
}

func LaterByPattern() int {
	//lint:ignore SA10*,SA6005 it is evening here
	return clock.Evening()
}

func AnotherCheckIgnored() int {
	//lint:ignore SA6005 this is about something else // want "didn't match anything"
	return clock.Evening() // want "(SA1019)"
}

func NoReason() int {
	//lint:ignore SA1019
	return clock.Evening() // want "(SA1019)"
}

func nobody() {} // want "func nobody is unused (U1000)"

func onlyTheTest() {}
