import type { KubeObject } from '../../../api/resource.js';

/** Label of a project's namespace: the project. */
export const PROJECT_LABEL = 'management.svc.example/project';
/** Label of a namespace: its Pod Security level. */
const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
/**
 * Labels of new namespaces of projects and spaces in which Pods may run. An administrator of the cluster may change
 * the level.
 */
export const POD_SECURITY_LABELS: Readonly<Record<string, string>> = { [ENFORCE_LABEL]: 'baseline' };
/** Annotation of a project's namespace: the uid of its project. */
export const PROJECT_UID_ANNOTATION = 'management.svc.example/project-uid';
/**
 * Annotation of a project's namespace: `true` once the project exists. Without it, an interrupted create may have
 * left the namespace.
 */
export const PROJECT_HELD_ANNOTATION = 'management.svc.example/project-held';
/** Annotation of an imported instance: `true`. */
export const IMPORTED_ANNOTATION = 'management.svc.example/is-imported';
/** Annotation of a moved instance: its previous `<namespace>/<name>`. */
export const MOVED_FROM_ANNOTATION = 'management.svc.example/moved-from';
/** Finalizer of a space, removed after its namespace in the cluster; it is set before the namespace exists. */
export const SPACE_FINALIZER = 'management.svc.example/space';
/** Finalizer of a ProjectSecret, removed after its Secrets in connected clusters. */
export const SYNC_FINALIZER = 'management.svc.example/secret-sync';
/** Finalizer of a project, removed after its namespace. */
export const PROJECT_FINALIZER = 'management.svc.example/project-namespace';

/** Annotations of the namespace of an existing project. */
export const heldBy = (uid: string): Readonly<Record<string, string>> => ({
  [PROJECT_UID_ANNOTATION]: uid,
  [PROJECT_HELD_ANNOTATION]: 'true',
});

/** The uid of a namespace's project; undefined if there is none. */
export const projectUidOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.annotations?.[PROJECT_UID_ANNOTATION];

/** The namespace of a project. `prefix`: that of all projects' namespaces. */
export const projectNamespace = (prefix: string, project: string): string => prefix + project;

/** The project of a namespace, by its name only; undefined for other namespaces. */
export function projectOfNamespace(prefix: string, namespace: string): string | undefined {
  return namespace.startsWith(prefix) && namespace.length > prefix.length
    ? namespace.slice(prefix.length)
    : undefined;
}
