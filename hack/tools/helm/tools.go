//go:build tools

// Package tools pins the helm that renders and installs the chart in tests.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
