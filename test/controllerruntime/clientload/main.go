// Command clientload asks a server for SharedSecrets as users' programs do, with a stock client-go, until it gets SIGTERM:
// workers create, get, list, patch and delete, and check that each answer shows what they wrote before; watches go on from
// where they were. It repeats nothing that client-go does not repeat.
//
// It prints lines of JSON: `{"begun":true}`, each failure as it happens, and at the end a summary.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

var sharedSecrets = schema.GroupVersionResource{
	Group: "management.svc.example", Version: "v1", Resource: "sharedsecrets",
}

// What a run is told.
type options struct {
	kubeconfig, namespace string
	workers, watches      int
	http1, fresh          bool
	pause                 time.Duration
}

func main() {
	var o options
	flag.StringVar(&o.kubeconfig, "kubeconfig", "", "whom to ask, as whom")
	flag.StringVar(&o.namespace, "namespace", "default", "where to work")
	flag.IntVar(&o.workers, "workers", 4, "how many ask at a time")
	flag.IntVar(&o.watches, "watches", 2, "how many watches follow")
	flag.BoolVar(&o.http1, "http1", false, "speak HTTP/1.1")
	flag.BoolVar(&o.fresh, "fresh", false, "make a connection for each round of requests, as kubectl does")
	flag.DurationVar(&o.pause, "pause", 0, "how long each waits between two objects")
	flag.Parse()
	if err := run(o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(o options) error {
	asking, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	t := newTally()
	reader, err := connect(o, t)
	if err != nil {
		return err
	}
	watches, err := startWatches(context.Background(), o, t)
	if err != nil {
		return err
	}
	tell(map[string]bool{"begun": true})
	var workers sync.WaitGroup
	for number := range o.workers {
		workers.Add(1)
		go func() {
			defer workers.Done()
			w := worker{options: o, tally: t, label: fmt.Sprintf("load-%d-%d", os.Getpid(), number)}
			w.work(asking)
		}()
	}
	workers.Wait()
	t.compareState(reader.objects)
	for _, one := range watches {
		one.compare(t)
	}
	tell(t.summary())
	return nil
}

// A client with connections of its own.
type connection struct {
	objects dynamic.ResourceInterface
	http    *http.Client
}

func connect(o options, t *tally) (*connection, error) {
	config, err := clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	if o.http1 {
		config.NextProtos = []string{"http/1.1"}
	}
	// Clients with the same way to dial share connections.
	config.Dial = (&net.Dialer{}).DialContext
	config.Wrap(t.countAnswers)
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return nil, err
	}
	asking, err := dynamic.NewForConfigAndClient(config, client)
	if err != nil {
		return nil, err
	}
	return &connection{asking.Resource(sharedSecrets).Namespace(o.namespace), client}, nil
}

var printing sync.Mutex

// tell prints one line of JSON.
func tell(line any) {
	printing.Lock()
	defer printing.Unlock()
	_ = json.NewEncoder(os.Stdout).Encode(line)
}

var everything = metav1.ListOptions{}
