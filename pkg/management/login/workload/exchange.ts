/** From a token of a workload to an access key. */
import { createHash, randomBytes } from 'node:crypto';
import { User } from '../../../../api/management.svc.example/v1/user.js';
import { asKind, clusterScoped } from '../../../../api/resource.js';
import { WORKLOAD_KEYS } from '../../accesskeys/names.js';
import { readStored, type ResourceStore } from '../../../registry/resourcestore.js';
import { createAccessKey, type LoginKey } from '../accesskey.js';
import { LimitExceeded } from '../../limits/limitexceeded.js';
import { LoginFailure } from '../interface.js';
import type { WorkloadIdentity, WorkloadRule } from './interface.js';
import type { VerifyWorkload } from './verify.js';

/** Which rule a token's claims fit: pure functions. */
const TAIL = '/*';

/** The first rule all of whose claims the token has; undefined: it comes to nothing here. */
const ruleFor = ({ issuer, claims }: WorkloadIdentity): WorkloadRule | undefined =>
  issuer.rules.find((rule) =>
    Object.entries(rule.claims).every(([name, wanted]) => fits(wanted, claims, name)),
  );

/** Texts, numbers and booleans alone are compared, as they are written: a list or an object fits nothing. */
function fits(wanted: string, claims: Readonly<Record<string, unknown>>, name: string): boolean {
  if (!Object.hasOwn(claims, name)) return false;
  const value = claims[name];
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return false;
  const text = String(value);
  if (!wanted.endsWith(TAIL)) return text === wanted;
  const begin = wanted.slice(0, -1);
  return text.length > begin.length && text.startsWith(begin);
}

const LONGEST_SUBJECT = 200;

export interface WorkloadParts {
  readonly users: ResourceStore;
  readonly keys: ResourceStore;
  readonly verify: VerifyWorkload;
}

export interface ExchangedKey {
  readonly key: LoginKey;
  /** For the audit log. */
  readonly issuer: string;
  readonly subject: string;
  readonly rule: string;
}

export class WorkloadExchange {
  constructor(private readonly parts: WorkloadParts) {}

  /** Rejects with LoginFailure: 400 for the token, 403 if no rule matches, 502 if its issuer cannot be reached. */
  async exchange(token: string): Promise<ExchangedKey> {
    const identity = await this.parts.verify(token);
    const rule = ruleFor(identity);
    if (rule === undefined)
      throw new LoginFailure(403, 'No rule of this server accepts the claims of the token.');
    const stored = await readStored(this.parts.users, clusterScoped(rule.user));
    const user = asKind(User, stored?.object());
    if (user === undefined || user.spec?.disabled === true || user.metadata.deletionTimestamp !== undefined)
      throw new LoginFailure(403, `The user of the rule "${rule.name}" does not exist, or is disabled.`);
    const issuer = identity.issuer.issuer;
    const key = await this.createKey(token, identity, rule);
    return { key, issuer, subject: shown(identity.subject), rule: rule.name };
  }

  private async createKey(
    token: string,
    { issuer, subject }: WorkloadIdentity,
    rule: WorkloadRule,
  ): Promise<LoginKey> {
    const ofRule = `${WORKLOAD_KEYS}${hashOf(rule.name).slice(0, 8)}`;
    const ofToken = `${ofRule}-${hashOf(signedPart(token)).slice(0, 16)}`;
    const name = `${ofToken}-${randomBytes(8).toString('hex')}`;
    const { user, ttlSeconds: ttl, scope } = rule;
    const spec = {
      user,
      type: 'Other',
      ttl,
      displayName: `Workload ${rule.name}`,
      description: `For a token of ${issuer.issuer}, whose subject was ${shown(subject)}.`,
      ...(scope !== undefined && { scope: structuredClone(scope) }),
    };
    try {
      return await createAccessKey(this.parts.keys, name, spec, 'workload-identity');
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error;
      throw new LoginFailure(403, 'There are too many keys of this workload that have not ended yet.');
    }
  }
}

/** What the issuer signed: a signature has several spellings, and for some algorithms there are several signatures. */
const signedPart = (token: string): string => token.slice(0, token.lastIndexOf('.'));
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
/** One line, of printable characters. */
const shown = (subject: string): string =>
  subject.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '').slice(0, LONGEST_SUBJECT);
