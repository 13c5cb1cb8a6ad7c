// Package s3 keeps blobs in a bucket of any server that speaks the S3 protocol
// and honours If-None-Match and If-Match on PUT.
//
// Buckets are addressed by path, so that servers without wildcard names work.
// Keys come in as arguments and never from the URL. Where the URL says
// credentials=role there are none: the SDK's own chain finds those of the role
// this machine, container or workload has, and asks again before they end.
//
// With encryption=AES256 or encryption=aws:kms every write asks the server to
// encrypt what it keeps, and an answer that does not say so is a fault.
package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Bucket is a blob.Backend on one bucket, or on the part of it below a prefix.
type Bucket struct {
	client *s3.Client
	name   string
	prefix string // empty, or ends in "/"

	encryption types.ServerSideEncryption // that writes ask for; empty: the server's own business
	kmsKey     *string                    // with which, for aws:kms; nil: the server's own
	plain      atomic.Bool                // the server took a write and did not say that it encrypted it
}

// Open prepares a bucket given as
// "s3://bucket[/prefix]?endpoint=https://host:port&region=name". Without an
// endpoint it is Amazon's for the region. credentials=role goes by the machine's
// role and takes no keys; encryption=AES256 or aws:kms, with kms_key where it is
// another than the server's own, has writes encrypted. The server is not
// contacted: Ping does that, so that a process can start while it is down.
func Open(rawURL, accessKey, secretKey string) (*Bucket, error) {
	a, err := parse(rawURL)
	if err != nil {
		return nil, err
	}
	who, err := a.credentials(accessKey, secretKey)
	if err != nil {
		return nil, err
	}
	options := s3.Options{
		Region:       a.region,
		Credentials:  who,
		UsePathStyle: true,
		// We send the SHA-256 that we know and verify what we read ourselves.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired,
	}
	if a.endpoint != "" {
		options.BaseEndpoint = aws.String(a.endpoint)
	}
	b := &Bucket{client: s3.New(options), name: a.bucket, prefix: a.prefix, encryption: a.encryption}
	if a.kmsKey != "" {
		b.kmsKey = aws.String(a.kmsKey)
	}
	return b, nil
}

type address struct {
	bucket, prefix, endpoint, region string

	role       bool // credentials are this machine's
	encryption types.ServerSideEncryption
	kmsKey     string
}

// credentials are the keys, or where the address says so those of the role that the
// SDK finds: in the environment, a file of a workload's identity, or by asking the
// container's or machine's own service.
func (a address) credentials(accessKey, secretKey string) (aws.CredentialsProvider, error) {
	switch {
	case a.role && accessKey+secretKey != "":
		return nil, fault.New(fault.Invalid, "bucket %s goes by this machine's role, and keys are set as well", a.bucket).
			WithNext("leave out the keys, or credentials=role")
	case !a.role && (accessKey == "" || secretKey == ""):
		return nil, fault.New(fault.Invalid, "bucket %s needs an access key and a secret key", a.bucket).
			WithNext("set both, or add credentials=role to its address")
	case !a.role:
		return credentials.NewStaticCredentialsProvider(accessKey, secretKey, ""), nil
	}
	found, err := config.LoadDefaultConfig(context.Background(), config.WithRegion(a.region)) // asks nobody yet
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the role for bucket %s cannot be set up", a.bucket)
	}
	return found.Credentials, nil
}

func parse(rawURL string) (address, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.Port() != "" {
		return address{}, fault.New(fault.Invalid, "a bucket is given as s3://bucket?endpoint=https://host&region=name")
	}
	if u.User != nil || u.Fragment != "" {
		return address{}, fault.New(fault.Invalid, "a bucket's address holds no credentials and no fragment")
	}
	a := address{bucket: u.Host, prefix: strings.Trim(u.Path, "/"), region: "us-east-1"}
	for part := range strings.SplitSeq(a.prefix, "/") {
		if a.prefix != "" && (part == "" || part == "." || part == "..") {
			return address{}, fault.New(fault.Invalid, "the prefix %q of bucket %s is not a path", a.prefix, a.bucket)
		}
	}
	if a.prefix != "" {
		a.prefix += "/"
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return address{}, fault.New(fault.Invalid, "the settings of bucket %s cannot be read", a.bucket)
	}
	for name, values := range query {
		switch {
		case name == "region" && len(values) == 1 && values[0] != "":
			a.region = values[0]
		case name == "endpoint" && len(values) == 1 && isEndpoint(values[0]):
			a.endpoint = values[0]
		case name == "credentials" && len(values) == 1 && values[0] == "role":
			a.role = true
		case name == "encryption" && len(values) == 1 && slices.Contains(encryptions, types.ServerSideEncryption(values[0])):
			a.encryption = types.ServerSideEncryption(values[0])
		case name == "kms_key" && len(values) == 1 && values[0] != "":
			a.kmsKey = values[0]
		default:
			return address{}, fault.New(fault.Invalid, "bucket %s: %s is not a setting, or its value is wrong", a.bucket, name)
		}
	}
	if a.kmsKey != "" && a.encryption != types.ServerSideEncryptionAwsKms {
		return address{}, fault.New(fault.Invalid, "bucket %s: kms_key goes with encryption=aws:kms", a.bucket)
	}
	return a, nil
}

// encryptions are what writes may ask for.
var encryptions = []types.ServerSideEncryption{types.ServerSideEncryptionAes256, types.ServerSideEncryptionAwsKms}

func isEndpoint(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
}

func (b *Bucket) key(key string) *string { return aws.String(b.prefix + key) }

// Open streams an object.
func (b *Bucket) Open(ctx context.Context, key string) (io.ReadCloser, int64, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: b.key(key)})
	if err != nil {
		return nil, 0, b.fault(ctx, err)
	}
	return reader{out.Body}, aws.ToInt64(out.ContentLength), nil
}

// Load reads an object of at most limit bytes with its version.
func (b *Bucket) Load(ctx context.Context, key string, limit int64) ([]byte, blob.ETag, error) {
	out, err := b.client.GetObject(ctx, &s3.GetObjectInput{Bucket: &b.name, Key: b.key(key)})
	if err != nil {
		return nil, "", b.fault(ctx, err)
	}
	defer out.Body.Close()
	if size := aws.ToInt64(out.ContentLength); size > limit {
		return nil, "", fault.New(fault.TooLarge, "the object has %d bytes; at most %d were asked for", size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(reader{out.Body}, limit+1))
	if err != nil {
		return nil, "", err
	}
	if int64(len(data)) > limit {
		return nil, "", fault.New(fault.TooLarge, "the object has more than the %d bytes asked for", limit)
	}
	return data, blob.ETag(aws.ToString(out.ETag)), nil
}

// Stat is the size of an object.
func (b *Bucket) Stat(ctx context.Context, key string) (int64, error) {
	out, err := b.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &b.name, Key: b.key(key)})
	if err != nil {
		return 0, b.fault(ctx, err)
	}
	return aws.ToInt64(out.ContentLength), nil
}

// Ping asks the server for the bucket, with our credentials.
func (b *Bucket) Ping(ctx context.Context) error {
	_, err := b.client.HeadBucket(ctx, &s3.HeadBucketInput{Bucket: &b.name})
	switch {
	case err == nil:
		return nil
	case status(err) == http.StatusNotFound:
		return fault.From(fault.Unavailable, err, "bucket %s does not exist", b.name).WithNext("create the bucket %s", b.name)
	}
	return b.fault(ctx, err)
}

// A reader gives the errors of a download a kind.
type reader struct{ io.ReadCloser }

func (r reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	switch {
	case err == nil, err == io.EOF, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return n, err
	}
	return n, fault.From(fault.Unavailable, err, "the bucket stopped in the middle of an object")
}

// fault gives an answer of the server a kind. A context that ended is the
// caller's doing and keeps its own error.
func (b *Bucket) fault(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.Join(ctx.Err(), err)
	}
	switch {
	case code(err) == "NoSuchBucket":
		return fault.From(fault.Unavailable, err, "bucket %s does not exist", b.name).WithNext("create the bucket %s", b.name)
	case status(err) == http.StatusNotFound:
		return fault.From(fault.NotFound, err, "nothing is stored there")
	case status(err) == http.StatusForbidden, status(err) == http.StatusUnauthorized:
		return fault.From(fault.Unavailable, err, "bucket %s refuses our keys", b.name).
			WithNext("check the access key and its rights on bucket %s", b.name)
	}
	return fault.From(fault.Unavailable, err, "bucket %s does not answer as it should", b.name)
}

// code is the S3 error code in err, if any. An answer to HEAD has none.
func code(err error) string {
	if e, ok := errors.AsType[smithy.APIError](err); ok {
		return e.ErrorCode()
	}
	return ""
}

// status is the HTTP status in err, 0 where the server did not answer.
func status(err error) int {
	if e, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err); ok {
		return e.HTTPStatusCode()
	}
	return 0
}
