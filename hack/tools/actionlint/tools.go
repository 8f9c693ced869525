//go:build tools

// Package tools pins the actionlint that checks the workflows of GitHub.
package tools

import _ "github.com/rhysd/actionlint/cmd/actionlint"
