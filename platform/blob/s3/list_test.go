package s3_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/blob/blobtest"
)

func TestBucketListsWhatLiesInIt(t *testing.T) { blobtest.List(t, open(t, blobtest.S3(t))) }
