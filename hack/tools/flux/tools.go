//go:build tools

// Package tools pins the kustomize-controller that the recipe of Flux is tried with.
package tools

import _ "github.com/fluxcd/kustomize-controller"
