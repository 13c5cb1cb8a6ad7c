// Package zxing reads the QR code of our reports with somebody else's reader. It has
// tests only, and a module of its own, so that nothing we ship depends on theirs.
package zxing
