//go:build tools

// Package tools pins the Kubernetes programs that the tests compare with and are driven by.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kubectl"
	_ "k8s.io/sample-apiserver"
)
