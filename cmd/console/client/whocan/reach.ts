/** What a user or a team can read: the server is asked about each object who can. */
import type { RightsSource, Way } from '../../../../api/management.svc.example/v1/resourceaccessreview.js';
import type { Row } from '../forms.js';
import { EVERYONE, readWays } from './ways.js';

/** The maximum number of objects that are asked about at once. */
export const AT_ONCE = 500;
/** The number of concurrent requests. */
const AT_A_TIME = 4;

export interface Subject {
  readonly kind: 'User' | 'Team';
  readonly name: string;
  /** Of a user: the groups besides teams, the teams, and the group rules that apply. */
  readonly groups: readonly string[];
  readonly teams: readonly string[];
  readonly rules: readonly string[];
}

export interface Asked {
  readonly subject: Subject;
  readonly rows: readonly Row[];
  /** What is known of other objects. */
  readonly before: Reach;
}

export interface Reached {
  readonly row: Row;
  readonly ways: readonly Way[];
}

export interface Reach {
  /** The number of objects that are asked about. */
  readonly asked: number;
  /** Those that are not asked about yet. */
  readonly rest: readonly Row[];
  readonly answered: number;
  /** The objects that the subject can read, in the order of the answers. */
  readonly reached: readonly Reached[];
  /** What the caller may not read: it may give rights as well. */
  readonly unread: readonly RightsSource[];
  /** Whether answers lack ways. */
  readonly incomplete: boolean;
}

export const NOTHING_REACHED: Reach = {
  asked: 0,
  rest: [],
  answered: 0,
  reached: [],
  unread: [],
  incomplete: false,
};

/** Whether a way leads from this user, what makes the user a member, or from this team, its keys or its members. */
export function leadsFrom({ kind, name, groups, teams, rules }: Subject, { steps }: Way): boolean {
  const [first] = steps;
  if (first === undefined) return false;
  if (first.kind === 'Group' && [...EVERYONE, ...groups].includes(first.name)) return true;
  if (kind === 'Team')
    return steps.some((step) => (step.kind === 'Team' || step.kind === 'TeamKey') && step.name === name);
  if (first.kind === 'GroupRule') return rules.includes(first.name);
  // The members of a team that the caller may not read are not told: the team is the first step.
  if (first.kind === 'Team') return teams.includes(first.name);
  return first.kind === 'User' && first.name === name;
}

/** Reports the results so far after every answer. Rejects with ApiError, or with AbortError if `signal` is aborted. */
export async function searchReach(
  { subject, rows, before }: Asked,
  signal: AbortSignal,
  tell: (found: Reach) => void,
): Promise<void> {
  const waiting = rows.slice(0, AT_ONCE);
  let found: Reach = { ...before, asked: before.asked + waiting.length, rest: rows.slice(AT_ONCE) };
  tell(found);
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
      const { namespace = '', name = '' } = row.metadata;
      const asked = { verb: 'get', group: 'management.svc.example', resource: row.resource, namespace, name };
      const { ways = [], unread = [], truncated, incomplete } = await readWays(asked, signal);
      signal.throwIfAborted();
      const own = ways.filter((way) => leadsFrom(subject, way));
      found = {
        ...found,
        answered: found.answered + 1,
        reached: own.length === 0 ? found.reached : [...found.reached, { row, ways: own }],
        unread: [...new Set([...found.unread, ...unread])],
        incomplete: found.incomplete || truncated === true || incomplete === true,
      };
      tell(found);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
}
