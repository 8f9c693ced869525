/** Rights that come from the object itself: from its owner, its access rules and its members. */
import type { KubeObject, ObjectMeta } from '../../../../api/resource.js';
import type { AccessRule } from '../secrets.js';
import { objects, type Form } from '../forms.js';
import { everyone, teamKeyStep, teamStep, userStep, type Asked, type Step, type Way } from './ways.js';

/** The parts of an object that give rights, without secret values. */
export interface RightsView {
  readonly metadata: ObjectMeta;
  readonly owner: { readonly user?: string; readonly team?: string };
  /** The user of an access key. */
  readonly holder: { readonly user: string; readonly team: string };
  readonly access: readonly AccessRule[];
  readonly members: readonly { readonly kind: string; readonly name: string }[];
}

interface Owned extends KubeObject {
  readonly spec?: Spec;
}

interface Spec {
  readonly owner?: RightsView['owner'];
  readonly access?: RightsView['access'];
  readonly members?: RightsView['members'];
  readonly user?: string;
  readonly team?: string;
  readonly subject?: string;
}

export const rightsForm = (): Form<RightsView> => objects(rightsOf);

function rightsOf({ metadata, spec = {} }: Owned): RightsView {
  const { name = '', namespace = '', resourceVersion = '' } = metadata;
  const { owner, access, members, user, team, subject } = spec;
  return {
    metadata: { name, namespace, resourceVersion },
    owner: owner ?? {},
    holder: { user: user || (team ? '' : subject) || '', team: user ? '' : (team ?? '') },
    access: access ?? [],
    members: members ?? [],
  };
}

interface GivingStep extends Step {
  readonly verbs: readonly string[];
}

const MANAGEMENT = 'management.svc.example';
const OF_OWN_KEYS = ['get', 'update', 'patch', 'delete'];

/**
 * Applies the server's rules for objects of its own group: `spec.owner`, `spec.access`, `spec.members`, self identity
 * and self keys.
 */
export function objectWays({ owner, holder, access, members }: RightsView, asked: Asked): Way[] {
  if (asked.group !== MANAGEMENT) return [];
  const sure = (who: Step, by: Step): Way => ({ steps: [who, by], unsure: false });
  const ways: Way[] = [];
  const isKey = asked.resource === 'ownedaccesskeys';
  const owns = step('owner', 'spec.owner', isKey ? OF_OWN_KEYS : ['*']);
  if (isKey && gives(owns, asked)) {
    if (holder.user) ways.push(sure(userStep(holder.user), owns));
    if (holder.team) ways.push(sure(teamKeyStep(holder.team), owns));
  } else if (gives(owns, asked)) {
    if (owner.user) ways.push(sure(userStep(owner.user), owns));
    if (owner.team) ways.push(sure(teamStep(owner.team), owns));
  }
  for (const [at, { name, verbs = [], users = [], teams = [] }] of access.entries()) {
    const rule = step('accessRule', name || `spec.access[${at}]`, verbs);
    if (!gives(rule, asked)) continue;
    if (users.includes('*') || teams.includes('*')) ways.push(sure(everyone, rule));
    for (const user of new Set(users)) if (user !== '*') ways.push(sure(userStep(user), rule));
    for (const team of new Set(teams)) if (team !== '*') ways.push(sure(teamStep(team), rule));
  }
  const belongs = step('membership', 'spec.members', ['get']);
  if (gives(belongs, asked))
    for (const { kind, name } of members) ways.push(sure(memberStep(kind, name), belongs));
  const itself = step('itself', asked.resource, ['get']);
  if (asked.resource === 'users' && gives(itself, asked)) ways.push(sure(userStep(asked.name), itself));
  if (asked.resource === 'teams' && gives(itself, asked)) ways.push(sure(teamStep(asked.name), itself));
  return ways;
}

const step = (kind: Step['kind'], name: string, verbs: readonly string[]): GivingStep => ({
  kind,
  name,
  path: '',
  verbs,
});

const gives = ({ verbs }: GivingStep, { verb }: Asked): boolean =>
  verbs.includes(verb) || verbs.includes('*');

function memberStep(kind: string, name: string): Step {
  if (name === '*') return everyone;
  return kind === 'User' ? userStep(name) : teamStep(name);
}
