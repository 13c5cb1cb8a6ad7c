// Package blob keeps bytes that must never change, under the SHA-256 of their
// content.
//
// A Store is what the rest of Gavel uses; read Store.Put first. It stands on a
// Backend, of which there are two: blob/s3 for any S3 server and blob/disk for
// a folder. Hashing, bounds, addresses and verification live here and are
// therefore the same on both; a Backend only moves bytes.
//
// Next to the blobs, and apart from them, a Store keeps a few small named
// objects (a log's checkpoint, for example). Those may be replaced, but only by
// someone who says which version they read: there is no unconditional write.
//
// Errors carry the kinds of platform/fault: NotFound for what is not there,
// TooLarge for what is over a bound, Invalid for a bad name or address, Conflict
// for a name already taken, Stale for a version that has moved on, Unavailable
// for a backend that does not answer. Bytes that no longer match their address
// are Internal and also errors.Is ErrDamaged.
package blob
