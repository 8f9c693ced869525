/** The file of `--workload-identity-config`. */
import type { JSONWebKeySet } from 'jose';
import type { Scope } from '../../../../api/management.svc.example/v1/scope.js';
import { membersOf } from '../../../apimachinery/encoding/members.js';
import { durationBetween } from '../../../apimachinery/flagvalues.js';
import { checkConfigFile, inField, type ReadNamed } from '../../../apimachinery/schema/configfile.js';
import { validateScope } from '../../accesskeys/scope/validation.js';
import { DEFAULT_TTL, WORKLOAD_CONFIG } from './configschema.js';
import type { WorkloadIssuer, WorkloadRule } from './interface.js';

const ttlOf = durationBetween('1m', '1h');
/** Claims that do not identify a workload, or are checked separately. */
const NO_IDENTITY = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];
/**
 * Issuers that sign for everybody in the world: a rule has to say whose workload it is. `job_workflow_ref` does not: anybody's
 * repository may call a public workflow of another.
 */
const PUBLIC_ISSUERS: Readonly<Record<string, readonly string[]>> = {
  'https://token.actions.githubusercontent.com': [
    'sub',
    'repository',
    'repository_id',
    'repository_owner',
    'repository_owner_id',
  ],
  'https://gitlab.com': ['sub', 'project_path', 'project_id', 'namespace_path', 'namespace_id'],
};

interface RuleFile {
  readonly name: string;
  readonly claims: Readonly<Record<string, string>>;
  readonly user: string;
  readonly ttl?: string;
  readonly scope?: Scope;
}

interface IssuerFile {
  readonly issuer: string;
  readonly audience: string;
  readonly caFile?: string;
  readonly jwksFile?: string;
  readonly rules: readonly RuleFile[];
}

/** Throws an Error that names the field or the rule that is wrong. */
export function parseWorkloadConfig(document: unknown, read: ReadNamed): WorkloadIssuer[] {
  checkConfigFile<{ issuers: readonly IssuerFile[] }>(document, WORKLOAD_CONFIG);
  const { issuers } = document;
  twice(
    'issuer',
    issuers.map(({ issuer }) => issuer),
  );
  twice(
    'rule',
    issuers.flatMap(({ rules }) => rules.map((one) => one.name)),
  );
  return issuers.map(({ issuer, audience, caFile, jwksFile, rules }, at) => ({
    issuer,
    audience,
    authorities: caFile === undefined ? undefined : inField(`issuers[${at}].caFile`, () => read(caFile)),
    keys:
      jwksFile === undefined ? undefined : inField(`issuers[${at}].jwksFile`, () => keysOf(read(jwksFile))),
    rules: rules.map((one) => ruleOf(one, issuer)),
  }));
}

function ruleOf({ name, claims, user, ttl = DEFAULT_TTL, scope }: RuleFile, issuer: string): WorkloadRule {
  const names = Object.keys(claims);
  const wrong = (why: string): Error => new Error(`the rule "${name}": ${why}`);
  if (names.every((claim) => NO_IDENTITY.includes(claim)))
    throw wrong('claims must identify the workload, for example by sub');
  const identifying = PUBLIC_ISSUERS[issuer.replace(/\/$/, '')];
  if (identifying !== undefined && !names.some((claim) => identifying.includes(claim)))
    throw wrong(`this issuer signs for everybody: claims must have one of ${identifying.join(', ')}`);
  const open = Object.entries(claims).find(
    ([, value]) => value.slice(0, -2).includes('*') || /^\*|[^/]\*$/.test(value),
  );
  if (open !== undefined) throw wrong(`claims.${open[0]}: * is allowed at the end alone, after a /`);
  const [finding] = scope === undefined ? [] : validateScope('scope', scope);
  if (finding !== undefined) throw wrong(`${finding.path}: ${finding.body}`);
  const ttlMs = inField(`the rule "${name}": ttl`, () => ttlOf(ttl));
  return { name, claims, user, scope, ttlSeconds: Math.floor(ttlMs / 1000) };
}

function keysOf(text: string): JSONWebKeySet {
  const { keys } = membersOf(JSON.parse(text));
  if (!Array.isArray(keys) || keys.length === 0) throw new Error('it has no keys');
  return { keys };
}

function twice(what: string, names: readonly string[]): void {
  const found = names.find((one, at) => names.indexOf(one) !== at);
  if (found !== undefined) throw new Error(`there are two of the ${what} "${found}"`);
}
