package main

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// Of a request that no answer comes to.
const patience = 60 * time.Second

type worker struct {
	options options
	tally   *tally
	label   string
	at      *connection
}

// work goes through the life of one object after another.
func (w *worker) work(asking context.Context) {
	for round := 0; asking.Err() == nil; round++ {
		if w.at == nil || w.options.fresh {
			if w.at != nil {
				w.at.http.CloseIdleConnections()
			}
			at, err := connect(w.options, w.tally)
			if err != nil {
				w.tally.fail("connect", w.label, err)
				return
			}
			w.at = at
		}
		w.live(fmt.Sprintf("%s-%d", w.label, round), round%4 == 0)
		select {
		case <-asking.Done():
		case <-time.After(w.options.pause):
		}
	}
}

// live ends with the first request that fails: what is there then is not known.
func (w *worker) live(name string, stays bool) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	created, err := w.at.objects.Create(ctx, w.object(name), metav1.CreateOptions{})
	if !w.wrote("create", name, created, err) {
		return
	}
	if !w.reads(ctx, created) {
		return
	}
	patch := []byte(`{"spec":{"displayName":"patched"}}`)
	patched, err := w.at.objects.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if !w.wrote("patch", name, patched, err) {
		return
	}
	if !w.reads(ctx, patched) || stays {
		return
	}
	if err := w.at.objects.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		w.tally.unsure(name)
		w.tally.fail("delete", name, err)
		return
	}
	w.tally.deleted(name)
}

func (w *worker) object(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.svc.example/v1",
		"kind":       "SharedSecret",
		"metadata":   map[string]any{"name": name, "labels": map[string]any{"worker": w.label}},
		"spec":       map[string]any{"displayName": "created"},
	}}
}

func (w *worker) wrote(verb, name string, answered *unstructured.Unstructured, err error) bool {
	if err != nil {
		w.tally.unsure(name)
		w.tally.fail(verb, name, err)
		return false
	}
	w.tally.acknowledged(name, answered.GetResourceVersion())
	return true
}

// reads says whether GET and LIST show what was just written.
func (w *worker) reads(ctx context.Context, written *unstructured.Unstructured) bool {
	name, version := written.GetName(), written.GetResourceVersion()
	found, err := w.at.objects.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		w.tally.fail("get", name, err)
		return false
	}
	if found.GetResourceVersion() != version {
		w.tally.fail("get", name, fmt.Errorf("%s in place of %s", found.GetResourceVersion(), version))
	}
	list, err := w.at.objects.List(ctx, metav1.ListOptions{LabelSelector: "worker=" + w.label})
	if err != nil {
		w.tally.fail("list", name, err)
		return false
	}
	for _, item := range list.Items {
		if item.GetName() == name && item.GetResourceVersion() == version {
			return true
		}
	}
	w.tally.fail("list", name, fmt.Errorf("%s is not in the list of %s", version, list.GetResourceVersion()))
	return true
}
