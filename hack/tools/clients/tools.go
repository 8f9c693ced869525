//go:build tools

// Package tools pins the clients that tests run. They are of one module since they share most of their packages: built together, these
// are compiled once.
package tools

import (
	_ "helm.sh/helm/v4/cmd/helm"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
