/** The kinds of the product that credentials and rights depend on, besides roles. */
import {
  anyChange,
  whenCreated,
  whenSpecChanged,
  type AccessResources,
} from '../server/revalidation/accessrevision.js';
import { KEY_RECORDS } from './accesskeys/keyrecord.js';

const GROUP = 'management.svc.example';

export const ACCESS_RESOURCES: AccessResources = {
  [`${GROUP}/users`]: whenSpecChanged,
  [`${GROUP}/teams`]: whenSpecChanged,
  [`${GROUP}/ownedaccesskeys`]: whenSpecChanged,
  [`${GROUP}/projects`]: whenSpecChanged,
  [`${GROUP}/directclusterendpointtokenrevocations`]: whenCreated,
  [KEY_RECORDS.resource]: anyChange,
};
