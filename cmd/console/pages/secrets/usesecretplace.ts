import type { SecretPlace } from '../../client/commands/actioncommands.js';
import { PROJECT_SECRETS, type SecretRef } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';

/** Where a secret is, as commands name it. */
export function useSecretPlace({ resource, metadata }: SecretRef): SecretPlace {
  const { namespace = '', name = '' } = metadata;
  const project = projectOf(namespace, useNamespacePrefix());
  return resource === PROJECT_SECRETS ? { name, project } : { name, namespace };
}
