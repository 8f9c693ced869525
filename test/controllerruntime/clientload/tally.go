package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"k8s.io/client-go/dynamic"
)

// tally is what was written, answered and failed.
type tally struct {
	mutex    sync.Mutex
	writes   map[string][]string
	unknown  map[string]bool
	answers  map[string]int
	failures int
	watches  int
}

func newTally() *tally {
	return &tally{writes: map[string][]string{}, unknown: map[string]bool{}, answers: map[string]int{}}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// countAnswers counts what client-go gets, also what it tries again.
func (t *tally) countAnswers(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		answer, err := next.RoundTrip(r)
		t.mutex.Lock()
		defer t.mutex.Unlock()
		if err != nil {
			t.answers[r.Method+" broken"]++
		} else {
			t.answers[r.Method+" "+strconv.Itoa(answer.StatusCode)]++
		}
		return answer, err
	})
}

// fail tells at once what the user of client-go would see.
func (t *tally) fail(verb, object string, err error) {
	t.mutex.Lock()
	t.failures++
	t.mutex.Unlock()
	tell(map[string]any{"failure": map[string]any{
		"verb": verb, "object": object, "error": err.Error(), "at": time.Now().UnixMilli(),
	}})
}

func (t *tally) openedWatch() {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.watches++
}

func (t *tally) acknowledged(name, version string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.writes[name] = append(t.writes[name], version)
}

func (t *tally) deleted(name string) { t.acknowledged(name, "deleted") }

// unsure says that a write of this object may have happened or not.
func (t *tally) unsure(name string) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.unknown[name] = true
}

// written are the writes of each object of which all outcomes are known.
func (t *tally) written() map[string][]string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := map[string][]string{}
	for name, writes := range t.writes {
		if !t.unknown[name] {
			known[name] = slices.Clone(writes)
		}
	}
	return known
}

// compareState fails for each object that is not as its last acknowledged write left it.
func (t *tally) compareState(objects dynamic.ResourceInterface) {
	list, err := objects.List(context.Background(), everything)
	if err != nil {
		t.fail("list", "", err)
		return
	}
	there := map[string]string{}
	for _, item := range list.Items {
		there[item.GetName()] = item.GetResourceVersion()
	}
	for name, writes := range t.written() {
		last := writes[len(writes)-1]
		if found, is := there[name]; is != (last != "deleted") || is && found != last {
			t.fail("list", name, fmt.Errorf("%q after the writes %v", found, writes))
		}
	}
}

func (t *tally) summary() any {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return map[string]any{"summary": map[string]any{
		"objects": len(t.writes), "unsure": len(t.unknown), "failures": t.failures,
		"watches": t.watches, "answers": t.answers,
	}}
}
