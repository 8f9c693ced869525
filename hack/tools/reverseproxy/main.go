// reverseproxy passes requests on to an API server, over HTTP/2 where a client speaks it, and does nothing else: what any proxy
// costs, which the agent of a connected cluster is measured beside (hack/bench/run.sh agent). It prints its port.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	server := flag.String("server", "", "URL of the API server")
	authority := flag.String("certificate-authority", "", "file with the authority of its certificate")
	certificate := flag.String("tls-cert-file", "", "file with the certificate to serve with")
	key := flag.String("tls-private-key-file", "", "file with its key")
	flag.Parse()
	target, err := url.Parse(*server)
	check(err)
	pem, err := os.ReadFile(*authority)
	check(err)
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		log.Fatalf("%s has no certificate", *authority)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots}
	transport.MaxIdleConnsPerHost = 128
	proxy := &httputil.ReverseProxy{
		Transport:     transport,
		FlushInterval: -1,
		Rewrite:       func(request *httputil.ProxyRequest) { request.SetURL(target) },
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.ServeTLS(listener, proxy, *certificate, *key))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
