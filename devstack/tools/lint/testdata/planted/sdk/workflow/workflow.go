// Package workflow is as much of the engine's as the check goes by: the name of a type.
package workflow

// Context is what a workflow is told by.
type Context interface{ Done() bool }
