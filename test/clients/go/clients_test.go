package clients

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/tools/pager"
)

func TestAListComesInPagesOfOneState(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.create(name, nil)
	}
	first, err := s.secrets.List(s.ctx, metav1.ListOptions{Limit: 3})
	if left := must(s, first, err).GetRemainingItemCount(); left == nil || *left != 2 {
		s.Fatalf("%v objects remain, want 2", left)
	}
	s.create("ab", nil)
	rest, err := s.secrets.List(s.ctx, metav1.ListOptions{Limit: 3, Continue: first.GetContinue()})
	s.equal(append(names(first.Items), names(must(s, rest, err).Items)...), []string{"a", "b", "c", "d", "e"})
	s.equal([]string{rest.GetResourceVersion()}, []string{first.GetResourceVersion()})
}

func TestAContinueTokenExpiresWithTheRightsThatItWasGivenFor(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create(name, nil)
	}
	s.share("a")
	s.share("b")
	seen := s.viewer.Resource(sharedSecrets).Namespace(s.namespace)
	first, err := seen.List(s.ctx, metav1.ListOptions{Limit: 1})
	must(s, first, err)
	s.share("c")
	_, err = seen.List(s.ctx, metav1.ListOptions{Limit: 1, Continue: first.GetContinue()})
	if !apierrors.IsResourceExpired(err) {
		s.Fatalf("%v, want Expired", err)
	}
}

// The pager falls back to a whole list when a page has expired.
func TestThePagerReadsAllPages(t *testing.T) {
	s := newStage(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create(name, nil)
	}
	pages := pager.New(pager.SimplePageFunc(func(options metav1.ListOptions) (runtime.Object, error) {
		return s.secrets.List(s.ctx, options)
	}))
	pages.PageSize = 1
	read := []string{}
	err := pages.EachListItem(s.ctx, metav1.ListOptions{}, func(found runtime.Object) error {
		read = append(read, found.(*unstructured.Unstructured).GetName())
		return nil
	})
	must(s, 0, err)
	s.equal(read, []string{"a", "b", "c"})
}

func TestEachPatchChangesWhatItNames(t *testing.T) {
	s := newStage(t)
	for kind, patch := range map[types.PatchType]string{
		types.JSONPatchType:           `[{"op":"add","path":"/spec/description","value":"new"}]`,
		types.MergePatchType:          `{"spec":{"description":"new"}}`,
		types.StrategicMergePatchType: `{"spec":{"description":"new"}}`,
	} {
		made, err := s.secrets.Create(s.ctx, withGenerateName("patched-"), metav1.CreateOptions{})
		patched, err := s.secrets.Patch(s.ctx, must(s, made, err).GetName(), kind, []byte(patch), metav1.PatchOptions{})
		description, _, _ := unstructured.NestedString(must(s, patched, err).Object, "spec", "description")
		value, _, _ := unstructured.NestedString(patched.Object, "spec", "data", "key")
		s.equal([]string{string(kind), description, value}, []string{string(kind), "new", "dmFsdWU="})
	}
}

func withGenerateName(prefix string) *unstructured.Unstructured {
	wanted := wantedSecret("", map[string]any{"data": map[string]any{"key": "dmFsdWU="}})
	wanted.SetGenerateName(prefix)
	return wanted
}

func TestAStrategicMergePatchMergesAListByItsKey(t *testing.T) {
	s := newStage(t)
	accounts := s.typed.CoreV1().ServiceAccounts(s.namespace)
	robot := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "robot"}, Secrets: []corev1.ObjectReference{{Name: "one"}}}
	made, err := accounts.Create(s.ctx, robot, metav1.CreateOptions{})
	must(s, made, err)
	patch := []byte(`{"secrets":[{"name":"two"}]}`)
	patched, err := accounts.Patch(s.ctx, "robot", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	found := []string{}
	for _, secret := range must(s, patched, err).Secrets {
		found = append(found, secret.Name)
	}
	slices.Sort(found)
	s.equal(found, []string{"one", "two"})
}

func TestAnApplyConflictsWithAnotherManagerUntilItIsForced(t *testing.T) {
	s := newStage(t)
	apply := func(manager string, force bool, spec map[string]any) (*unstructured.Unstructured, error) {
		return s.secrets.Apply(s.ctx, "one", wantedSecret("one", spec), metav1.ApplyOptions{FieldManager: manager, Force: force})
	}
	_, err := apply("first", false, map[string]any{"description": "first", "data": map[string]any{"key": "dmFsdWU="}})
	must(s, 0, err)
	if _, err := apply("second", false, map[string]any{"description": "second"}); !apierrors.IsConflict(err) {
		s.Fatalf("%v, want a conflict", err)
	}
	_, err = apply("second", true, map[string]any{"description": "second"})
	must(s, 0, err)
	left, err := apply("first", false, map[string]any{})
	description, _, _ := unstructured.NestedString(must(s, left, err).Object, "spec", "description")
	_, kept, _ := unstructured.NestedMap(left.Object, "spec", "data")
	if description != "second" || kept {
		s.Fatalf("%v is left", left.Object["spec"])
	}
}

// watched is a watch until the server ends it: the type of each event, and the name of its object or its version.
func (s *stage) watched(version string) (changes []string, last string) {
	s.Helper()
	seconds := int64(2)
	events, err := s.secrets.Watch(s.ctx, metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true, TimeoutSeconds: &seconds})
	for event := range must(s, events, err).ResultChan() {
		if event.Type == watch.Error {
			return append(changes, string(apierrors.ReasonForError(apierrors.FromObject(event.Object)))), ""
		}
		found := event.Object.(*unstructured.Unstructured)
		changes, last = append(changes, string(event.Type)+" "+found.GetName()), found.GetResourceVersion()
	}
	return changes, last
}

func TestAWatchHasEachChangeAndABookmarkAtItsEnd(t *testing.T) {
	s := newStage(t)
	begun := s.create("before", nil).GetResourceVersion()
	s.create("one", nil)
	s.share("one")
	must(s, 0, s.secrets.Delete(s.ctx, "before", metav1.DeleteOptions{}))
	besides := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "besides"}}
	made, err := s.typed.CoreV1().ConfigMaps(s.namespace).Create(s.ctx, besides, metav1.CreateOptions{})
	must(s, made, err)
	changes, marked := s.watched(begun)
	s.equal(changes[:4], []string{"ADDED one", "MODIFIED one", "DELETED before", "BOOKMARK "})
	s.create("after", nil)
	resumed, _ := s.watched(marked)
	s.equal(resumed[:1], []string{"ADDED after"})
}

func TestAWatchFromAForgottenVersionIsExpired(t *testing.T) {
	s := newStage(t)
	changes, _ := s.watched("1")
	s.equal(changes, []string{"Expired"})
}

func TestAnInformerListsAgainAfterThe410ThatEndsItsWatch(t *testing.T) {
	s := newStage(t)
	s.create("shown", nil)
	s.create("hidden", nil)
	s.share("shown")
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.viewer, 0, s.namespace, nil)
	lister := factory.ForResource(sharedSecrets).Lister()
	factory.Start(s.ctx.Done())
	holds := func(want ...string) {
		s.Helper()
		s.eventually("those", func() bool {
			objects, err := lister.List(labels.Everything())
			found := []string{}
			for _, object := range must(s, objects, err) {
				found = append(found, object.(*unstructured.Unstructured).GetName())
			}
			slices.Sort(found)
			return slices.Equal(found, want)
		})
	}
	holds("shown")
	s.share("hidden")
	holds("hidden", "shown")
	s.create("later", map[string]any{"access": []any{map[string]any{"verbs": []any{"get"}, "users": []any{"viewer"}}}})
	holds("hidden", "later", "shown")
	must(s, 0, s.secrets.Delete(s.ctx, "shown", metav1.DeleteOptions{}))
	holds("hidden", "later")
}

// As Crossplane finds the schemas that it hands to functions: of those that are of one kind alone.
func TestEachKindHasItsSchemaInTheOpenAPI3DocumentOfItsGroup(t *testing.T) {
	s := newStage(t)
	_, lists, err := s.typed.Discovery().ServerGroupsAndResources()
	root := openapi3.NewRoot(s.typed.Discovery().OpenAPIV3())
	described := map[schema.GroupVersionKind]bool{}
	var listed []schema.GroupVersionKind
	for _, list := range must(s, lists, err) {
		group, err := schema.ParseGroupVersion(list.GroupVersion)
		document, err := root.GVSpec(must(s, group, err))
		for _, found := range must(s, document, err).Components.Schemas {
			kinds, _ := found.Extensions["x-kubernetes-group-version-kind"].([]any)
			if len(kinds) == 1 {
				of := kinds[0].(map[string]any)
				described[schema.GroupVersionKind{Group: of["group"].(string), Version: of["version"].(string), Kind: of["kind"].(string)}] = true
			}
		}
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") {
				listed = append(listed, group.WithKind(resource.Kind))
			}
		}
	}
	for _, kind := range listed {
		if !described[kind] {
			s.Errorf("no document has the schema of %s", kind)
		}
	}
	if !slices.Contains(listed, sharedSecrets.GroupVersion().WithKind("SharedSecret")) {
		s.Errorf("SharedSecret is not among %v", listed)
	}
}
