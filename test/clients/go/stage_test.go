// Package clients is client-go against the server, as the environment names it: KUBECONFIG of an administrator, VIEWER_KUBECONFIG of the
// user viewer, who has no rights (test/clients/go.test.ts).
package clients

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const share = `{"spec":{"access":[{"verbs":["get"],"users":["viewer"]}]}}`

var sharedSecrets = schema.GroupVersionResource{Group: "management.svc.example", Version: "v1", Resource: "sharedsecrets"}

// stage is a new namespace with its SharedSecrets, as both users see them.
type stage struct {
	*testing.T
	ctx       context.Context
	namespace string
	typed     kubernetes.Interface
	secrets   dynamic.ResourceInterface
	viewer    dynamic.Interface
}

func must[V any](t testing.TB, value V, err error) V {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func configOf(t testing.TB, variable string) *rest.Config {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv(variable))
	return must(t, config, err)
}

func newStage(t *testing.T) *stage {
	t.Parallel()
	config := configOf(t, "KUBECONFIG")
	typed := kubernetes.NewForConfigOrDie(config)
	wanted := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "go-"}}
	made, err := typed.CoreV1().Namespaces().Create(t.Context(), wanted, metav1.CreateOptions{})
	namespace := must(t, made, err).Name
	return &stage{t, t.Context(), namespace, typed,
		dynamic.NewForConfigOrDie(config).Resource(sharedSecrets).Namespace(namespace),
		dynamic.NewForConfigOrDie(configOf(t, "VIEWER_KUBECONFIG"))}
}

func wantedSecret(name string, spec map[string]any) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "management.svc.example/v1", "kind": "SharedSecret", "metadata": map[string]any{"name": name}, "spec": spec,
	}}
}

func (s *stage) create(name string, spec map[string]any) *unstructured.Unstructured {
	s.Helper()
	made, err := s.secrets.Create(s.ctx, wantedSecret(name, spec), metav1.CreateOptions{})
	return must(s, made, err)
}

func (s *stage) share(name string) {
	s.Helper()
	made, err := s.secrets.Patch(s.ctx, name, types.MergePatchType, []byte(share), metav1.PatchOptions{})
	must(s, made, err)
}

func (s *stage) eventually(what string, ask func() bool) {
	s.Helper()
	asked := func(context.Context) (bool, error) { return ask(), nil }
	if err := wait.PollUntilContextTimeout(s.ctx, 50*time.Millisecond, time.Minute, true, asked); err != nil {
		s.Fatalf("did not come: %s", what)
	}
}

func (s *stage) equal(have, want []string) {
	s.Helper()
	if !slices.Equal(have, want) {
		s.Fatalf("%q, want %q", have, want)
	}
}

func names(items []unstructured.Unstructured) []string {
	found := []string{}
	for _, item := range items {
		found = append(found, item.GetName())
	}
	return found
}
