//go:build tools

// Package tools pins the agent of gitops-engine, the part of Argo CD that applies, that its recipe is tried with.
package tools

import _ "github.com/argoproj/argo-cd/gitops-engine/agent"
