package main

import (
	"encoding/json"
	"net/http"
	"os"
	"sync"
)

var printing sync.Mutex

// tell prints one line of JSON.
func tell(line any) {
	printing.Lock()
	defer printing.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

type request struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query,omitempty"`
	// Media types of the body sent and of the answer.
	Sent     string `json:"sent,omitempty"`
	Status   int    `json:"status"`
	Answered string `json:"answered,omitempty"`
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// tellRequests prints each request when its answer begins.
func tellRequests(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		if err == nil {
			tell(request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Get("Content-Type"),
				answer.StatusCode, answer.Header.Get("Content-Type")})
		}
		return answer, err
	})
}
