package s3

import (
	"context"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// List visits every object whose key begins with a prefix, whoever put it there, in
// any order, and ends with the first error of visit. Keys are what Load takes.
func (b *Bucket) List(ctx context.Context, prefix string, visit func(key string, size int64, modified time.Time) error) error {
	in := &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: b.key(prefix)}
	for {
		page, err := b.client.ListObjectsV2(ctx, in)
		if err != nil {
			return b.fault(ctx, err)
		}
		for _, o := range page.Contents {
			if err := visit(strings.TrimPrefix(aws.ToString(o.Key), b.prefix), aws.ToInt64(o.Size), aws.ToTime(o.LastModified).
				UTC()); err != nil {
				return err
			}
		}
		if !aws.ToBool(page.IsTruncated) || aws.ToString(page.NextContinuationToken) == "" {
			return nil
		}
		in.ContinuationToken = page.NextContinuationToken
	}
}
