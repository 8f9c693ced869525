//go:build tools

// Package tools pins the External Secrets Operator that its recipe is tried with.
package tools

import _ "github.com/external-secrets/external-secrets"
