/** The kinds with secret data, and the size of the data. */
import type { KubeObject, ResourceDefinition } from '../../../api/resource.js';
import { dataBytes, secretData, type SecretData } from './secretdata.js';

const GROUP = 'management.svc.example';

type Named = Pick<ResourceDefinition, 'group' | 'plural'>;

const isCoreSecret = ({ group, plural }: Named): boolean => group === '' && plural === 'secrets';

export function isSecretKind(definition: Named): boolean {
  if (isCoreSecret(definition)) return true;
  return definition.group === GROUP && ['sharedsecrets', 'projectsecrets'].includes(definition.plural);
}

/** The size of all decoded values of a secret. */
export function secretBytes(definition: Named, object: MaybeSecret): number {
  return dataBytes(isCoreSecret(definition) ? (object.data ?? {}) : secretData(object));
}

/** `data`: of secrets of the core group. */
interface MaybeSecret extends KubeObject {
  readonly data?: SecretData;
}
