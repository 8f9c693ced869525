/** The owner of an access key. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { projectKeyUser, TEAM_GROUP } from '../sharing/rights.js';

type Spec = NonNullable<OwnedAccessKey['spec']>;

const OWNERS = ['user', 'team', 'subject', 'project'] as const;

/** Returns `next`, with the owner of `before` if it names none: a key never loses its owner. */
export function preserveOwner(next: Spec = {}, before: Spec = {}): Spec {
  if (OWNERS.some((member) => (next[member] ?? '') !== '')) return next;
  const owner = OWNERS.filter((member) => before[member] !== undefined);
  return { ...next, ...Object.fromEntries(owner.map((member) => [member, before[member]])) };
}

/** The user name of requests with the key. */
export function keyHolder({ metadata, spec = {} }: Pick<OwnedAccessKey, 'metadata' | 'spec'>): string {
  const { user = '', team = '', subject = '', project = '' } = spec;
  if (project !== '') return projectKeyUser(project, metadata.name ?? '');
  return user || (team === '' ? subject : TEAM_GROUP + team);
}
