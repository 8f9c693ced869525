// Command secretmirror is a controller as its users write them, built on a stock controller-runtime: for each SharedSecret
// it keeps a ConfigMap with the names of its keys and a Secret with a checksum of its data.
//
// It prints what it does as lines of JSON: `{"leading":true}` once it leads, and each request that it made.
package main

import (
	"flag"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const name = "secretmirror"

// Between two attempts to get the lease or to renew it.
const retryPeriod = 500 * time.Millisecond

func main() {
	// controller-runtime itself adds --kubeconfig.
	namespace := flag.String("namespace", "default", "where to work")
	lease := flag.Duration("lease", 10*time.Second, "how long a leader that is not heard of remains the leader")
	flag.Parse()
	ctrl.SetLogger(klog.Background())
	if err := run(*namespace, *lease); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(namespace string, lease time.Duration) error {
	config, err := ctrl.GetConfig()
	if err != nil {
		return err
	}
	config.Wrap(tellRequests)
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		return err
	}
	addSharedSecret(scheme)
	mgr, err := ctrl.NewManager(config, options(scheme, namespace, lease))
	if err != nil {
		return err
	}
	if err := addController(mgr); err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	go func() {
		select {
		case <-mgr.Elected():
			tell(struct {
				Leading bool `json:"leading"`
			}{true})
		case <-ctx.Done():
		}
	}()
	return mgr.Start(ctx)
}

func options(scheme *runtime.Scheme, namespace string, lease time.Duration) manager.Options {
	ours := cache.ByObject{Label: labels.SelectorFromSet(labels.Set{ownLabel: name})}
	renew, retry := lease*4/5, retryPeriod
	return manager.Options{
		Scheme: scheme,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{namespace: {}},
			ByObject:          map[client.Object]cache.ByObject{&corev1.ConfigMap{}: ours},
		},
		Metrics:                       server.Options{BindAddress: "0"},
		LeaderElection:                true,
		LeaderElectionID:              name,
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &lease,
		RenewDeadline:                 &renew,
		RetryPeriod:                   &retry,
	}
}

func addController(mgr manager.Manager) error {
	reconciler := &mirror{
		Client: mgr.GetClient(),
		scheme: mgr.GetScheme(),
		// Of events.k8s.io/v1; leader election records its events as core/v1.
		recorder: mgr.GetEventRecorder(name),
	}
	return ctrl.NewControllerManagedBy(mgr).
		For(&SharedSecret{}).
		Owns(&corev1.ConfigMap{}).
		Owns(&corev1.Secret{}, builder.OnlyMetadata).
		Complete(reconciler)
}
