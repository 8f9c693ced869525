/** Label of a project's namespace: the name of the project. */
export const PROJECT_LABEL = 'management.svc.example/project';
/** Label of a namespace: the level of Pod Security that holds in it. */
const ENFORCE_LABEL = 'pod-security.kubernetes.io/enforce';
/** What namespaces of projects and spaces are made with where Pods may run in them: an administrator of the cluster may raise or lower it. */
export const POD_SECURITY_LABELS: Readonly<Record<string, string>> = { [ENFORCE_LABEL]: 'baseline' };
/** Annotation of a project's namespace: the uid of the project that it was made for. */
export const PROJECT_UID_ANNOTATION = 'management.svc.example/project-uid';
/** Annotation of a project's namespace once that project exists: `true`. Without it, a commit that was cut off may have left it. */
export const PROJECT_HELD_ANNOTATION = 'management.svc.example/project-held';
/** Annotation of an instance of what was in its cluster before: `true`. */
export const IMPORTED_ANNOTATION = 'management.svc.example/is-imported';
/** Annotation of an instance that was moved: where it was before, `<namespace>/<name>`. */
export const MOVED_FROM_ANNOTATION = 'management.svc.example/moved-from';
/** Holds a space until its namespace in the cluster is gone; it is there before the namespace is. */
export const SPACE_FINALIZER = 'management.svc.example/space';
/** Holds a ProjectSecret until its Secrets in connected clusters are gone. */
export const SYNC_FINALIZER = 'management.svc.example/secret-sync';
/** Holds a project until its namespace is gone. */
export const PROJECT_FINALIZER = 'management.svc.example/project-namespace';

/** The namespace of a project. `prefix`: what the namespaces of projects begin with. */
export const projectNamespace = (prefix: string, project: string): string => prefix + project;

/** The project that a namespace would be of, whether or not there is one; undefined for other namespaces. */
export function projectOfNamespace(prefix: string, namespace: string): string | undefined {
  return namespace.startsWith(prefix) && namespace.length > prefix.length
    ? namespace.slice(prefix.length)
    : undefined;
}
