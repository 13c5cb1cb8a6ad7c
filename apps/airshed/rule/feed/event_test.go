package feed_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
)

// posted is a notice in the form Amazon's service sends, gateway the same as
// versitygw 1.8.0 was seen to post it, with its key not escaped, and busPassed one
// in the event bus's form. All were written by hand.
const (
	gateway = `{"Records":[{"eventVersion":"2.2","eventSource":"aws:s3","awsRegion":"us-east-1","eventTime":"2026-11-13T14:30:00+05:30","eventName":"s3:ObjectCreated:Put",
		"userIdentity":{"PrincipalId":"tester"},"requestParameters":{"sourceIPAddress":"127.0.0.1"},"responseElements":{"x-amz-request-id":"","x-amz-id-2":""},
		"s3":{"s3SchemaVersion":"1.0","configurationId":"webhook-global","bucket":{"name":"lake","ownerIdentity":{"PrincipalId":"tester"},"arn":"arn:aws:s3:::/lake/data/a b+ü%41.json"},
		"object":{"key":"data/a b+ü%41.json","size":1234,"eTag":"\"d41d8cd98f00b204e9800998ecf8427e\"","versionId":null,"sequencer":"1"}},
		"glacierEventData":{"restoreEventData":{"lifecycleRestorationExpiryTime":"","lifecycleRestoreStorageClass":""}}}]}`
	posted = `{"Records":[{"eventVersion":"2.1","eventSource":"aws:s3","awsRegion":"ap-south-1","eventTime":"2026-11-13T14:30:00+05:30","eventName":"ObjectCreated:Put",
		"userIdentity":{"principalId":"AIDA"},"requestParameters":{"sourceIPAddress":"127.0.0.1"},"responseElements":{"x-amz-request-id":"C3D1","x-amz-id-2":"FMyU"},
		"s3":{"s3SchemaVersion":"1.0","configurationId":"new-objects","bucket":{"name":"lake","ownerIdentity":{"principalId":"A3NL"},"arn":"arn:aws:s3:::lake"},
		"object":{"key":"data/a+b%2B.json","size":1234,"eTag":"d41d8cd98f00b204e9800998ecf8427e","sequencer":"0055"}}}]}`
	busPassed = `{"version":"0","id":"17793124-05d4-b198-2fde-7ededc63b103","detail-type":"Object Created","source":"aws.s3","account":"111122223333","time":"2026-11-13T09:00:00Z",
		"region":"ap-south-1","resources":["arn:aws:s3:::lake"],"detail":{"version":"0","bucket":{"name":"lake"},"object":{"key":"data/a b+.json","size":1234,
		"etag":"d41d8cd98f00b204e9800998ecf8427e","version-id":"v1","sequencer":"0055"},"request-id":"N4N7GDK58NMKJ12R","requester":"111122223333","source-ip-address":"1.2.3.4","reason":"PutObject"}}`
)

func wrapped(t *testing.T, form, inner string) string {
	t.Helper()
	b, err := json.Marshal(inner)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(form, "INNER", string(b), 1)
}

// TestNoticesAreReadInEveryForm promises the same arrival whichever way the notice
// came, its key unescaped only where it was escaped.
func TestNoticesAreReadInEveryForm(t *testing.T) {
	plain := feed.Arrival{Bucket: "lake", Key: "data/a b+.json", ETag: "d41d8cd98f00b204e9800998ecf8427e", Size: 1234,
		At: time.Date(2026, 11, 13, 9, 0, 0, 0, time.UTC)}
	versioned, odd := plain, plain
	versioned.Version, odd.Key = "v1", "data/a b+ü%41.json"
	topic := wrapped(t, `{"Type":"Notification","MessageId":"x","TopicArn":"arn:aws:sns:x","Message":INNER}`, posted)
	for name, tt := range map[string]struct {
		body string
		want feed.Arrival
	}{
		"posted by versitygw":      {gateway, odd},
		"sent by Amazon's service": {posted, plain},
		"of an upload in parts":    {strings.Replace(posted, `ObjectCreated:Put`, `ObjectCreated:CompleteMultipartUpload`, 1), plain},
		"over the event bus":       {busPassed, versioned},
		"from a queue":             {wrapped(t, `{"Messages":[{"MessageId":"1","ReceiptHandle":"x","Body":INNER}]}`, posted), plain},
		"from a queue, in a batch": {wrapped(t, `{"Records":[{"messageId":"1","receiptHandle":"x","body":INNER,"eventSource":"aws:sqs"}]}`,
			busPassed), versioned},
		"over a topic":              {topic, plain},
		"over a topic from a queue": {wrapped(t, `{"Messages":[{"Body":INNER}]}`, topic), plain},
	} {
		got, err := feed.ParseNotices([]byte(tt.body))
		if err != nil || !reflect.DeepEqual(got, feed.Notices{Arrivals: []feed.Arrival{tt.want}}) {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, tt.want)
		}
	}
}

// TestOtherNoticesAreCounted promises that a deletion starts nothing and that a
// server trying the line is no error.
func TestOtherNoticesAreCounted(t *testing.T) {
	got, err := feed.ParseNotices([]byte(strings.Replace(posted, "ObjectCreated:Put", "ObjectRemoved:Delete", 1)))
	if err != nil || got.Others != 1 || got.Arrivals != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = feed.ParseNotices([]byte(strings.Replace(busPassed, "Object Created", "Object Deleted", 1)))
	if err != nil || got.Others != 1 || got.Arrivals != nil {
		t.Errorf("got %+v, %v", got, err)
	}
	got, err = feed.ParseNotices([]byte(`{"Bucket":"Test-Bucket","Event":"s3:TestEvent","Service":"S3","Time":"2026-11-13T09:00:00Z"}`))
	if err != nil || !got.Test || got.Arrivals != nil {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestStrangeNoticesAreRefused promises that nothing leads out of the bucket, and
// that no message is unwrapped for ever.
func TestStrangeNoticesAreRefused(t *testing.T) {
	deep := posted
	for range 5 {
		deep = wrapped(t, `{"Type":"Notification","Message":INNER}`, deep)
	}
	record := posted[len(`{"Records":[`) : len(posted)-2]
	for name, body := range map[string]string{
		"nothing":        ``,
		"no notice":      `{}`,
		"a list":         `[]`,
		"a record alone": `{"Records":[{}]}`,
		"another bus":    strings.Replace(busPassed, "aws.s3", "aws.ec2", 1),
		"upwards":        strings.Replace(posted, "data/a+b%2B.json", "data/../../etc/passwd", 1),
		"upwards hidden": strings.Replace(posted, "data/a+b%2B.json", "data%2F..%2Fpasswd", 1),
		"absolute":       strings.Replace(posted, "data/a+b%2B.json", "/etc/passwd", 1),
		"a broken line":  strings.Replace(posted, "data/a+b%2B.json", "a%0Ab", 1),
		"a bad escape":   strings.Replace(posted, "data/a+b%2B.json", "a%zz", 1),
		"no key":         strings.Replace(posted, "data/a+b%2B.json", "", 1),
		"no bucket":      strings.Replace(posted, `"name":"lake"`, `"name":""`, 1),
		"a bucket above": strings.Replace(posted, `"name":"lake"`, `"name":"../x"`, 1),
		"too deep":       deep,
		"too many":       `{"Records":[` + strings.Repeat(record+",", 1000) + record + `]}`,
		"too long":       `{"Records":[]` + strings.Repeat(" ", 1<<20) + `}`,
	} {
		if got, err := feed.ParseNotices([]byte(body)); err == nil {
			t.Errorf("%s was taken: %.200v", name, got)
		}
	}
}

// FuzzParseNotices promises that whatever arrives has a bucket and a key that stays
// within it.
func FuzzParseNotices(f *testing.F) {
	f.Add([]byte(posted))
	f.Add([]byte(gateway))
	f.Add([]byte(busPassed))
	f.Add([]byte(`{"Messages":[{"Body":"{\"Event\":\"s3:TestEvent\",\"Service\":1}"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, _ := feed.ParseNotices(body)
		for _, a := range got.Arrivals {
			if a.Bucket == "" || feed.CheckKey(a.Key) != nil || strings.Contains("/"+a.Key+"/", "/../") || a.Size < -1 {
				t.Errorf("%+v", a)
			}
		}
	})
}
