package main

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// SharedSecret is as much of the kind as this program uses.
type SharedSecret struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              SharedSecretSpec   `json:"spec,omitempty"`
	Status            SharedSecretStatus `json:"status,omitempty"`
}

type SharedSecretSpec struct {
	DisplayName string            `json:"displayName,omitempty"`
	Data        map[string][]byte `json:"data,omitempty"`
}

type SharedSecretStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

type SharedSecretList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []SharedSecret `json:"items"`
}

func addSharedSecret(scheme *runtime.Scheme) {
	version := schema.GroupVersion{Group: "management.svc.example", Version: "v1"}
	scheme.AddKnownTypes(version, &SharedSecret{}, &SharedSecretList{})
	metav1.AddToGroupVersion(scheme, version)
}

func (s *SharedSecret) DeepCopyObject() runtime.Object {
	return s.copied()
}

func (s *SharedSecret) copied() *SharedSecret {
	out := &SharedSecret{TypeMeta: s.TypeMeta, Spec: s.Spec}
	s.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	out.Spec.Data = maps.Clone(s.Spec.Data)
	for key, value := range out.Spec.Data {
		out.Spec.Data[key] = slices.Clone(value)
	}
	out.Status.Conditions = slices.Clone(s.Status.Conditions)
	return out
}

func (l *SharedSecretList) DeepCopyObject() runtime.Object {
	out := &SharedSecretList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].copied())
	}
	return out
}
