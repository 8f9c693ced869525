/** AccessSubjects: whom access rules and members newly name must be users and teams. */
import type { KubeObject } from '../../../api/resource.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { fieldInvalid, findingsOf, invalid, quote } from '../../apimachinery/errors.js';
import { projectKeyOf, TEAM_GROUP, USER_GROUP, type AccessRule } from './rights.js';

const GROUP = 'management.svc.example';
/** Groups of Kubernetes. There are users with such names, too, as the host's administrator. */
const GROUP_OF_KUBERNETES = /^system:(?:(?:un)?authenticated|masters|nodes|serviceaccounts(?::.*)?)$/;

export interface Subject {
  readonly kind: 'User' | 'Team';
  readonly name: string;
  readonly path: string;
}

export function accessSubjects(): AdmissionPlugin {
  return {
    name: 'AccessSubjects',
    concerns: kindsOf(GROUP),
    async validate({ definition, name, subresource }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const errors = findingsOf(newSubjects(object, previous), ({ kind, name: named, path }) => {
        const why = kind === 'User' ? faultOfUser(named) : faultOfTeam(named);
        return why === undefined ? [] : [fieldInvalid(path, named, why)];
      });
      if (errors.length > 0) throw invalid(definition, name, errors);
    },
  };
}

/** Each once, and without those of the previous version. */
export function newSubjects(object: KubeObject, previous: KubeObject | undefined): Subject[] {
  const found = new Map<string, Subject>();
  for (const subject of subjectsOf(object)) {
    const key = `${subject.kind}/${subject.name}`;
    if (!found.has(key)) found.set(key, subject);
  }
  if (previous !== undefined)
    for (const { kind, name } of subjectsOf(previous)) found.delete(`${kind}/${name}`);
  return [...found.values()];
}

const RULES = ['access', 'extraAccessRules'] as const;

interface Naming extends KubeObject {
  readonly spec?: Readonly<Partial<Record<(typeof RULES)[number], readonly AccessRule[]>>> & {
    readonly members?: readonly Pick<Subject, 'kind' | 'name'>[];
  };
}

function* subjectsOf({ spec = {} }: Naming): Generator<Subject> {
  for (const field of RULES)
    for (const [at, { users = [], teams = [] }] of (spec[field] ?? []).entries()) {
      const path = `spec.${field}[${at}]`;
      for (const [index, name] of users.entries())
        yield { kind: 'User', name, path: `${path}.users[${index}]` };
      for (const [index, name] of teams.entries())
        yield { kind: 'Team', name, path: `${path}.teams[${index}]` };
    }
  for (const [at, { kind, name }] of (spec.members ?? []).entries())
    yield { kind, name, path: `spec.members[${at}].name` };
}

/** Undefined: users may have the name, here or at a cluster. */
function faultOfUser(name: string): string | undefined {
  if (projectKeyOf(name) !== undefined)
    return 'it is a key of a project, which has its role there and nothing by its name: give the key another role, or keep what it needs in its project';
  if (name.startsWith(USER_GROUP))
    return `it is the group of a user: name ${quote(name.slice(USER_GROUP.length))}`;
  if (name.startsWith(TEAM_GROUP))
    return `it is the group of a team: name the team ${quote(name.slice(TEAM_GROUP.length))}`;
  if (name.startsWith('management:')) return 'no user has such a name: name a user or a team';
  return GROUP_OF_KUBERNETES.test(name)
    ? 'it is a group of Kubernetes: name a user, a team, a service account, or * for everyone who is authenticated'
    : undefined;
}

function faultOfTeam(name: string): string | undefined {
  if (name.startsWith(TEAM_GROUP))
    return `it is the group of a team: name ${quote(name.slice(TEAM_GROUP.length))}`;
  return name.includes(':') ? 'no team has such a name: name a Team, which may have groups' : undefined;
}
