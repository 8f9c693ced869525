/** AccessSubjects: whom access rules and members newly name must be users and teams; names of access keys are warned of. */
import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { KubeObject } from '../../../api/resource.js';
import { kindsOf, type AdmissionPlugin } from '../../admission/chain.js';
import { fieldInvalid, findingsOf, invalid, quote } from '../../apimachinery/errors.js';
import { accountIn } from '../../authentication/serviceaccount/token.js';
import { MADE_BY_ANNOTATION } from './names.js';
import { keyHolder } from './owner.js';
import { projectKeyOf, TEAM_GROUP, type AccessRule } from '../sharing/rights.js';

const GROUP = 'management.svc.example';
const USER_GROUP = 'management:user:';

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly path: string;
}

export function accessSubjects(findKey: (name: string) => OwnedAccessKey | undefined): AdmissionPlugin {
  return {
    name: 'AccessSubjects',
    concerns: kindsOf(GROUP),
    async validate({ definition, name, subresource, requester, warn }, object, previous) {
      if (subresource !== '' || object === undefined) return;
      const subjects = newSubjects(object, previous);
      const errors = findingsOf(subjects, ({ kind, name: named, path }) => {
        const why = kind === 'User' ? faultOfUser(named) : faultOfTeam(named);
        return why === undefined ? [] : [fieldInvalid(path, named, why)];
      });
      if (errors.length > 0) throw invalid(definition, name, errors);
      for (const { kind, name: named, path } of subjects) {
        const key = kind === 'User' ? findKey(named) : undefined;
        // Others' keys are not told of.
        if (key !== undefined && keyHolder(key) !== named && isOf(key, requester.name))
          warn?.(`${path}: ${warningOf(key)}`);
      }
    },
  };
}

/** Each once, and without those of the previous version. */
function newSubjects(object: KubeObject, previous: KubeObject | undefined): Subject[] {
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
  if (!name.startsWith('system:') || accountIn(name) !== undefined) return undefined;
  return 'it is of Kubernetes itself: name a user, a team, a service account, or * for everyone who is authenticated';
}

function faultOfTeam(name: string): string | undefined {
  if (name.startsWith(TEAM_GROUP))
    return `it is the group of a team: name ${quote(name.slice(TEAM_GROUP.length))}`;
  return name.includes(':') ? 'no team has such a name: name a Team, which may have groups' : undefined;
}

const isOf = (key: OwnedAccessKey, user: string): boolean =>
  [keyHolder(key), key.metadata.annotations?.[MADE_BY_ANNOTATION]].includes(user);

function warningOf(key: OwnedAccessKey): string {
  const {
    metadata: { name = '' },
    spec = {},
  } = key;
  const what =
    (spec.project ?? '') === ''
      ? `an access key of ${quote(keyHolder(key))}: name that user to give the right to the key`
      : `a key of project ${quote(spec.project ?? '')}, which has its role there and nothing else`;
  return `${quote(name)} is also the name of ${what}`;
}
