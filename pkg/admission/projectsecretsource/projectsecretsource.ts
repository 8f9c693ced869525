/** Nobody reads a SharedSecret through a ProjectSecret that could not read it: naming it takes `get` on it. */
import { sameSource, secretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import type { SecretSource } from '../../../api/management.svc.example/v1/secretsource.js';
import type { KubeObject } from '../../../api/resource.js';
import { fieldForbidden, forbidden, invalid, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import type { People } from '../../authorization/standing/standing.js';
import { holderOf } from '../../authorization/standing/standing.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import type { KnownSource, MirrorRecord } from '../../registry/management/projectsecret/mirrorrecord.js';
import {
  knownSource,
  mirrorRecordKey,
  mirrorRecordValue,
  readMirrorRecord,
} from '../../registry/management/projectsecret/mirrorrecord.js';
import { secretData } from '../../registry/management/secretdata.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { StoredRecord } from '../../storage/interface.js';
import type { AdmissionPlugin } from '../chain.js';

const GROUP = 'management.svc.example';
const DATA = 'the labels name a SharedSecret, whose data the server fills in';

export interface Reads {
  /** A SharedSecret as it is known. */
  find(source: SecretSource): KubeObject | undefined;
  /** A private record, as the store has it. */
  record(key: string): Promise<StoredRecord | undefined>;
}

/** On whose right the mirror rests is recorded in the same commit. */
export function projectSecretSource(
  authorizer: Pick<Authorizer, 'authorize'>,
  people: People,
  { find, record }: Reads,
): AdmissionPlugin {
  async function demandGet({ definition, name, requester }: AdmissionAttributes, source: SecretSource) {
    const asked = {
      ...source,
      ...({ kind: 'resource', verb: 'get', group: GROUP, version: 'v1' } as const),
      ...{ resource: 'sharedsecrets', subresource: '' },
    } as const;
    if ((await authorizer.authorize(requester, asked)).allowed) return;
    const what = `sharedsecrets.${GROUP} ${quote(source.name)} in namespace ${quote(source.namespace)}`;
    throw forbidden(definition, name, `User ${quote(requester.name)} cannot get ${what}`);
  }

  /** Whether the mirror rests on the writer's right already: then who they are is noted anew, and nothing else. */
  async function isHolder({
    namespace,
    name,
    requester,
  }: AdmissionAttributes): Promise<MirrorRecord | undefined> {
    const stored = await record(mirrorRecordKey(namespace, name));
    const known = stored && readMirrorRecord(stored.value);
    return known?.holder.name === requester.name ? known : undefined;
  }

  return {
    name: 'ProjectSecretSource',
    async validate(attributes, object, previous) {
      const { definition, subresource, namespace, name, requester } = attributes;
      if (definition.group !== GROUP || definition.kind !== 'ProjectSecret') return;
      // The controller that fills in the data (pkg/controllers/secretsync) is one.
      if (subresource !== '' || object === undefined || requester.internal === true) return;
      const source = secretSource(object);
      if (source === undefined) return;
      if (bringsData(object, previous, source))
        throw invalid(definition, name, [fieldForbidden('spec.data', DATA)]);
      const isNew = previous === undefined || !sameSource(source, secretSource(previous));
      const before = isNew ? undefined : await isHolder(attributes);
      if (!isNew && before === undefined) return;
      if (isNew) await demandGet(attributes, source);
      const found = isNew ? knownIn(find(source)) : before?.source;
      const holder = holderOf(requester, people, Date.now());
      const value = mirrorRecordValue({ of: source, holder, ...(found !== undefined && { source: found }) });
      return { writes: [{ key: mirrorRecordKey(namespace, name), value, expect: 'any' }] };
    },
  };
}

const knownIn = (found: KubeObject | undefined): KnownSource | undefined => found && knownSource(found);

/** Data that are there already may be sent back. */
function bringsData(object: KubeObject, previous: KubeObject | undefined, source: SecretSource): boolean {
  const data = secretData(object);
  if (Object.keys(data).length === 0) return false;
  if (previous === undefined || !sameSource(source, secretSource(previous))) return true;
  return !sameJson(data, secretData(previous));
}
