/**
 * The kinds whose objects somebody may create without a granted right, with the maximum for each user and each object.
 * `test/attacks/limits/userlimits.test.ts` checks the table against all kinds. The commit that adds an object also
 * requires that it is within the limit (`pkg/management/limits/`).
 */
import { DirectClusterEndpointToken } from '../../api/management.svc.example/v1/directclusterendpointtoken.js';
import { DirectClusterEndpointTokenRevocation } from '../../api/management.svc.example/v1/directclusterendpointtokenrevocation.js';
import { GroupRule } from '../../api/management.svc.example/v1/grouprules/grouprule.js';
import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, isKind, type KubeObject, type ResourceDefinition } from '../../api/resource.js';
import { keyEnd } from './accesskeys/keyend.js';
import { WORKLOAD_KEYS } from './accesskeys/names.js';
import { keyHolder } from './accesskeys/owner.js';

const MAX_KEYS = 100;
/** Of the keys of a user, those of the type `Login`. */
export const MAX_SESSIONS = 50;
export const MAX_KEY_BYTES = 16_384;
/** Unexpired tokens of a user or a team, including revoked ones, whose revocations are stored and sent to agents. */
const MAX_TOKENS = 1000;
export const MAX_TOKEN_RECORD_BYTES = 16_384;
/** Unexpired keys of one rule for workloads, and of one token of a workload. */
const MAX_KEYS_OF_RULE = 1000;
const MAX_KEYS_OF_TOKEN = 10;

/** All rules are judged at each login and after each change of one. */
const MAX_RULES = 1000;
const MAX_RULE_BYTES = 65_536;

/** A limit that an object counts for. */
export interface Counter {
  /** The same for all objects that are counted together. */
  readonly id: string;
  readonly limit: number;
  /** For errors: what there may be no more of, and what to do. */
  readonly what: string;
  readonly remedy: string;
}

/** How an object is counted. */
export interface Counted {
  /** The first one includes all objects of the others. */
  readonly counters: readonly Counter[];
  /** When the object stops to count, in ms since 1970; undefined: when it is deleted. */
  readonly ends?: number | undefined;
  /** Objects of an earlier generation of the same holder do not count. */
  readonly generation?: number;
}

export interface UserLimit {
  readonly definition: ResourceDefinition;
  /** Whether users who may `create` `ownedaccesskeys/unlimited` may have more objects. */
  readonly exempts: boolean;
  /** Of one object, in bytes of JSON. */
  readonly maxBytes: number;
  /** Other kinds whose objects count for the same limits. */
  readonly countedWith: readonly ResourceDefinition[];
  count(object: KubeObject): Counted;
}

export const USER_LIMITS: readonly UserLimit[] = [
  {
    definition: OwnedAccessKey,
    exempts: true,
    maxBytes: MAX_KEY_BYTES,
    countedWith: [],
    count: countKey,
  },
  {
    definition: DirectClusterEndpointToken,
    exempts: false,
    maxBytes: MAX_TOKEN_RECORD_BYTES,
    countedWith: [DirectClusterEndpointTokenRevocation],
    count: countToken,
  },
  {
    definition: GroupRule,
    exempts: false,
    maxBytes: MAX_RULE_BYTES,
    countedWith: [],
    count: () => ({ counters: [RULES] }),
  },
];

const RULES: Counter = {
  id: 'grouprules',
  limit: MAX_RULES,
  what: 'group rules',
  remedy: 'Delete some, or give several values to one',
};

/** Keys of workloads have limits of their own: many pipelines may be the same user. */
function countKey(object: KubeObject): Counted {
  const key = asKind(OwnedAccessKey, object);
  const { name = '' } = key.metadata;
  if (name.startsWith(WORKLOAD_KEYS)) return { counters: workloadCounters(name), ends: keyEnd(key, 0) };
  const { project = '' } = key.spec ?? {};
  const holder = project === '' ? keyHolder(key) : `project ${project}`;
  const remedy = 'Delete some of them';
  const all = { id: `keys ${holder}`, limit: MAX_KEYS, what: `access keys of ${holder}`, remedy };
  if (key.spec?.type !== 'Login') return { counters: [all] };
  const sessions = { id: `sessions ${holder}`, limit: MAX_SESSIONS, what: `sessions of ${holder}`, remedy };
  return { counters: [all, sessions] };
}

/** `name`: `workload-<rule>-<token>-<random>`. */
function workloadCounters(name: string): Counter[] {
  const [, rule = '', token = ''] = name.split('-');
  const remedy = 'Wait until some have ended';
  return [
    { id: `rule ${rule}`, limit: MAX_KEYS_OF_RULE, what: 'keys of this rule for workloads', remedy },
    { id: `rule ${rule} ${token}`, limit: MAX_KEYS_OF_TOKEN, what: 'keys of this token', remedy },
  ];
}

function countToken(object: KubeObject): Counted {
  const { tokenGeneration = 0, expirationTimestamp = '' } =
    (isKind(DirectClusterEndpointToken, object)
      ? object.status
      : asKind(DirectClusterEndpointTokenRevocation, object).spec) ?? {};
  const { kind = '', name = '', uid = '' } = object.metadata.ownerReferences?.[0] ?? {};
  const what = `tokens of ${kind} ${name} that have not expired, with those that were revoked`;
  const remedy = 'Wait until some expire, and request a shorter spec.ttl';
  return {
    counters: [{ id: `tokens ${uid}`, limit: MAX_TOKENS, what, remedy }],
    ends: Date.parse(expirationTimestamp),
    generation: tokenGeneration,
  };
}
