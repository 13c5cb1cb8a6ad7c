// Package gavel is the root of the repository. It holds the project's documents
// and no other code.
//
// Start with ARCHITECTURE.md. The tests beside this file read the whole source
// tree and refuse what the architecture forbids: imports_test.go says which
// package may use which, shape_test.go how long and how named things may be.
package gavel
