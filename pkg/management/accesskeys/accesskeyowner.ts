/** AccessKeyOwner: sets the creator as the default owner of an access key, which is garbage-collected with its owner. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, type OwnerReference } from '../../../api/resource.js';
import type { Identities } from '../people/identities/interface.js';
import { teamGroup } from '../people/identities/identities.js';
import { quote } from '../../apimachinery/errors.js';
import { preserveOwner } from './owner.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';

const GROUP = 'management.svc.example';
const API_VERSION = `${GROUP}/v1`;
const TEAM = teamGroup('');

export function accessKeyOwner(identities: Identities): AdmissionPlugin {
  return {
    name: 'AccessKeyOwner',
    concerns: kindsOf(GROUP, 'OwnedAccessKey'),
    async mutate({ operation, subresource, requester, warn }, object, previous) {
      if (subresource !== '') return;
      const key = asKind(OwnedAccessKey, object);
      if (operation === 'CREATE') {
        key.spec = withOwner(key.spec ?? {}, requester.name);
        const { user = '', team = '' } = key.spec;
        if (`${user}${team}` !== '' && ownerOf(key.spec, identities) === undefined)
          warn?.(
            `spec: there is no ${user === '' ? `Team ${quote(team)}` : `User ${quote(user)}`}: until there is one, the key gives no access`,
          );
      }
      const before = asKind(OwnedAccessKey, previous);
      const spec = preserveOwner(key.spec, before?.spec);
      if ((spec.project ?? '') === '') refer(key, spec, identities);
    },
  };
}

type Spec = NonNullable<OwnedAccessKey['spec']>;

/** Requests with a team's key have the user name `management:team:<team>`. */
function withOwner(spec: Spec, requester: string): Spec {
  if (`${spec.user ?? ''}${spec.team ?? ''}${spec.subject ?? ''}${spec.project ?? ''}` !== '') return spec;
  if (requester.startsWith(TEAM)) return { ...spec, team: requester.slice(TEAM.length) };
  return { ...spec, user: requester };
}

/** Sets an owner reference to the current User or Team, and removes those to others. */
function refer({ metadata }: OwnedAccessKey, spec: Spec, identities: Identities): void {
  const wanted = ownerOf(spec, identities);
  const before = metadata.ownerReferences ?? [];
  const others = before.filter(
    ({ apiVersion, kind, name }) =>
      apiVersion !== API_VERSION || (kind !== 'User' && kind !== 'Team') || isOwner(spec, kind, name),
  );
  const isThere = wanted === undefined || others.some(({ uid }) => uid === wanted.uid);
  if (isThere && others.length === before.length) return;
  const next = isThere ? others : [...others.filter(({ kind }) => kind !== wanted.kind), wanted];
  if (next.length > 0) metadata.ownerReferences = next;
  else delete metadata.ownerReferences;
}

const isOwner = ({ user, team }: Spec, kind: string, name: string): boolean =>
  name === (kind === 'User' ? user : team);

function ownerOf({ user = '', team = '' }: Spec, identities: Identities): OwnerReference | undefined {
  const [kind, name] = user === '' ? (['Team', team] as const) : (['User', user] as const);
  const known = kind === 'User' ? identities.user(name) : identities.team(name);
  // The collector may drop the reference to an owner that is being deleted.
  if (known === undefined || ('ends' in known && known.ends)) return undefined;
  return { apiVersion: API_VERSION, kind, name, uid: known.uid };
}
