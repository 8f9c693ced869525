import type { KubeObject } from '../../../api/resource.js';
import { PROJECT_HELD_ANNOTATION, PROJECT_UID_ANNOTATION } from './names.js';

/** Annotations of the namespace of a project that exists. */
export const heldBy = (uid: string): Readonly<Record<string, string>> => ({
  [PROJECT_UID_ANNOTATION]: uid,
  [PROJECT_HELD_ANNOTATION]: 'true',
});

const GROUP = 'management.svc.example/';

/** The uid of the project that a namespace is of, whoever wrote it; undefined where nothing tells. */
export function projectUidOf({
  metadata: { annotations, ownerReferences = [] },
}: KubeObject): string | undefined {
  const owner = ownerReferences.find(
    ({ apiVersion, kind }) => apiVersion.startsWith(GROUP) && kind === 'Project',
  );
  return annotations?.[PROJECT_UID_ANNOTATION] ?? owner?.uid;
}

/**
 * The namespace of a project without owners of ours, as earlier releases named them, and with the annotations that say
 * instead whose it is. Undefined: it has no such owner.
 */
export function withoutProjectOwners(namespace: KubeObject): KubeObject | undefined {
  const { ownerReferences = [], annotations = {} } = namespace.metadata;
  const ours = ownerReferences.filter(({ apiVersion }) => apiVersion.startsWith(GROUP));
  const project = ours.find(({ kind }) => kind === 'Project');
  if (ours.length === 0) return undefined;
  return {
    ...namespace,
    metadata: {
      ...namespace.metadata,
      annotations: {
        ...(project !== undefined && heldBy(project.uid)),
        ...annotations,
      },
      ownerReferences: ownerReferences.filter((one) => !ours.includes(one)),
    },
  };
}
