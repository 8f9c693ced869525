package main

import (
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var nameRules = map[string]validation.ValidateNameFunc{
	"dns-1035":      validation.NameIsDNS1035Label,
	"dns-label":     validation.NameIsDNSLabel,
	"dns-subdomain": validation.NameIsDNSSubdomain,
	"path-segment": func(name string, prefix bool) []string {
		if prefix {
			return content.IsPathSegmentPrefix(name)
		}
		return content.IsPathSegmentName(name)
	},
}

type finding struct {
	BadValue any    `json:"badValue"`
	Body     string `json:"body"`
	Detail   string `json:"detail"`
	Field    string `json:"field"`
	Type     string `json:"type"`
}

func judgeMetadata(line Line) {
	var meta, old metav1.ObjectMeta
	var namespaced bool
	line.get("meta", &meta)
	line.get("old", &old)
	line.get("namespaced", &namespaced)
	path := field.NewPath("metadata")
	var errors field.ErrorList
	switch line.text("op") {
	case "create":
		errors = validation.ValidateObjectMeta(&meta, namespaced, nameRules[line.text("nameRule")], path)
	case "update":
		errors = validation.ValidateObjectMetaUpdate(&meta, &old, path)
	case "fieldManager":
		errors = v1validation.ValidateFieldManager(line.text("value"), field.NewPath("fieldManager"))
	default:
		panic("unknown op: " + line.text("op"))
	}
	line.setErrors(errors)
}

// setErrors sets `errors` and `text`.
func (l Line) setErrors(errors field.ErrorList) {
	findings := []finding{}
	for _, e := range errors {
		findings = append(findings, finding{e.BadValue, e.ErrorBody(), e.Detail, e.Field, string(e.Type)})
	}
	l.set("errors", findings)
	text := ""
	if aggregate := errors.ToAggregate(); aggregate != nil {
		text = aggregate.Error()
	}
	l.set("text", text)
}
