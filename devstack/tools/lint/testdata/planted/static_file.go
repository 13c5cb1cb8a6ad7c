package planted

//lint:file-ignore SA1019 everything here is about the evening

import "example.test/planted/clock"

func Tonight() int { return clock.Evening() }
