/** The kinds of the product that credentials and rights depend on, besides roles. */
import {
  anyChange,
  whenCreated,
  whenSpecChanged,
  type AccessResources,
  type MayRevoke,
} from '../server/revalidation/accessrevision.js';
import { User } from '../../api/management.svc.example/v1/user.js';
import { asKind, type KubeObject } from '../../api/resource.js';
import { sameJson } from '../registry/object/metadata.js';
import { meaningOf } from './grouprules/login.js';
import { KEY_RECORDS } from './accesskeys/keyrecord.js';

const GROUP = 'management.svc.example';

/** What group rules are judged by. */
const changesLogin: MayRevoke = ({ deleted, previous, entry }) => {
  const loginOf = (object: KubeObject): unknown => meaningOf(asKind(User, object).status?.login);
  return !deleted && previous !== undefined && !sameJson(loginOf(previous.object()), loginOf(entry.object()));
};

export const ACCESS_RESOURCES: AccessResources = {
  [`${GROUP}/users`]: (event) => whenSpecChanged(event) || changesLogin(event),
  [`${GROUP}/grouprules`]: whenSpecChanged,
  [`${GROUP}/teams`]: whenSpecChanged,
  [`${GROUP}/ownedaccesskeys`]: whenSpecChanged,
  [`${GROUP}/projects`]: whenSpecChanged,
  [`${GROUP}/directclusterendpointtokenrevocations`]: whenCreated,
  [KEY_RECORDS.resource]: anyChange,
};
