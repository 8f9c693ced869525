import { StatusError } from '../../../apimachinery/errors.js';
import { createObject } from '../../generic/create.js';
import type { ResourceStore } from '../../generic/resourcestore.js';
import { loopbackOptions } from '../../loopback.js';

/** Namespaces that exist from the start. */
const FIRST = ['default', 'kube-system', 'kube-public', 'management-system'];

const OPTIONS = loopbackOptions('apiserver');

/** Creates the namespaces that every server has; another replica may have done so. */
export async function bootstrapNamespaces(stores: readonly ResourceStore[]): Promise<void> {
  const namespaces = stores.find(({ definition }) => definition.kind === 'Namespace');
  const missing = FIRST.filter((name) => namespaces?.cache.latest().get(name) === undefined);
  await Promise.all(missing.map((name) => createNamespace(stores, name)));
}

/** Fine where there is one of that name. Throws StatusError as `createObject`. */
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
