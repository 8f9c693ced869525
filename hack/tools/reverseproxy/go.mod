module management-apiserver/hack/tools/reverseproxy

go 1.26.0
