/** Empties deleted namespaces (`k8s.io/kubernetes/pkg/controller/namespace/deletion`). */
import { ignoring } from '../ignorederrors.js';
import type { Controller, ControllerContext, ResourceClient } from '../interface.js';
import { resourceOf } from '../interface.js';
import { targetOf } from '../target.js';
import { withConditions } from './conditions.js';
import { emptyNamespace } from './content.js';
import { Namespace } from '../../../api/core/v1/namespace.js';

const FINALIZER = 'kubernetes';
/** What waits for finalizers is looked at again when something goes, and after so long. */
const AGAIN_MS = 5_000;
/** Objects go one by one; so long after the first the rest is looked at. */
const SETTLE_MS = 50;

/** Empties deleted namespaces, says in their status what remains, and lets them go when nothing does. */
export const namespaceController: Controller = {
  name: 'namespace-controller',
  user: 'namespace-controller',
  workers: 10,
  start(context) {
    const { client, enqueue } = context;
    const namespaces = resourceOf(client, Namespace);
    const contents = client.resources.filter(({ definition }) => definition.namespaced);
    const terminating = new Set<string>();
    followAll(context, namespaces, contents, terminating);
    return {
      async reconcile(name) {
        const namespace = await namespaces.live('', name);
        if (namespace?.metadata.deletionTimestamp === undefined || !holds(namespace)) {
          terminating.delete(name);
          return;
        }
        terminating.add(name);
        const content = await emptyNamespace(client, contents, name);
        const target = targetOf(namespace);
        await ignoring(
          [404],
          namespaces.update({ ...target, subresource: 'status' }, (copy) => withConditions(copy, content)),
        );
        if (content.remaining.size > 0 || content.failures.length > 0) return enqueue(name, AGAIN_MS);
        await ignoring([404], namespaces.update({ ...target, subresource: 'finalize' }, released));
        terminating.delete(name);
      },
    };
  },
};

const finalizersOf = ({ spec }: Namespace): readonly string[] => spec?.finalizers ?? [];

/** Whoever holds it, what is in it goes: `finalized` there. */
const holds = (namespace: Namespace): boolean => finalizersOf(namespace).length > 0;

function released(namespace: Namespace): Namespace {
  const finalizers = finalizersOf(namespace).filter((finalizer) => finalizer !== FINALIZER);
  return { ...namespace, spec: finalizers.length === 0 ? {} : { finalizers } };
}

function followAll(
  { follow, enqueue }: ControllerContext,
  namespaces: ResourceClient<Namespace>,
  contents: readonly ResourceClient[],
  terminating: ReadonlySet<string>,
): void {
  const look = (namespace: { readonly name: string; object(): Namespace }): void => {
    if (namespace.object().metadata.deletionTimestamp !== undefined) enqueue(namespace.name);
  };
  follow(namespaces, {
    replaced() {
      for (const namespace of namespaces.list('')) look(namespace);
    },
    changed(namespace, previous) {
      // What this loop writes into the status is no news to it.
      if (previous?.object().metadata.deletionTimestamp === undefined) look(namespace);
    },
    deleted: () => undefined,
  });
  for (const resource of contents) {
    follow(resource, {
      replaced: () => undefined,
      changed: () => undefined,
      deleted({ namespace }) {
        if (terminating.has(namespace)) enqueue(namespace, SETTLE_MS);
      },
    });
  }
}
