/** The resources of the server in which dependents may be left. */
import { MANAGEMENT } from '../paths.js';
import { send } from '../request.js';
import { ApiError } from '../status.js';

export interface Resource {
  /** The path of its group and version, `/apis/<group>/<version>`. */
  readonly group: string;
  readonly resource: string;
  readonly namespaced: boolean;
}

export interface Resources {
  readonly resources: readonly Resource[];
  /** Groups that the server does not serve, or that the user may not discover. */
  readonly refused: readonly string[];
}

const GROUPS = [MANAGEMENT, '/api/v1', '/apis/rbac.authorization.k8s.io/v1'];

interface Answer {
  readonly resources: readonly {
    readonly name: string;
    readonly namespaced: boolean;
    readonly verbs: readonly string[];
  }[];
}

/** The resources that can be listed and watched. Rejects with ApiError. */
export async function readResources(signal: AbortSignal): Promise<Resources> {
  const refused: string[] = [];
  const groups = GROUPS.map(async (group): Promise<Resource[]> => {
    try {
      const { resources } = await send<Answer>('GET', group, { signal });
      return resources
        .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list') && verbs.includes('watch'))
        .map(({ name, namespaced }) => ({ group, resource: name, namespaced }));
    } catch (error) {
      if (!(error instanceof ApiError && [403, 404].includes(error.code))) throw error;
      refused.push(group);
      return [];
    }
  });
  return { resources: (await Promise.all(groups)).flat(), refused };
}
