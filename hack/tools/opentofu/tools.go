//go:build tools

// Package tools pins the OpenTofu that the recipe of Terraform is tried with.
package tools

import _ "github.com/opentofu/opentofu/cmd/tofu"
