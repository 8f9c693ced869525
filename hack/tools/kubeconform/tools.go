//go:build tools

// Package tools pins the kubeconform that checks objects by the schemas of the server.
package tools

import _ "github.com/yannh/kubeconform/cmd/kubeconform"
