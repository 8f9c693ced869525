/** ProjectSecretSource: naming a SharedSecret as the source of a ProjectSecret requires `get` on it. */
import {
  sameSource,
  secretSource,
  type SecretSource,
} from '../../../api/management.svc.example/secretsource.js';
import type { KubeObject } from '../../../api/resource.js';
import { fieldForbidden, forbidden, invalid, quote } from '../../apimachinery/errors.js';
import type { Authorizer } from '../../authorization/interface.js';
import { holderOf, type People } from '../standingrights/standing.js';
import type { AdmissionAttributes } from '../../registry/admission.js';
import { knownSource, mirrorRecordKey, mirrorRecordValue, readMirrorRecord } from './mirrorrecord.js';
import { secretData } from '../sharing/secretdata.js';
import { sameJson } from '../../registry/object/metadata.js';
import type { StoredRecord, Write } from '../../storage/interface.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { requestFor } from '../../apimachinery/attributes.js';
import { SharedSecret } from '../../../api/management.svc.example/v1/sharedsecret.js';

const GROUP = 'management.svc.example';
const DATA = 'the labels name a SharedSecret, whose data the server fills in';

export interface Reads {
  /** A cached SharedSecret. */
  find(source: SecretSource): KubeObject | undefined;
  /** Reads a private record from the store. */
  record(key: string): Promise<StoredRecord | undefined>;
}

/** The user by whose right the data are mirrored is recorded in the same commit. */
export function projectSecretSource(
  authorizer: Pick<Authorizer, 'authorize'>,
  people: People,
  { find, record }: Reads,
): AdmissionPlugin {
  async function demandGet({ definition, name, requester }: AdmissionAttributes, source: SecretSource) {
    if ((await authorizer.authorize(requester, requestFor('get', SharedSecret, source))).allowed) return;
    const what = `sharedsecrets.${GROUP} ${quote(source.name)} in namespace ${quote(source.namespace)}`;
    throw forbidden(definition, name, `User ${quote(requester.name)} cannot get ${what}`);
  }

  /** The write of the holder for a mirror with unchanged labels. */
  function refreshedHolder(
    { key, value: kept }: StoredRecord,
    requester: AdmissionAttributes['requester'],
  ): Write | undefined {
    const { of, holder: before, source } = readMirrorRecord(kept);
    // Only the holder's own writes refresh the record.
    if (before.name !== requester.name) return undefined;
    const holder = holderOf(requester, people, Date.now());
    const value = mirrorRecordValue({ of, holder, ...(source !== undefined && { source }) });
    return { key, value, expect: 'any' };
  }

  return {
    name: 'ProjectSecretSource',
    concerns: kindsOf(GROUP, 'ProjectSecret'),
    async validate(attributes, object, previous) {
      const { definition, subresource, namespace, name, requester } = attributes;
      // Controllers, such as the one that mirrors the data (pkg/management/projectsecrets/controller).
      if (subresource !== '' || object === undefined || requester.internal === true) return;
      const source = secretSource(object);
      if (source === undefined) return;
      if (bringsData(object, previous, source))
        throw invalid(definition, name, [fieldForbidden('spec.data', DATA)]);
      const key = mirrorRecordKey({ namespace, name });
      const isSame = previous !== undefined && sameSource(source, secretSource(previous));
      const stored = isSame ? await record(key) : undefined;
      if (stored !== undefined) {
        const write = refreshedHolder(stored, requester);
        return write && { writes: [write] };
      }
      await demandGet(attributes, source);
      const known = find(source);
      const holder = holderOf(requester, people, Date.now());
      const value = mirrorRecordValue({ of: source, holder, ...(known && { source: knownSource(known) }) });
      return { writes: [{ key, value, expect: 'any' }] };
    },
  };
}

/** Unchanged data may be sent back. */
function bringsData(object: KubeObject, previous: KubeObject | undefined, source: SecretSource): boolean {
  const data = secretData(object);
  if (Object.keys(data).length === 0) return false;
  if (previous === undefined || !sameSource(source, secretSource(previous))) return true;
  return !sameJson(data, secretData(previous));
}
