package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/kube-openapi/pkg/validation/spec"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// kind is one of schemas.json. Its versions differ in name only: it is its own converter, defaulter and creater.
type kind struct {
	Group          string
	Kind           string
	ServedVersions []string
	Schema         json.RawMessage
	ResetFields    map[string][][]string

	converter managedfields.TypeConverter
}

type kinds map[string]kind

func kindsOf(text []byte) kinds {
	var file struct {
		Definitions map[string]*spec.Schema
		Kinds       map[string]kind
	}
	check(json.Unmarshal(text, &file))
	known := kinds{}
	for name, k := range file.Kinds {
		models := map[string]*spec.Schema{}
		for definition, schema := range file.Definitions {
			models[definition] = schema
		}
		for _, version := range k.ServedVersions {
			model := &spec.Schema{}
			check(json.Unmarshal(k.Schema, model))
			model.AddExtension("x-kubernetes-group-version-kind", []any{
				map[string]any{"group": k.Group, "kind": k.Kind, "version": version},
			})
			models["vectors."+version] = model
		}
		converter, err := managedfields.NewTypeConverter(models, false)
		check(err)
		k.converter = converter
		known[name] = k
	}
	return known
}

func (k kind) reset(subresource string) map[fieldpath.APIVersion]fieldpath.Filter {
	set := fieldpath.NewSet()
	for _, names := range k.ResetFields[subresource] {
		path := fieldpath.Path{}
		for _, name := range names {
			path = append(path, fieldpath.PathElement{FieldName: &name})
		}
		set.Insert(path)
	}
	filters := map[fieldpath.APIVersion]fieldpath.Filter{}
	for _, version := range k.ServedVersions {
		filters[fieldpath.APIVersion(schema.GroupVersion{Group: k.Group, Version: version}.String())] =
			fieldpath.NewExcludeSetFilter(set)
	}
	return filters
}

func (k kind) ConvertToVersion(in runtime.Object, target runtime.GroupVersioner) (runtime.Object, error) {
	versions := []schema.GroupVersionKind{}
	for _, version := range k.ServedVersions {
		versions = append(versions, schema.GroupVersionKind{Group: k.Group, Version: version, Kind: k.Kind})
	}
	gvk, served := target.KindForGroupVersionKinds(versions)
	if !served {
		return nil, runtime.NewNotRegisteredErrForTarget("vectors", nil, target)
	}
	out := in.DeepCopyObject()
	out.GetObjectKind().SetGroupVersionKind(gvk)
	return out, nil
}

func (k kind) Convert(_, _, _ any) error { panic("not asked for") }

func (k kind) ConvertFieldLabel(_ schema.GroupVersionKind, _, _ string) (string, string, error) {
	panic("not asked for")
}

func (k kind) Default(runtime.Object) {}

func (k kind) New(gvk schema.GroupVersionKind) (runtime.Object, error) {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	object.SetGroupVersionKind(gvk)
	return object, nil
}
