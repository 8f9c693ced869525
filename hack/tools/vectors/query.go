package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// judgeQuery: what is decoded is as it was; its validation is computed, of options of a delete.
func judgeQuery(line Line) {
	if _, decoded := line["decoded"]; !decoded || line.text("kind") != "deleteOptions" {
		return
	}
	var options metav1.DeleteOptions
	line.get("decoded", &options)
	line.setErrors(validation.ValidateDeleteOptions(&options))
}
