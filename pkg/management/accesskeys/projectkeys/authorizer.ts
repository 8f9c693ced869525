/** The rights on keys of a project: of those who may change the project itself, and with it its members. */
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { asKind } from '../../../../api/resource.js';
import type { Decision, KindAttributes, ResourceAttributes } from '../../../authorization/interface.js';
import type { ResourceCache } from '../../../cache/interface.js';
import { objectIndex, type ObjectIndex } from '../../../cache/watch/objectindex.js';
import type { ObjectRightsAuthorizer } from '../../sharing/objectrights/authorizer.js';
import { projectKeyOf, READ_BY_MEMBERS } from '../../sharing/rights.js';
import { ownWay, type LocatingAuthorizer, type Way, type Ways } from '../../subjectlocator.js';
import { isProjectKeysGroup, projectKeysGroup } from './identity.js';
import { requestFor } from '../../../apimachinery/attributes.js';

const VERBS: readonly string[] = ['get', 'update', 'patch', 'delete'];
const DENIED: Decision = { allowed: false, reason: '' };

/** The keys of projects: the project of each, found by the project and by the group that its requests are in. */
export const projectKeyIndex = (keys: ResourceCache<OwnedAccessKey>): ObjectIndex<string> =>
  objectIndex([keys], (object) => {
    const { project = '', clusterRole = '' } = asKind(OwnedAccessKey, object).spec ?? {};
    if (project === '') return undefined;
    return { keys: [project, projectKeysGroup(project, clusterRole)], value: project };
  });

/** The right that the rights on the keys of a project follow. */
const changing = (name: string): ResourceAttributes => requestFor('update', Project, { name });

const isAboutKeys = ({ group, resource, subresource, verb }: KindAttributes): boolean =>
  group === OwnedAccessKey.group &&
  resource === OwnedAccessKey.plural &&
  VERBS.includes(verb) &&
  (subresource === '' || (verb === 'get' && subresource === 'status'));

/** As members may. */
const readsProject = ({ group, resource, subresource, verb }: KindAttributes): boolean =>
  group === Project.group &&
  resource === Project.plural &&
  verb === 'get' &&
  (subresource === '' || READ_BY_MEMBERS.projects?.includes(subresource) === true);

/**
 * Keys of a project may read the project. Who may change the project may change its keys: decided by its owner and its
 * access rules, as those alone tell whose lists of keys have changed. Admission checks what a write gives.
 */
export function projectKeysAuthorizer(
  index: ObjectIndex<string>,
  projects: ObjectRightsAuthorizer,
): LocatingAuthorizer {
  return {
    authorize(user, asked) {
      if (asked.kind !== 'resource' || asked.name === '') return DENIED;
      if (readsProject(asked))
        return projectKeyOf(user.name)?.project === asked.name ? { allowed: true } : DENIED;
      if (!isAboutKeys(asked)) return DENIED;
      const project = index.get(asked.name);
      return project === undefined ? DENIED : projects.authorize(user, changing(project));
    },
    visible(user, asked) {
      const { project: own } = readsProject(asked) ? (projectKeyOf(user.name) ?? {}) : {};
      if (own !== undefined) return { objects: 'names', names: new Set([own]) };
      const seen = isAboutKeys(asked) ? projects.visible(user, changing('')) : undefined;
      if (seen?.objects !== 'names') return { objects: 'none' };
      const names = new Set([...seen.names].flatMap((project) => [...index.paths(project)]));
      return names.size === 0 ? { objects: 'none' } : { objects: 'names', names };
    },
    allowedSubjects(asked, readable, until) {
      if (readsProject(asked))
        return Array.from(index.paths(asked.name), (name) =>
          ownWay({ kind: 'ProjectKey', name }, Project.plural, ['get']),
        );
      const project = isAboutKeys(asked) ? index.get(asked.name) : undefined;
      return project === undefined ? [] : projects.allowedSubjects(changing(project), readable, until);
    },
    namespaces: () => [],
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

/** Replaces the group of the keys of a project by each of those keys. */
export async function* viaProjectKeys(ways: Ways, index: ObjectIndex<string>): AsyncGenerator<Way> {
  for await (const way of ways) {
    const [first, ...rest] = way.steps;
    if (first?.kind !== 'Group' || !isProjectKeysGroup(first.name)) yield way;
    else
      for (const key of index.paths(first.name))
        yield { ...way, steps: [{ kind: 'ProjectKey', name: key }, ...rest] };
  }
}
