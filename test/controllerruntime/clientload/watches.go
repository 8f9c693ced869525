package main

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	toolswatch "k8s.io/client-go/tools/watch"
)

// How long the last events may take.
const catchUp = 20 * time.Second

// follower is a watch that goes on after each end of a stream from where it was.
type follower struct {
	mutex sync.Mutex
	// Versions that objects were added or changed with, in order, by name; "deleted" last.
	seen map[string][]string
	last uint64
}

func startWatches(ctx context.Context, o options, t *tally) ([]*follower, error) {
	var all []*follower
	for range o.watches {
		at, err := connect(o, t)
		if err != nil {
			return nil, err
		}
		list, err := at.objects.List(ctx, everything)
		if err != nil {
			return nil, err
		}
		opened := func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			t.openedWatch()
			return at.objects.Watch(ctx, options)
		}
		lists := cache.ListWatch{WatchFuncWithContext: opened}
		events, err := toolswatch.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), &lists)
		if err != nil {
			return nil, err
		}
		one := &follower{seen: map[string][]string{}}
		go one.follow(events, t)
		all = append(all, one)
	}
	return all, nil
}

func (f *follower) follow(events *toolswatch.RetryWatcher, t *tally) {
	for event := range events.ResultChan() {
		if event.Type == watch.Error {
			t.fail("watch", "", fmt.Errorf("%v", event.Object))
			continue
		}
		f.take(event, t)
	}
	t.fail("watch", "", fmt.Errorf("it ended for good"))
}

func (f *follower) take(event watch.Event, t *tally) {
	object, err := meta.Accessor(event.Object)
	if err != nil {
		t.fail("watch", "", err)
		return
	}
	version, _ := strconv.ParseUint(object.GetResourceVersion(), 10, 64)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if event.Type == watch.Bookmark {
		return
	}
	if version <= f.last {
		t.fail("watch", object.GetName(), fmt.Errorf("%s at %d after %d", event.Type, version, f.last))
	}
	f.last = version
	said := object.GetResourceVersion()
	if event.Type == watch.Deleted {
		said = "deleted"
	}
	f.seen[object.GetName()] = append(f.seen[object.GetName()], said)
}

// compare waits for the last events, then fails for each object whose events were not its writes.
func (f *follower) compare(t *tally) {
	for until := time.Now().Add(catchUp); time.Now().Before(until) && len(f.differences(t)) > 0; {
		time.Sleep(50 * time.Millisecond)
	}
	for name, what := range f.differences(t) {
		t.fail("watch", name, fmt.Errorf("%s", what))
	}
}

func (f *follower) differences(t *tally) map[string]string {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	different := map[string]string{}
	for name, written := range t.written() {
		if seen := fmt.Sprint(f.seen[name]); seen != fmt.Sprint(written) {
			different[name] = fmt.Sprintf("events %s of the writes %v", seen, written)
		}
	}
	return different
}
