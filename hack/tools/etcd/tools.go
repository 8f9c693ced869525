//go:build tools

// Package tools pins the etcd programs that the tests and `--etcd-servers` runs need.
package tools

import (
	_ "go.etcd.io/etcd/etcdctl/v3"
	_ "go.etcd.io/etcd/server/v3"
)
