package pdf

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// Chromium is spoken to in its DevTools protocol: JSON messages, each ended by a zero
// byte. A call has a number; its answer has the same. What has none is an event, and
// none of them matters here.

type call struct {
	ID      int    `json:"id"`
	Session string `json:"sessionId,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

type reply struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// with are the parameters of a call.
type with map[string]any

// maxMessage bounds one message of a browser: the largest PDF, in base64.
const maxMessage = MaxPrint/3*4 + 1<<20

// print opens an empty page that runs nothing and loads nothing, puts the HTML into
// it and prints it. The page's address is about:blank, from where no file of the
// machine can be reached.
func (b *browser) print(html []byte) ([]byte, error) {
	read := bufio.NewScanner(b.out)
	read.Buffer(nil, maxMessage)
	read.Split(untilZero)
	ask := func(session, method string, in with, into any) error { return b.ask(read, session, method, in, into) }

	var target struct{ TargetID string }
	if err := ask("", "Target.createTarget", with{"url": "about:blank"}, &target); err != nil {
		return nil, err
	}
	var open struct{ SessionID string }
	if err := ask("", "Target.attachToTarget", with{"targetId": target.TargetID, "flatten": true}, &open); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		method string
		in     with
	}{
		{"Page.enable", nil},
		{"Network.enable", nil},
		{"Emulation.setScriptExecutionDisabled", with{"value": true}},
		{"Network.setBlockedURLs", with{"urls": []string{"*://*", "file:*"}}},
		{"Network.emulateNetworkConditions", with{"offline": true, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}},
	} {
		if err := ask(open.SessionID, step.method, step.in, nil); err != nil {
			return nil, err
		}
	}
	var tree struct {
		FrameTree struct{ Frame struct{ ID string } }
	}
	if err := ask(open.SessionID, "Page.getFrameTree", nil, &tree); err != nil {
		return nil, err
	}
	if err := ask(open.SessionID, "Page.setDocumentContent", with{"frameId": tree.FrameTree.Frame.ID, "html": string(html)},
		nil); err != nil {
		return nil, err
	}
	return b.paper(func(in with, into any) error { return ask(open.SessionID, "Page.printToPDF", in, into) })
}

// paper prints what the page shows, on the paper its styles ask for.
func (b *browser) paper(ask func(in with, into any) error) ([]byte, error) {
	var printed struct{ Data string }
	err := ask(with{"printBackground": true, "preferCSSPageSize": true, "displayHeaderFooter": false,
		"generateTaggedPDF": true, "generateDocumentOutline": true, "transferMode": "ReturnAsBase64"}, &printed)
	if err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(printed.Data)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the PDF: %w", err)
	case len(raw) > MaxPrint:
		return nil, fmt.Errorf("the PDF has %d bytes", len(raw))
	}
	return raw, nil
}

// ask makes one call and waits for its answer.
func (b *browser) ask(read *bufio.Scanner, session, method string, in with, into any) error {
	b.number++
	message, err := json.Marshal(call{b.number, session, method, in})
	if err != nil {
		return fmt.Errorf("ask for %s: %w", method, err)
	}
	if _, err := b.in.Write(append(message, 0)); err != nil {
		return fmt.Errorf("ask for %s: %w", method, err)
	}
	for read.Scan() {
		var got reply
		if err := json.Unmarshal(read.Bytes(), &got); err != nil {
			return fmt.Errorf("read the answer to %s: %w", method, err)
		}
		switch {
		case got.ID != b.number:
			continue
		case got.Error != nil:
			return fmt.Errorf("%s: %s", method, got.Error.Message)
		case into == nil:
			return nil
		}
		return json.Unmarshal(got.Result, into)
	}
	return errors.Join(fmt.Errorf("no answer to %s", method), read.Err())
}

// untilZero cuts what a browser says into messages.
func untilZero(data []byte, atEnd bool) (advance int, token []byte, err error) {
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return i + 1, data[:i], nil
	}
	if atEnd {
		return len(data), nil, nil // half a message is none
	}
	return 0, nil, nil
}
