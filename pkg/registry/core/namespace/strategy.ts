import type { Namespace } from '../../../../api/core/v1/namespace.js';
import type { KubeObject } from '../../../../api/resource.js';
import { conflict, fieldInvalid, forbidden, type FieldError } from '../../../apimachinery/errors.js';
import { humanAge } from '../../../apimachinery/table.js';
import {
  validateBuiltInFinalizers,
  validateFinalizers,
} from '../../../apimachinery/validation/finalizers.js';
import type { Strategy } from '../../strategy.js';
import { ageColumn } from '../../object/columns.js';

/** Namespaces that cannot be deleted. */
const PROTECTED = ['default', 'kube-system', 'kube-public', 'management-system'];
const NAMESPACES = { group: '', plural: 'namespaces' };
const NAME_LABEL = 'kubernetes.io/metadata.name';

function name(namespace: KubeObject): void {
  const { metadata } = namespace;
  metadata.labels = { ...metadata.labels, [NAME_LABEL]: metadata.name ?? '' };
}

/** Like Kubernetes, reports the index of a finalizer in an update, but not in a create. */
function finalizerErrors(object: Namespace, pathOf: (index: number) => string): FieldError[] {
  const { finalizers = [] } = object.spec ?? {};
  return finalizers.flatMap((finalizer, index) => {
    const path = pathOf(index);
    const own = validateBuiltInFinalizers([finalizer], path).map((error) => ({ ...error, path }));
    return [...validateFinalizers([finalizer], path), ...own];
  });
}

/** Namespaces have their name as a label and a finalizer of their own, and are Terminating once deleted. */
export const namespaceStrategy: Strategy<Namespace> = {
  generation: false,
  columns: [
    {
      name: 'Status',
      type: 'string',
      format: '',
      description: 'The status of the namespace',
      priority: 0,
      cell: (object) => object.status?.phase ?? '',
    },
    ageColumn(humanAge),
  ],
  applyDefaults(object) {
    if ((object.metadata.name ?? '') !== '') name(object);
  },
  prepareForCreate(object) {
    object.status = { phase: 'Active' };
    const finalizers = object.spec?.finalizers ?? [];
    object.spec = {
      finalizers: finalizers.includes('kubernetes') ? finalizers : [...finalizers, 'kubernetes'],
    };
    name(object);
  },
  prepareForUpdate(next, previous, { subresource }) {
    if (subresource !== 'finalize') next.spec = structuredClone(previous.spec);
    name(next);
  },
  validateCreate: (object) => finalizerErrors(object, () => 'spec.finalizers'),
  validateUpdate(next) {
    const finalizers = finalizerErrors(next, (index) => `spec.finalizers[${index}]`);
    const { phase = '' } = next.status ?? {};
    const [expected, state] =
      next.metadata.deletionTimestamp === undefined ? ['Active', 'empty'] : ['Terminating', 'not empty'];
    if (phase === expected) return finalizers;
    const text = `may only be '${expected}' if \`deletionTimestamp\` is ${state}`;
    return [...finalizers, fieldInvalid('status.Phase', phase, text)];
  },
  preconditionFailed: (name, which, wanted, found) =>
    conflict(
      NAMESPACES,
      name,
      `Precondition failed: ${which} in precondition: ${wanted}, ${which} in object meta: ${found}`,
    ),
  prepareForDelete(object) {
    object.status = { ...object.status, phase: 'Terminating' };
  },
  holds: (object) => (object.spec?.finalizers ?? []).length > 0,
  checkDelete(name) {
    if (!PROTECTED.includes(name)) return;
    throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
  },
};
