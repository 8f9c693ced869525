// Command cert-manager runs the controllers and the cainjector of cert-manager for the issuers CA and SelfSigned, which
// its recipe is tried with. It is made of the packages of its module, as its own programs are in modules that are not published.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/cert-manager/cert-manager/pkg/logs"
)

func main() {
	// Not flag.CommandLine: controller-runtime has a --kubeconfig there.
	flags := flag.NewFlagSet("cert-manager", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "kubeconfig of the cluster")
	namespace := flags.String("cluster-resource-namespace", "cert-manager", "where the Secrets of ClusterIssuers are")
	klog.InitFlags(flags)
	_ = flags.Parse(os.Args[1:]) // ends the program where it fails
	logs.InitLogs()
	ctrl.SetLogger(logs.Log)
	ctx, stop := signal.NotifyContext(klog.NewContext(context.Background(), logs.Log), os.Interrupt, syscall.SIGTERM)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return runControllers(ctx, *kubeconfig, *namespace) })
	group.Go(func() error { return runInjector(ctx, *kubeconfig) })
	if err := group.Wait(); err != nil {
		logs.Log.Error(err, "cert-manager ends")
		os.Exit(1)
	}
}
