/** Empties deleted namespaces (`k8s.io/kubernetes/pkg/controller/namespace/deletion`). */
import { clusterScoped } from '../../../api/resource.js';
import { ignoring } from '../ignorederrors.js';
import { resourceOf, type Controller, type ControllerContext, type ResourceClient } from '../interface.js';
import { targetOf } from '../target.js';
import { withConditions } from './conditions.js';
import { emptyNamespace } from './content.js';
import { Namespace } from '../../../api/core/v1/namespace.js';

const FINALIZER = 'kubernetes';
/** How often a namespace that waits for finalizers is checked again, besides deletions in it. */
const AGAIN_MS = 5_000;
/** The delay after the first of several deletions, before the rest is checked. */
const SETTLE_MS = 50;

/**
 * Empties deleted namespaces, writes the remaining content to their status, and removes the finalizer when it
 * is empty.
 */
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
        const namespace = await namespaces.live(clusterScoped(name));
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

/** The content is deleted whoever holds the namespace: `finalized` there. */
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
      // The controller's own status writes are ignored.
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
