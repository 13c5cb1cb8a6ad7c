package api

// CodeOf is codeOf, for tests.
var CodeOf = codeOf
