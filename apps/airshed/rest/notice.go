package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
)

// noticing registers where the lake's server tells of new objects.
func (s *Answers) noticing(a *api.API) {
	api.Serve(a, api.Route{ID: "tellOfObjects", Method: http.MethodPost, Path: noticesAddress, Acts: []string{store.ActNotice}, Tag: apiTag,
		Title: "Tell of new objects in the data lake",
		Text: "As an S3 server posts it, as EventBridge or SNS passes it on, or as SQS holds it. Every object of the lake that was " +
			"written is looked at once, however often it is told of; " +
			"anything else is ignored. Needs a token with the scope ingest:airshed; a sender that can send no Bearer may send the token " +
			"as the password of Basic.",
		MaxBody: feed.MaxNotice,
		Body:    `{"Records":[{"eventName":"ObjectCreated:Put","eventTime":"2026-11-14T08:31:00Z","s3":{"bucket":{"name":"lake"},"object":{"key":"data/harmonised_20261114_083000.json","size":52341,"eTag":"d41d8cd98f00b204e9800998ecf8427e"}}}]}`},
		s.notices)
}

type noticesInput struct{ Body api.Raw }

// A toldBody is what became of a message.
type toldBody struct {
	Started []string `json:"started" doc:"Scans that it set off."`
	Known   int      `json:"known" doc:"Objects that an earlier message told of."`
	Ignored int      `json:"ignored" doc:"Notices of anything that is no new object of the lake."`
}

type toldOutput struct{ Body toldBody }

// noticeTime bounds how long a message is worked on.
const noticeTime = 20 * time.Second

// notices takes a message to its end also where the sender no longer listens: a
// gateway waits for a second, and does not send again.
func (s *Answers) notices(ctx context.Context, who identity.Actor, in *noticesInput) (*toldOutput, error) {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), noticeTime)
	defer stop()
	told, err := s.surveyor.Notice(ctx, who, in.Body)
	out := &toldOutput{toldBody{Started: []string{}, Known: told.Known, Ignored: told.Ignored}}
	for _, scan := range told.Started {
		out.Body.Started = append(out.Body.Started, scan.ID)
	}
	return out, err
}
