// Package testing starts the server of this project instead of kube-apiserver: it takes the place of Kubernetes' package of this name
// where its own tests are built.
package testing

import (
	"crypto/rsa"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storageversion"
	restclient "k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	"k8s.io/kubernetes/test/utils/ktesting"
)

// control is the variable with the URL at which servers are started, by POST, and stopped, by DELETE.
const control = "TESTED_APISERVERS"

// client leaves no connection open, which the tests would take for one of theirs.
var client = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}

// TearDownFunc stops a server.
type TearDownFunc func()

// TestServerInstanceOptions are those of Kubernetes' package; none of them changes what is started.
type TestServerInstanceOptions struct {
	SkipHealthzCheck       bool
	DisableInvariantChecks bool
	EnableCertAuth         bool
	StorageVersionWrapFunc func(storageversion.Manager) storageversion.Manager
	ProxyCA                *ProxyCA
	BinaryVersion          string
	RequestTimeout         time.Duration
}

// TestServer is a server that runs. It has neither options nor an etcd that a test could look into.
type TestServer struct {
	ClientConfig      *restclient.Config
	ServerOpts        *options.ServerRunOptions
	TearDownFn        TearDownFunc
	TmpDir            string
	EtcdClient        *clientv3.Client
	EtcdStoragePrefix string
}

// Logger is what servers report to.
type Logger interface {
	Helper()
	Errorf(format string, args ...interface{})
	Fatalf(format string, args ...interface{})
	Logf(format string, args ...interface{})
	Cleanup(func())
}

// ProxyCA is the authority of a front proxy.
type ProxyCA struct {
	ProxySigningCert *x509.Certificate
	ProxySigningKey  *rsa.PrivateKey
}

// NewDefaultTestServerOptions are those of Kubernetes' package.
func NewDefaultTestServerOptions() *TestServerInstanceOptions {
	return &TestServerInstanceOptions{EnableCertAuth: true}
}

// StartTestServer starts a server on an empty store. The flags of kube-apiserver are logged, and mean nothing to it.
func StartTestServer(t ktesting.TB, _ *TestServerInstanceOptions, flags []string, _ *storagebackend.Config) (TestServer, error) {
	t.Helper()
	if len(flags) > 0 {
		t.Logf("flags of kube-apiserver without meaning here: %s", strings.Join(flags, " "))
	}
	id, kubeconfig, err := start()
	if err != nil {
		return TestServer{}, err
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		return TestServer{}, err
	}
	// Kinds that are made of documents have no protobuf, which clients of Kubernetes' kinds send where nothing is said.
	config.ContentType = runtime.ContentTypeJSON
	directory, err := os.MkdirTemp("", "kubernetes-test-")
	if err != nil {
		return TestServer{}, err
	}
	tearDown := sync.OnceFunc(func() {
		if err := stop(id); err != nil {
			t.Errorf("the server was not stopped: %v", err)
		}
		_ = os.RemoveAll(directory)
	})
	return TestServer{ClientConfig: config, TearDownFn: tearDown, TmpDir: directory}, nil
}

// StartTestServerOrDie is StartTestServer, and ends the test where that fails.
func StartTestServerOrDie(t testing.TB, instanceOptions *TestServerInstanceOptions, flags []string, storageConfig *storagebackend.Config) *TestServer {
	t.Helper()
	result, err := StartTestServer(t, instanceOptions, flags, storageConfig)
	if err != nil {
		t.Fatalf("no server was started: %v", err)
	}
	return &result
}

// GetEtcdClients fails: tests do not see how the server stores objects.
func GetEtcdClients(storagebackend.TransportConfig) (*clientv3.Client, clientv3.KV, error) {
	return nil, nil, fmt.Errorf("the server is not tested with an etcd that tests look into")
}

func start() (id string, kubeconfig []byte, err error) {
	response, err := client.Post(os.Getenv(control), "", nil)
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	kubeconfig, err = io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s: %s", response.Status, kubeconfig)
	}
	return response.Header.Get("Location"), kubeconfig, err
}

func stop(id string) error {
	request, err := http.NewRequest(http.MethodDelete, os.Getenv(control)+id, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("%s", response.Status)
	}
	return nil
}
