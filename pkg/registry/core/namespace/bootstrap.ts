import { StatusError } from '../../../apimachinery/errors.js';
import { createObject } from '../../generic/create.js';
import type { ResourceStore } from '../../resourcestore.js';
import { loopbackOptions } from '../../loopback.js';

/** Namespaces that every server creates. */
const FIRST = ['default', 'kube-system', 'kube-public', 'management-system'];

const OPTIONS = loopbackOptions('apiserver');

/** Creates missing namespaces; another replica may do so concurrently. */
export async function bootstrapNamespaces(stores: readonly ResourceStore[]): Promise<void> {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  const missing = FIRST.filter((name) => namespaces?.cache.latest().get(name) === undefined);
  await Promise.all(missing.map((name) => createNamespace(stores, name)));
}

/** Ignores an existing namespace. Throws StatusError as `createObject`. */
export async function createNamespace(stores: readonly ResourceStore[], name: string): Promise<void> {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  if (namespaces === undefined) return;
  const object = { kind: 'Namespace', apiVersion: 'v1', metadata: { name } };
  namespaces.schema.applyDefaults(object);
  namespaces.strategy.applyDefaults?.(object);
  try {
    await createObject(namespaces, '', object, OPTIONS);
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 409) throw error;
  }
}
