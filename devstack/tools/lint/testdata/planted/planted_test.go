package planted

import "testing"

func TestUse(t *testing.T) { onlyTheTest() }
