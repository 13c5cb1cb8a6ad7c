package hook

import (
	"hash/fnv"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pauses are how long is waited after each try that failed: ten tries over a little
// more than three days, as Standard Webhooks proposes.
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour,
	24 * time.Hour,
}

// Tries is how often a message is sent before it is given up.
func Tries() int { return len(pauses) + 1 }

// pauseAfter is how long to wait after so many tries, up to a tenth more or less, so
// that what failed together does not come back together. It is false after the
// last one.
func pauseAfter(tries int, message string) (time.Duration, bool) {
	if tries < 1 || tries > len(pauses) {
		return 0, false
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(message + strconv.Itoa(tries))) // a hash takes everything
	share := 0.9 + 0.2*float64(h.Sum32())/float64(1<<32)
	return time.Duration(float64(pauses[tries-1]) * share), true
}

// The faults of a try, as words that pages translate.
const (
	FaultInside   = "inside"   // the name leads to an address inside; nothing was sent
	FaultName     = "name"     // the name has no address
	FaultConnect  = "connect"  // nobody takes the connection
	FaultTLS      = "tls"      // its certificate is not one of that name, or not valid
	FaultTimeout  = "timeout"  // no answer in time
	FaultBroken   = "broken"   // the answer is not one, or broke off
	FaultRedirect = "redirect" // it leads elsewhere, and is not followed there
	FaultGone     = "gone"     // 410: it wants no more messages
	FaultClient   = "client"   // another answer from 400 to 499
	FaultServer   = "server"   // any other answer
	FaultSigning  = "signing"  // no secret opens; nothing was sent
)

// faultOf is what is wrong with an answer.
func faultOf(status int) string {
	switch {
	case status >= 200 && status < 300:
		return ""
	case status >= 300 && status < 400:
		return FaultRedirect
	case status == http.StatusGone:
		return FaultGone
	case status >= 400 && status < 500:
		return FaultClient
	}
	return FaultServer
}

// mostRetryAfter is how long a receiver may have us wait by Retry-After.
const mostRetryAfter = 24 * time.Hour

// retryAfter is how long the receiver wants us to wait, where it says so in seconds
// and may.
func retryAfter(status int, h http.Header) time.Duration {
	if !slices.Contains([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}, status) {
		return 0
	}
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, int(mostRetryAfter/time.Second)))*time.Second, mostRetryAfter)
}
