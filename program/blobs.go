package program

import (
	"strings"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/program/config"
)

// openBlob opens the store the settings name.
func openBlob(cfg *config.Config) (*blob.Store, error) {
	if strings.HasPrefix(cfg.BlobURL, "s3://") {
		bucket, err := s3.Open(cfg.BlobURL, cfg.BlobAccessKey, cfg.BlobSecretKey.Reveal())
		if err != nil {
			return nil, err
		}
		return blob.New(bucket, blob.Config{}), nil
	}
	folder, err := disk.Open(cfg.BlobURL)
	if err != nil {
		return nil, err
	}
	return blob.New(folder, blob.Config{}), nil
}
