// Package framework has what takes the place of two files of Kubernetes' package of this name, test_server.go and goleak.go, where its
// own tests are built.
package framework

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	client "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	kubeapiservertesting "k8s.io/kubernetes/cmd/kube-apiserver/app/testing"
	"k8s.io/kubernetes/pkg/controlplane"
)

// TestServerSetup is that of Kubernetes' package; it changes nothing of what is started.
type TestServerSetup struct {
	ModifyServerRunOptions func(*options.ServerRunOptions)
	ModifyServerConfig     func(*controlplane.Config)
	DisableInvariantChecks bool
}

// TearDownFunc stops a server.
type TearDownFunc func()

// StartTestServer starts the server of this project on an empty store.
func StartTestServer(_ context.Context, t testing.TB, _ TestServerSetup) (client.Interface, *rest.Config, TearDownFunc) {
	t.Helper()
	server := kubeapiservertesting.StartTestServerOrDie(t, nil, nil, nil)
	return client.NewForConfigOrDie(server.ClientConfig), server.ClientConfig, TearDownFunc(server.TearDownFn)
}

// IgnoreBackgroundGoroutines gives nothing: goroutines of the clients say nothing of the server.
func IgnoreBackgroundGoroutines() []goleak.Option { return nil }

// GoleakCheck does nothing.
func GoleakCheck(testing.TB, ...goleak.Option) {}

func goleakFindRetry(...goleak.Option) error { return nil }
