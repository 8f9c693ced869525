/** Nobody reads a SharedSecret through a ProjectSecret that could not read it: naming it takes `get` on it. */
import { sameSource, secretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import type { SecretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../api/resource.js';
import { fieldForbidden, forbidden, invalid, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { secretData } from '../../registry/management/secretdata.js';
import { sameJson } from '../../registry/metadata.js';
import type { AdmissionPlugin } from '../chain.js';

const GROUP = 'management.svc.example';
/** The controller that fills in the data (`pkg/controllers/secretsync`). */
const SYNC_USER = 'system:serviceaccount:kube-system:shared-secret-sync';
const DATA = 'the labels name a SharedSecret, whose data the server fills in';

export function projectSecretSource(authorizer: Pick<Authorizer, 'authorize'>): AdmissionPlugin {
  return {
    name: 'ProjectSecretSource',
    async validate({ definition, subresource, name, requester }, object, previous) {
      if (definition.group !== GROUP || definition.kind !== 'ProjectSecret') return;
      if (subresource !== '' || object === undefined || requester.name === SYNC_USER) return;
      const source = secretSource(object);
      if (source === undefined) return;
      if (bringsData(object, previous, source))
        throw invalid(definition, name, [fieldForbidden('spec.data', DATA)]);
      if (previous !== undefined && sameSource(source, secretSource(previous))) return;
      const asked = {
        kind: 'resource',
        verb: 'get',
        group: GROUP,
        version: 'v1',
        resource: 'sharedsecrets',
        subresource: '',
        ...source,
      } as const;
      if ((await authorizer.authorize(requester, asked)).allowed) return;
      const what = `sharedsecrets.${GROUP} ${quote(source.name)} in namespace ${quote(source.namespace)}`;
      throw forbidden(definition, name, `User ${quote(requester.name)} cannot get ${what}`);
    },
  };
}

/** Data that are there already may be sent back. */
function bringsData(object: KubeObject, previous: KubeObject | undefined, source: SecretSource): boolean {
  const data = secretData(object);
  if (Object.keys(data).length === 0) return false;
  if (previous === undefined || !sameSource(source, secretSource(previous))) return true;
  return !sameJson(data, secretData(previous));
}
