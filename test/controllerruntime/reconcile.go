package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	metav1ac "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const (
	ownLabel  = "example.com/made-by"
	finalizer = "example.com/secretmirror"
	// While this annotation is on a SharedSecret, its finalizer stays.
	keepAnnotation = "example.com/keep"
)

type mirror struct {
	client.Client
	scheme   *runtime.Scheme
	recorder events.EventRecorder
}

func (m *mirror) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var secret SharedSecret
	if err := m.Get(ctx, request.NamespacedName, &secret); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !secret.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, client.IgnoreNotFound(m.letGo(ctx, &secret))
	}
	for _, step := range []func(context.Context, *SharedSecret) error{m.hold, m.writeKeys, m.applyChecksum, m.report} {
		if err := step(ctx, &secret); err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}

func (m *mirror) hold(ctx context.Context, secret *SharedSecret) error {
	before := secret.copied()
	if !controllerutil.AddFinalizer(secret, finalizer) {
		return nil
	}
	return m.Patch(ctx, secret, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
}

func (m *mirror) letGo(ctx context.Context, secret *SharedSecret) error {
	before := secret.copied()
	if _, keep := secret.Annotations[keepAnnotation]; keep || !controllerutil.RemoveFinalizer(secret, finalizer) {
		return nil
	}
	return m.Patch(ctx, secret, client.MergeFrom(before))
}

// writeKeys gets, creates and updates.
func (m *mirror) writeKeys(ctx context.Context, secret *SharedSecret) error {
	keys := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name + "-keys"}}
	done, err := controllerutil.CreateOrUpdate(ctx, m.Client, keys, func() error {
		keys.Labels = map[string]string{ownLabel: name}
		keys.Data = map[string]string{"keys": strings.Join(slices.Sorted(maps.Keys(secret.Spec.Data)), ",")}
		return controllerutil.SetControllerReference(secret, keys, m.scheme)
	})
	if err == nil && done != controllerutil.OperationResultNone {
		m.recorder.Eventf(secret, keys, corev1.EventTypeNormal, "Mirrored", "Write", "ConfigMap %s %s", keys.Name, done)
	}
	return err
}

// applyChecksum is a server-side apply.
func (m *mirror) applyChecksum(ctx context.Context, secret *SharedSecret) error {
	hash := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(secret.Spec.Data)) {
		hash.Write([]byte(key))
		hash.Write(secret.Spec.Data[key])
	}
	wanted := corev1ac.Secret(secret.Name+"-checksum", secret.Namespace).
		WithLabels(map[string]string{ownLabel: name}).
		WithData(map[string][]byte{"sha256": []byte(hex.EncodeToString(hash.Sum(nil)))}).
		WithOwnerReferences(metav1ac.OwnerReference().
			WithAPIVersion("management.svc.example/v1").WithKind("SharedSecret").
			WithName(secret.Name).WithUID(secret.UID).WithController(true).WithBlockOwnerDeletion(true))
	return m.Apply(ctx, wanted, client.FieldOwner(name), client.ForceOwnership)
}

// report patches the status.
func (m *mirror) report(ctx context.Context, secret *SharedSecret) error {
	before := secret.copied()
	changed := meta.SetStatusCondition(&secret.Status.Conditions, metav1.Condition{
		Type:               "Mirrored",
		Status:             metav1.ConditionTrue,
		Reason:             "Written",
		Message:            "its keys are in " + secret.Name + "-keys",
		ObservedGeneration: secret.Generation,
	})
	if !changed {
		return nil
	}
	return m.Status().Patch(ctx, secret, client.MergeFrom(before))
}
