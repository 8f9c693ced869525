/** Which SharedSecret a ProjectSecret has its data from. */
import type { KubeObject } from '../../resource.js';

/** Labels of a ProjectSecret that name the SharedSecret; one takes the other. */
export const SOURCE_NAME = 'management.svc.example/sharedsecret-name';
export const SOURCE_NAMESPACE = 'management.svc.example/sharedsecret-namespace';

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
