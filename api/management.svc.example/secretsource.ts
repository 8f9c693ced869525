/** Which SharedSecret a ProjectSecret has its data from. */
import type { KubeObject } from '../resource.js';

/** Labels of a ProjectSecret that name the SharedSecret; one takes the other. */
export const SOURCE_NAME = 'management.svc.example/sharedsecret-name';
export const SOURCE_NAMESPACE = 'management.svc.example/sharedsecret-namespace';

/** Label of a Secret in a cluster: the ProjectSecret, of the project that the space or virtual cluster is in. */
export const PROJECT_SECRET_NAME = 'management.svc.example/projectsecret-name';
/** Annotation of a Secret in a cluster, by the server: how its data are, such as `Synced`. */
export const SYNC_STATUS = 'management.svc.example/sync-status';

/** A SharedSecret. */
export interface SecretSource {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined: the data of the ProjectSecret are its own. */
export function secretSource({ metadata }: Pick<KubeObject, 'metadata'>): SecretSource | undefined {
  const { [SOURCE_NAME]: name = '', [SOURCE_NAMESPACE]: namespace = '' } = metadata.labels ?? {};
  return name === '' || namespace === '' ? undefined : { namespace, name };
}

export function sameSource(a: SecretSource | undefined, b: SecretSource | undefined): boolean {
  return a?.name === b?.name && a?.namespace === b?.namespace;
}
