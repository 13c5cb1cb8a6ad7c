package s3

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

const (
	// inMemory is how much of a draft is held in memory; a larger one goes to
	// a temporary file, because its key is known only at its end.
	inMemory = 1 << 20
	// writeMark is the object metadata that names the write an object came
	// from, to tell our own write with a lost answer from somebody else's.
	writeMark = "gavel-write"
	// placements bounds how often a write that met another one in flight is
	// tried again.
	placements = 5
	// inFlight is S3's code for a write that met another one.
	inFlight = "ConditionalRequestConflict"
)

// A draft is an object waiting for its key, in memory or in a file.
type draft struct {
	bucket *Bucket
	small  bytes.Buffer
	file   *os.File // nil while the draft is small; has no name in any folder
	size   int64
}

// Draft begins an object. Nothing is sent before Commit.
func (b *Bucket) Draft(ctx context.Context) (blob.Draft, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &draft{bucket: b}, nil
}

func (d *draft) Write(p []byte) (int, error) {
	if d.file == nil && d.small.Len()+len(p) > inMemory {
		if err := d.spill(); err != nil {
			return 0, fault.From(fault.Unavailable, err, "no room for an upload in the temporary folder")
		}
	}
	var w io.Writer = &d.small
	if d.file != nil {
		w = d.file
	}
	n, err := w.Write(p)
	d.size += int64(n)
	if err != nil {
		return n, fault.From(fault.Unavailable, err, "no room for an upload in the temporary folder")
	}
	return n, nil
}

// spill moves the draft to a file whose name is removed at once, so that no
// crash leaves content behind.
func (d *draft) spill() error {
	file, err := os.CreateTemp("", "gavel-blob-*")
	if err != nil {
		return err
	}
	d.file = file
	if err := os.Remove(file.Name()); err != nil {
		return err
	}
	_, err = d.small.WriteTo(file)
	d.small = bytes.Buffer{}
	return err
}

// Discard frees what the draft holds.
func (d *draft) Discard() error {
	d.small = bytes.Buffer{}
	if d.file == nil {
		return nil
	}
	file := d.file
	d.file = nil
	return file.Close()
}

// Commit uploads the draft. The server checks the digest on arrival.
func (d *draft) Commit(ctx context.Context, key string, sum blob.Digest, prev blob.ETag) (blob.ETag, error) {
	defer d.Discard()
	if d.bucket.plain.Load() {
		return "", d.bucket.unencrypted()
	}
	mark := rand.Text()
	for try := 1; ; try++ {
		out, err := d.put(ctx, key, sum, prev, mark)
		if err == nil {
			return blob.ETag(aws.ToString(out.ETag)), d.bucket.encrypted(out.ServerSideEncryption)
		}
		// 409: another conditional write was in flight; which of the two holds
		// is decided when we ask again.
		if code(err) == inFlight && try < placements && ctx.Err() == nil {
			continue
		}
		return d.bucket.refused(ctx, err, key, prev, mark)
	}
}

func (d *draft) put(ctx context.Context, key string, sum blob.Digest, prev blob.ETag, mark string) (*s3.PutObjectOutput, error) {
	in := &s3.PutObjectInput{
		Bucket:         &d.bucket.name,
		Key:            d.bucket.key(key),
		Body:           d.body(),
		ContentLength:  &d.size,
		ChecksumSHA256: aws.String(base64.StdEncoding.EncodeToString(sum[:])),
		Metadata:       map[string]string{writeMark: mark},

		ServerSideEncryption: d.bucket.encryption,
		SSEKMSKeyId:          d.bucket.kmsKey,
	}
	if prev == blob.Absent {
		in.IfNoneMatch = aws.String("*")
	} else {
		in.IfMatch = aws.String(string(prev))
	}
	return d.bucket.client.PutObject(ctx, in, signedAs(sum))
}

// signedAs spares the SDK hashing a body for its signature whose SHA-256 is known.
func signedAs(sum blob.Digest) func(*s3.Options) {
	known := middleware.InitializeMiddlewareFunc("KnownPayload", func(ctx context.Context, in middleware.InitializeInput,
		next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
		return next.HandleInitialize(v4.SetPayloadHash(ctx, hex.EncodeToString(sum[:])), in)
	})
	return s3.WithAPIOptions(func(stack *middleware.Stack) error { return stack.Initialize.Add(known, middleware.After) })
}

// body is the whole draft from its start, as often as asked for. The SDK closes
// a body that can be closed, so it is never the file itself.
func (d *draft) body() io.ReadSeeker {
	if d.file == nil {
		return bytes.NewReader(d.small.Bytes())
	}
	return io.NewSectionReader(d.file, 0, d.size)
}

// refused turns a failed upload into its fault, unless the object turns out to
// be our own: the SDK tries again when an answer is lost, and the second try
// then meets the first.
func (b *Bucket) refused(ctx context.Context, err error, key string, prev blob.ETag, mark string) (blob.ETag, error) {
	missing := status(err) == http.StatusNotFound && code(err) != "NoSuchBucket"
	switch {
	case status(err) == http.StatusPreconditionFailed:
		if out, ours := b.written(ctx, key, mark); ours {
			return blob.ETag(aws.ToString(out.ETag)), b.encrypted(out.ServerSideEncryption)
		}
		if prev == blob.Absent {
			return "", fault.From(fault.Conflict, err, "there is an object of that name already")
		}
		return "", fault.From(fault.Stale, err, "the object changed since it was read")
	case prev != blob.Absent && missing:
		return "", fault.From(fault.Stale, err, "the object is not there any more")
	case code(err) == "EntityTooLarge":
		return "", fault.From(fault.TooLarge, err, "bucket %s takes no object of that size", b.name)
	case status(err) == http.StatusConflict && code(err) != inFlight:
		return "", fault.From(fault.Conflict, err, "the name clashes with another object")
	}
	return "", b.fault(ctx, err)
}

// written is what lies under key, and whether it came from the write with this mark.
func (b *Bucket) written(ctx context.Context, key, mark string) (*s3.HeadObjectOutput, bool) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: b.key(key)})
	return out, err == nil && out.Metadata[writeMark] == mark
}

// encrypted refuses an answer that does not say that what was written is encrypted as it
// was asked for. Nothing more is written then: a server that does not encrypt once does
// not the next time, and what lies there already would pass for what was asked for.
func (b *Bucket) encrypted(said types.ServerSideEncryption) error {
	if b.encryption == "" || said == b.encryption {
		return nil
	}
	b.plain.Store(true)
	return b.unencrypted()
}

func (b *Bucket) unencrypted() error {
	return fault.New(fault.Unavailable, "bucket %s does not say that it encrypts what it keeps by %s", b.name, b.encryption).
		WithNext("see what the server can do, or leave encryption out of the bucket's address")
}
