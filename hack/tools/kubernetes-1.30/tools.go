//go:build tools

// Package tools pins the oldest host that the aggregated mode is tested behind.
package tools

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
)
