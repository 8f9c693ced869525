/** Authenticates keys of projects. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import { AUTHENTICATED } from '../../../authentication/groups.js';
import type { Authentication } from '../../../authentication/interface.js';
import { MANAGEMENT_AUTHENTICATED } from '../../people/identities/identities.js';
import type { Identities } from '../../people/identities/interface.js';
import { ACCESS_KEY, ACCESS_KEY_MADE_BY, MADE_BY_ANNOTATION } from '../names.js';
import { keyHolder } from '../owner.js';
import { isProjectOf, makerStands, projectKeysGroup, wholeProject } from './identity.js';

const refused = (message: string): Authentication => ({ outcome: 'refused', message });
const UNAUTHORIZED = refused('Unauthorized');
const PROJECT_GONE = refused('the project of the access key has been deleted');
const MAKER_GONE = refused('access key ended with the user who made it');

/** All groups of requests with a key of a project. */
export const projectKeyGroups = (project: string, clusterRole: string): string[] => [
  projectKeysGroup(project, clusterRole),
  MANAGEMENT_AUTHENTICATED,
  AUTHENTICATED,
];

/** `project`: the one of that name. */
export function projectKeyAnswer(
  key: OwnedAccessKey,
  project: Project | undefined,
  identities: Pick<Identities, 'user'>,
): Authentication {
  const { metadata, spec = {} } = key;
  if (metadata.deletionTimestamp !== undefined || (spec.type ?? 'User') !== 'User') return UNAUTHORIZED;
  if (!isProjectOf(key, project)) return PROJECT_GONE;
  if (!makerStands(key, identities)) return MAKER_GONE;
  const { name = '', uid = '', annotations = {} } = metadata;
  const { project: called = '', clusterRole = '', scope = wholeProject(called) } = spec;
  const madeBy = annotations[MADE_BY_ANNOTATION];
  const user = {
    name: keyHolder(key),
    uid,
    groups: projectKeyGroups(called, clusterRole),
    extra: { [ACCESS_KEY]: [name], ...(madeBy !== undefined && { [ACCESS_KEY_MADE_BY]: [madeBy] }) },
    credential: { accessKey: name },
    scope,
  };
  return { outcome: 'user', user };
}
