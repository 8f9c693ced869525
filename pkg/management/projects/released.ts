import type { KubeObject } from '../../../api/resource.js';
import { PROJECT_HELD_ANNOTATION, PROJECT_UID_ANNOTATION } from './names.js';

/** Annotations of the namespace of an existing project. */
export const heldBy = (uid: string): Readonly<Record<string, string>> => ({
  [PROJECT_UID_ANNOTATION]: uid,
  [PROJECT_HELD_ANNOTATION]: 'true',
});

const GROUP = 'management.svc.example/';

/** The uid of a namespace's project, as any release wrote it; undefined if there is none. */
export function projectUidOf({
  metadata: { annotations, ownerReferences = [] },
}: KubeObject): string | undefined {
  const owner = ownerReferences.find(
    ({ apiVersion, kind }) => apiVersion.startsWith(GROUP) && kind === 'Project',
  );
  return annotations?.[PROJECT_UID_ANNOTATION] ?? owner?.uid;
}

/**
 * Converts a project's namespace of an older release: replaces owner references to our kinds by annotations.
 * Undefined if it has none.
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
