/** A space or virtual cluster, as addresses name it. */
type DirectStep = 'space' | 'virtualcluster';

/** Where the Kubernetes API of one is: at the agent of its cluster, and at the management API, which asks that agent. */
export const directPath = (project: string, step: DirectStep, name: string): string =>
  `/kubernetes/project/${encodeURIComponent(project)}/${step}/${encodeURIComponent(name)}`;
