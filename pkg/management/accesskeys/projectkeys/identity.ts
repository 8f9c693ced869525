/** Keys of a project: who they are in requests, and in whose place they are. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { OwnerReference } from '../../../../api/resource.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import type { Identities } from '../../people/identities/interface.js';

const GROUP = /^management:project:([^:]+):([^:]+)$/;
export const API_VERSION = 'management.svc.example/v1';

/** The group of the keys of a project that have a role in it. */
export const projectKeysGroup = (project: string, clusterRole: string): string =>
  `management:project:${project}:${clusterRole}`;

export const isProjectKeysGroup = (group: string): boolean => GROUP.test(group);

/** The scope of a key of a project that has none of its own: the whole project, and what the CLI needs. */
export const wholeProject = (project: string): Scope => ({
  allowPlatformCli: true,
  projects: [{ project }],
});

type Key = Pick<OwnedAccessKey, 'metadata' | 'spec'>;

/** The reference of a key of a project to its Project, or to the User who made it. */
export const referenceTo = (kind: 'Project' | 'User', { metadata }: Key): OwnerReference | undefined =>
  metadata.ownerReferences?.find((one) => one.apiVersion === API_VERSION && one.kind === kind);

/** Whether a project is the one that the key was made in, and not being deleted. */
export const isProjectOf = (key: Key, project: Pick<Project, 'metadata'> | undefined): boolean =>
  project !== undefined &&
  project.metadata.deletionTimestamp === undefined &&
  referenceTo('Project', key)?.uid === project.metadata.uid;

/**
 * Whether the User with whom the key ends is there; true for a key that ends with nobody. Another User of that name is
 * not the one who made the key.
 */
export function makerStands(key: Key, identities: Pick<Identities, 'user'>): boolean {
  if (key.spec?.endsWithMaker !== true) return true;
  const maker = referenceTo('User', key);
  const known = identities.user(maker?.name ?? '');
  return known !== undefined && known.uid === maker?.uid && !known.disabled;
}
