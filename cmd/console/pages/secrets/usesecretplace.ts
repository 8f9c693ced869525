import type { SecretPlace } from '../../client/commands/actioncommands.js';
import type { RowId } from '../../client/searchrows.js';
import { PROJECT_SECRETS } from '../../client/secrets.js';
import { projectOf, useNamespacePrefix } from '../../client/useprefix.js';

/** Tells where a secret is, as commands name it. */
export function usePlaceOf(): (secret: RowId) => SecretPlace {
  const prefix = useNamespacePrefix();
  return ({ resource, metadata: { namespace = '', name = '' } }) =>
    resource === PROJECT_SECRETS ? { name, project: projectOf(namespace, prefix) } : { name, namespace };
}

export const useSecretPlace = (secret: RowId): SecretPlace => usePlaceOf()(secret);
