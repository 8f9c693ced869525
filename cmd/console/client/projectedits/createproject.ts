import { createObject } from '../one.js';
import { PROJECTS } from '../projects.js';
import { limitOf } from './quotas.js';

/** `instances`: how many spaces and virtual clusters it may have; empty: any number. Rejects with ApiError. */
export const createProject = (name: string, displayName: string, instances: string): Promise<unknown> =>
  createObject(PROJECTS, '', {
    kind: 'Project',
    metadata: { name },
    spec: {
      ...(displayName !== '' && { displayName }),
      ...(instances !== '' && { quotas: { instances: limitOf(instances) } }),
    },
  });
