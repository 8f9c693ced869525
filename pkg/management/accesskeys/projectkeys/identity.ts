/** Keys of a project: who they are in requests, and in whose place they are. */
import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../../../api/management.svc.example/v1/project.js';
import type { OwnerReference } from '../../../../api/resource.js';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';

/** No User or Team has such a name, as names of objects have no colon. */
const USER = /^management:project:([^:]+):key:([^:]+)$/;
const GROUP = /^management:project:([^:]+):([^:]+)$/;
export const API_VERSION = 'management.svc.example/v1';

/** The user name of requests with a key of a project. */
export const projectKeyUser = (project: string, key: string): string =>
  `management:project:${project}:key:${key}`;

/** The group of the keys of a project that have a role in it. */
export const projectKeysGroup = (project: string, clusterRole: string): string =>
  `management:project:${project}:${clusterRole}`;

export const isProjectKeysGroup = (group: string): boolean => GROUP.test(group);

/** The project and the key of a user name; undefined: it is somebody else's. */
export function projectKeyOf(user: string): { readonly project: string; readonly key: string } | undefined {
  const [, project, key] = USER.exec(user) ?? [];
  return project === undefined || key === undefined ? undefined : { project, key };
}

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
