import type { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';

/** What a key of a project is. */
export interface KeyPlace {
  readonly project: string;
  readonly clusterRole: string;
}

export interface NewPlace extends KeyPlace {
  readonly endsWithMaker: boolean;
}

/** Undefined for a key of a user or a team. */
export function placeOf({
  project = '',
  clusterRole = '',
}: NonNullable<OwnedAccessKey['spec']>): KeyPlace | undefined {
  return project === '' ? undefined : { project, clusterRole };
}
