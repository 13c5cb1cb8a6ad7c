package devstack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/gavelhq/gavel/platform/fault"
)

const (
	bucket = "gavel"
	region = "us-east-1"
)

func prepareS3(_ context.Context, s *Stack) error {
	for _, name := range []string{"data", "versions", "metadata"} {
		if err := os.MkdirAll(s.path("s3", name), 0o700); err != nil {
			return fault.From(fault.Internal, err, "make the S3 server's folders")
		}
	}
	return nil
}

func s3Command(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(S3).tool)
	args := []string{"--port", s.address(S3, "s3"), "--region", region, "--quiet", "posix",
		"--versioning-dir", s.path("s3", "versions")}
	if !keepsAttributes(s.path("s3", "data")) {
		args = append(args, "--sidecar", s.path("s3", "metadata"))
	}
	env := serverEnv("ROOT_ACCESS_KEY="+s.secrets[secretS3AccessKey], "ROOT_SECRET_KEY="+s.secrets[secretS3SecretKey])
	if s.told != "" {
		env = append(env, "VGW_EVENT_WEBHOOK_URL="+s.told) // its password is seen by nobody who lists processes
	}
	return command{path: filepath.Join(dir, "versitygw"), args: append(args, s.path("s3", "data")), env: env}, err
}

// keepsAttributes reports whether a folder's file system has the extended
// attributes in which the server keeps an object's metadata.
func keepsAttributes(dir string) bool {
	return syscall.Setxattr(dir, "user.gavel.probe", []byte("1"), 0) == nil
}

func (s *Stack) s3Client() *s3.Client {
	return s3.New(s3.Options{
		BaseEndpoint: aws.String("http://" + s.address(S3, "s3")),
		Region:       region,
		UsePathStyle: true,
		Credentials:  credentials.NewStaticCredentialsProvider(s.secrets[secretS3AccessKey], s.secrets[secretS3SecretKey], ""),
		Retryer:      aws.NopRetryer{}, // the caller waits and asks again
	})
}

func s3Answers(ctx context.Context, s *Stack) error {
	_, err := s.s3Client().ListBuckets(ctx, &s3.ListBucketsInput{})
	if err != nil {
		return fault.From(fault.Unavailable, err, "list the buckets")
	}
	return nil
}

func createBucket(ctx context.Context, s *Stack) error {
	_, err := s.s3Client().CreateBucket(ctx, &s3.CreateBucketInput{Bucket: aws.String(bucket)})
	if _, ok := errors.AsType[*types.BucketAlreadyOwnedByYou](err); ok || err == nil {
		return nil
	}
	return fault.From(fault.Internal, err, "create the bucket %s", bucket)
}
