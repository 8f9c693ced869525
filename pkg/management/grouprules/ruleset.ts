/** Which rules apply to a login. The cost of a value depends on its length, and not on the number of rules. */
import type { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import type { KubeObject } from '../../../api/resource.js';
import type { ResourceCache } from '../../cache/interface.js';
import { onChanges } from '../../cache/watch/informer.js';
import type { LoginRecord } from './claims.js';

/** What a rule gives. `uid`: of the team or the project. */
export type Given = { readonly rule: string; readonly uid: string } & (
  | { readonly team: string }
  | { readonly project: string; readonly clusterRole: string; readonly group: string }
);

/** A value of a claim, and the rule that it has met. */
export interface Met {
  readonly rule: GroupRule;
  readonly claim: string;
  readonly value: string;
}

const ANY = '*';
const GROUP = 'management:grouprule:';
const UID_CHARACTERS = 8;

/** The group that a rule with a project puts people into. A rule of the same name that comes later has another. */
export const ruleGroup = ({ metadata }: Pick<GroupRule, 'metadata'>): string =>
  `${GROUP}${metadata.name}:${(metadata.uid ?? '').slice(0, UID_CHARACTERS)}`;

/** Whether a rule with a project is of this one, and of no other of that name. */
export const isInProject = (
  { metadata }: GroupRule,
  project: Pick<KubeObject, 'metadata'> | undefined,
): boolean =>
  metadata.ownerReferences?.some((one) => one.kind === 'Project' && one.uid === project?.metadata.uid) ===
  true;

/** The names of the rules whose groups are among these. */
export const rulesIn = (groups: readonly string[]): string[] =>
  groups.flatMap((one) => (one.startsWith(GROUP) ? [one.slice(GROUP.length).split(':')[0] ?? ''] : []));

/** The default of the schema, for objects that are not from the store. */
const claimOf = ({ spec }: GroupRule): string => spec.claim ?? 'groups';

interface ByValue {
  readonly exact: Map<string, GroupRule[]>;
  readonly beginnings: Map<string, GroupRule[]>;
  readonly lengths: Set<number>;
}

export class RuleSet {
  private readonly byClaim = new Map<string, ByValue>();

  constructor(rules: Iterable<GroupRule>) {
    for (const rule of rules)
      if (rule.metadata.deletionTimestamp === undefined)
        for (const value of rule.spec.values) this.add(rule, value);
  }

  /** The claims that rules look at. */
  claims(): Iterable<string> {
    return this.byClaim.keys();
  }

  /** Each rule that applies, once, by name. */
  given({ issuer = '', claims = [] }: Pick<LoginRecord, 'issuer' | 'claims'>): Given[] {
    const given = this.met(claims).flatMap(({ rule }) => (isOfIssuer(rule, issuer) ? givenBy(rule) : []));
    return given.sort((one, other) => (one.rule < other.rule ? -1 : 1));
  }

  /** Rules that any value meets, whatever the issuer; each once. */
  met(claims: NonNullable<LoginRecord['claims']>): Met[] {
    const found = new Map<GroupRule, Met>();
    for (const { name: claim = '', values = [] } of claims) {
      const byValue = this.byClaim.get(claim);
      if (byValue === undefined) continue;
      for (const value of values)
        for (const rule of rulesFor(byValue, value))
          if (!found.has(rule)) found.set(rule, { rule, claim, value });
    }
    return [...found.values()];
  }

  private add(rule: GroupRule, value: string): void {
    const claim = claimOf(rule);
    const byValue = this.byClaim.get(claim) ?? {
      exact: new Map(),
      beginnings: new Map(),
      lengths: new Set(),
    };
    this.byClaim.set(claim, byValue);
    const isBeginning = value.endsWith(ANY);
    const wanted = isBeginning ? value.slice(0, -ANY.length) : value;
    const rules = isBeginning ? byValue.beginnings : byValue.exact;
    const same = rules.get(wanted);
    if (same === undefined) rules.set(wanted, [rule]);
    else same.push(rule);
    if (isBeginning) byValue.lengths.add(wanted.length);
  }
}

function* rulesFor({ exact, beginnings, lengths }: ByValue, value: string): Generator<GroupRule> {
  yield* exact.get(value) ?? [];
  for (const length of lengths)
    if (length <= value.length) yield* beginnings.get(value.slice(0, length)) ?? [];
}

/** Whether a rule counts for logins of this provider. */
export const isOfIssuer = ({ spec: { issuer = '' } }: GroupRule, of: string): boolean =>
  issuer === '' || isSameIssuer(issuer, of);

/** A slash at the end makes no difference. */
export function isSameIssuer(one: string, other: string): boolean {
  const bare = (url: string): string => url.replace(/\/$/, '');
  return bare(one) === bare(other);
}

/** A rule whose team or project is not known gives nothing. */
export function givenBy(rule: GroupRule): Given[] {
  const { team = '', project = '', clusterRole = '' } = rule.spec;
  const { name = '', ownerReferences = [] } = rule.metadata;
  const kind = team === '' ? 'Project' : 'Team';
  const uid = ownerReferences.find((one) => one.kind === kind)?.uid;
  if (uid === undefined) return [];
  return [
    team === ''
      ? { rule: name, uid, project, clusterRole, group: ruleGroup(rule) }
      : { rule: name, uid, team },
  ];
}

/** The current rules. `changed`: called when they have changed. The result throws `CacheUnavailable`. */
export function currentRules(cache: ResourceCache<GroupRule>, changed: () => void): () => RuleSet {
  let rules: RuleSet | undefined;
  const forget = (): void => {
    rules = undefined;
    changed();
  };
  const ensure = onChanges(cache, forget, forget);
  return () => {
    ensure();
    return (rules ??= new RuleSet(objectsOf(cache)));
  };
}

function* objectsOf(cache: ResourceCache<GroupRule>): Generator<GroupRule> {
  for (const entry of cache.latest().entries('')) yield entry.object();
}
