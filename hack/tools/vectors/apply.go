package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
)

const (
	uid     = "00000000-0000-4000-8000-000000000001"
	created = "2001-01-01T00:00:00Z"
)

func (k kinds) judgeApply(line Line) {
	var live map[string]any
	line.get("live", &live)
	var operations []Line
	check(json.Unmarshal(line["ops"], &operations))
	name := line.text("schema")
	for i, operation := range operations {
		if other := operation.text("schema"); other != "" {
			name = other
		}
		live = k[name].judgeOperation(fmt.Sprintf("%s, operation %d", line.text("id"), i), live, operation)
	}
	line.set("ops", operations)
}

// judgeOperation gives what is stored afterwards.
func (k kind) judgeOperation(where string, stored map[string]any, line Line) map[string]any {
	expect := Line{}
	check(json.Unmarshal(line["expect"], &expect))
	group, err := schema.ParseGroupVersion(line.text("apiVersion"))
	check(err)
	kind := group.WithKind(k.Kind)
	live := &unstructured.Unstructured{Object: map[string]any{"metadata": map[string]any{}}}
	if stored != nil {
		live.Object = runtime.DeepCopyJSON(stored)
	}
	live.SetGroupVersionKind(kind)
	after, lost, err := k.run(kind, live, line)
	if err != nil {
		refuse(where, expect, err)
		line.set("expect", expect)
		return stored
	}
	if _, refused := expect["error"]; refused {
		fmt.Fprintf(os.Stderr, "%s: is no longer refused\n", where)
		delete(expect, "error")
	}
	result := k.settle(line.text("subresource"), stored, live, after, line.text("time"))
	expect.set("object", result)
	if lost {
		expect.set("trackingLost", true)
	} else {
		delete(expect, "trackingLost")
	}
	if stored != nil {
		expect.set("changed", !same(encode(live.Object), encode(result)))
	}
	line.set("expect", expect)
	return result
}

func (k kind) run(gvk schema.GroupVersionKind, live *unstructured.Unstructured, line Line) (*unstructured.Unstructured, bool, error) {
	manager, err := managedfields.NewDefaultCRDFieldManager(k.converter, k, k, k, gvk, gvk.GroupVersion(), line.text("subresource"), k.reset(line.text("subresource")))
	check(err)
	sent := &unstructured.Unstructured{Object: map[string]any{}}
	line.get("object", &sent.Object)
	by := line.text("manager")
	if line.text("op") == "apply" {
		var force bool
		line.get("force", &force)
		after, err := manager.Apply(live.DeepCopy(), sent, by, force)
		if err != nil {
			return nil, false, err
		}
		return after.(*unstructured.Unstructured), false, nil
	}
	if line.text("op") == "patch-result" {
		sent.SetManagedFields(live.GetManagedFields())
	}
	_, err = manager.Update(live.DeepCopy(), sent.DeepCopy(), by)
	return manager.UpdateNoErrors(live.DeepCopy(), sent, by).(*unstructured.Unstructured), err != nil, nil
}

// settle does what README.md says around the field manager.
func (k kind) settle(subresource string, stored map[string]any, live, after *unstructured.Unstructured, now string) map[string]any {
	object := runtime.DeepCopyJSON(after.Object)
	resets := len(k.ResetFields) > 0
	setTimes(object, now)
	if stored == nil {
		if resets {
			delete(object, "status")
		}
		metadata := metadataOf(object)
		metadata["uid"], metadata["creationTimestamp"] = uid, created
		return object
	}
	if resets {
		object = withReset(subresource, live.Object, object)
	}
	metadata, before := metadataOf(object), metadataOf(live.Object)
	take(metadata, before, "uid")
	take(metadata, before, "creationTimestamp")
	if timesOnly(metadata["managedFields"], before["managedFields"]) {
		old := runtime.DeepCopyJSON(object)
		take(metadataOf(old), before, "managedFields")
		if same(encode(old), encode(live.Object)) {
			return old
		}
	}
	return object
}

func withReset(subresource string, live, after map[string]any) map[string]any {
	if subresource != "status" {
		take(after, live, "status")
		return after
	}
	object := runtime.DeepCopyJSON(live)
	take(object, after, "status")
	take(metadataOf(object), metadataOf(after), "managedFields")
	return object
}

// setTimes: the field manager has its own clock, which is later than all of the vectors. Entries of one second are sorted, as it does.
func setTimes(object map[string]any, now string) {
	list, _ := metadataOf(object)["managedFields"].([]any)
	timed := false
	for _, entry := range entriesOf(list) {
		if at, err := time.Parse(time.RFC3339, textIn(entry, "time")); err == nil && at.Year() > 2020 {
			entry["time"], timed = now, true
		}
	}
	if !timed {
		return
	}
	slices.SortStableFunc(list, func(a, b any) int {
		for _, member := range []string{"operation", "time", "manager", "apiVersion", "subresource"} {
			order := strings.Compare(textIn(a.(map[string]any), member), textIn(b.(map[string]any), member))
			if order != 0 {
				return order
			}
		}
		return 0
	})
}

func textIn(entry map[string]any, member string) string {
	text, _ := entry[member].(string)
	return text
}

func timesOnly(a, b any) bool {
	without := func(list any) []map[string]any {
		entries := []map[string]any{}
		for _, entry := range entriesOf(list) {
			copied := runtime.DeepCopyJSON(entry)
			delete(copied, "time")
			entries = append(entries, copied)
		}
		return entries
	}
	return slices.EqualFunc(without(a), without(b), func(x, y map[string]any) bool { return same(encode(x), encode(y)) })
}

func entriesOf(list any) []map[string]any {
	entries := []map[string]any{}
	items, _ := list.([]any)
	for _, item := range items {
		if entry, is := item.(map[string]any); is {
			entries = append(entries, entry)
		}
	}
	return entries
}

func metadataOf(object map[string]any) map[string]any {
	metadata, is := object["metadata"].(map[string]any)
	if !is {
		metadata = map[string]any{}
		object["metadata"] = metadata
	}
	return metadata
}

// take gives an object the member that another has, if any.
func take(object, from map[string]any, member string) {
	if value, there := from[member]; there {
		object[member] = value
	} else {
		delete(object, member)
	}
}

type problem struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

type refusal struct {
	Class    string    `json:"class"`
	Code     int32     `json:"code"`
	Message  string    `json:"message,omitempty"`
	Prefix   string    `json:"prefix"`
	Problems []problem `json:"problems"`
}

// refuse keeps a refusal that is expected, and writes that of an object that does not fit or does not convert. Others it only names:
// README.md says what is to be written.
func refuse(where string, expect Line, err error) {
	code, message := int32(500), err.Error()
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		code, message = status.Status().Code, status.Status().Message
	}
	var expected refusal
	expect.get("error", &expected)
	if code != 500 && (code != expected.Code || message != expected.Message) {
		fmt.Fprintf(os.Stderr, "%s: %d %s\n", where, code, message)
	}
	if code == 500 && !expected.knows(message) {
		clear(expect)
		expect.set("error", refusalOf(message))
	}
}

var (
	// Of an object that does not fit. What is before it names the object.
	object = regexp.MustCompile(`^failed to create typed (live|patch) object \([^)]*\): `)
	// A Go value.
	got = regexp.MustCompile(`, got .*$`)
)

func refusalOf(message string) refusal {
	refused := refusal{Class: "convert", Code: 500, Problems: []problem{}}
	if found := object.FindStringSubmatch(message); found != nil {
		refused.Prefix = found[0]
		refused.Class = map[string]string{"live": "live-schema", "patch": "config-schema"}[found[1]]
	}
	for _, text := range problemsOf(strings.TrimPrefix(message, refused.Prefix)) {
		refused.Problems = append(refused.Problems, problem{Text: text})
	}
	return refused
}

func problemsOf(message string) []string {
	problems := strings.Split(strings.TrimPrefix(message, "errors:\n  "), "\n  ")
	for i, text := range problems {
		problems[i] = got.ReplaceAllString(text, "")
	}
	return problems
}

// knows: all that the message says.
func (r refusal) knows(message string) bool {
	known := map[string]bool{}
	for _, p := range r.Problems {
		known[strings.TrimPrefix(p.Path+": "+p.Text, ": ")] = true
	}
	for _, text := range problemsOf(strings.TrimPrefix(message, r.Prefix)) {
		if !known[text] {
			return false
		}
	}
	return true
}
