package web

// Closing ends when the server is going away, for handlers that stream: they end
// at once, and their callers go on elsewhere.
func (s *Site) Closing() <-chan struct{} { return s.closing }
