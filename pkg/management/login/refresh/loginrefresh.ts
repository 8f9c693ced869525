/**
 * Logins end with the account at the provider: with its refresh token each is confirmed again and again, and gets the
 * groups and claims that the person has then (OpenID Connect Core 1.0, section 12).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { StatusError } from '../../../apimachinery/errors.js';
import { updateObject } from '../../../registry/generic/update.js';
import { loopbackOptions } from '../../../registry/loopback.js';
import { readStored, type ResourceStore } from '../../../registry/resourcestore.js';
import type { LoginKey } from '../accesskey.js';
import { identityOf } from '../claims.js';
import { LoginFailure, type LoginIdentity, type LoginSettings } from '../interface.js';
import type { Provider } from '../provider.js';
import { isUnfetched } from '../record/loginkeyname.js';
import { groupsOfKey, providerGroupsOfKey, recordLogin } from '../record/loginrecord.js';
import type { Seal } from '../sealedcookie.js';
import { endSession } from '../sessionlimit.js';
import type { RefreshableLogin, RefreshRecord, RefreshRecords } from './refreshrecords.js';

const FIELD_MANAGER = 'login';
const PURPOSE = 'refresh';
/** A login may wait for its person before it makes a key. */
const WAIT_MS = 3_600_000;
/** How often logins that are due are looked for, at most and at least. */
const LONGEST_ROUND_MS = 60_000;
const ROUNDS = 4;
/** Questions to the provider at a time. */
const AT_A_TIME = 8;
/** So many in a row that the provider does not answer end a round. */
const MAX_UNANSWERED = 8;
/** Longer than a server asks: then it has stopped in the middle. */
const LEASE_MS = 120_000;
/** In bytes. */
const MAX_TOKEN = 16_384;

/** Of a login. `over`: its key is to be ended; `gone`: it does not stand any more. */
type State = 'stands' | 'over' | 'gone';

export interface LoginRefreshParts {
  readonly settings: LoginSettings & { readonly refreshMs: number };
  readonly provider: Pick<Provider, 'refresh'>;
  readonly ruleClaims: () => Iterable<string>;
  readonly records: Pick<RefreshRecords, 'add' | 'replace' | 'remove' | 'all'>;
  readonly users: ResourceStore;
  readonly keys: ResourceStore;
  readonly seal: Seal;
  /** Called with what kept a login from being confirmed: it is tried again. */
  readonly failed: (error: unknown) => void;
  /** ms since 1970. */
  readonly now?: () => number;
}

export class LoginRefresh {
  private readonly now: () => number;
  private readonly client: string;
  private ended = false;

  constructor(private readonly parts: LoginRefreshParts) {
    this.now = parts.now ?? Date.now;
    this.client = `${parts.settings.clientId} ${parts.settings.issuer}`;
  }

  /**
   * Looks for logins that are due, from now on. Returns what ends it: answers of the provider are waited for, as a refresh
   * token that was replaced and not stored would end its login.
   */
  begin(): () => Promise<void> {
    const { settings, failed } = this.parts;
    const roundMs = Math.min(LONGEST_ROUND_MS, settings.refreshMs / ROUNDS);
    const end = new AbortController();
    const rounds = async (): Promise<void> => {
      while (!this.ended) {
        await this.confirmDue().catch(failed);
        await sleep(roundMs, undefined, { signal: end.signal, ref: false }).catch(() => undefined);
      }
    };
    const running = rounds();
    return () => {
      this.ended = true;
      end.abort();
      return running;
    };
  }

  /** A refresh token, for the store and for what waits for its person; undefined: it is too long to be kept. */
  sealed(token: string): string | undefined {
    if (Buffer.byteLength(token) > MAX_TOKEN) return undefined;
    return this.parts.seal.seal(PURPOSE, { token }, this.parts.settings.keyTtlSeconds * 1000 + WAIT_MS);
  }

  /** Confirms the login of this new key from now on. Does nothing where the provider gave no refresh token. */
  async keep(key: LoginKey, user: string, { subject, session, refresh }: LoginIdentity): Promise<void> {
    if (refresh === undefined) return;
    const now = this.now();
    await this.parts.records.add({
      key: { name: key.name, uid: key.uid },
      user,
      subject,
      session,
      token: refresh,
      client: this.client,
      asked: now,
      ends: now + key.expiresInSeconds * 1000,
    });
  }

  /**
   * Confirms each login that has not been for the interval. Of errors of the provider the first is reported; a provider
   * that cannot be reached is left alone until the next round. Rejects with StorageError.
   */
  async confirmDue(): Promise<void> {
    const { records, failed } = this.parts;
    const asking = new Set<Promise<void>>();
    let trouble: unknown;
    let unanswered = 0;
    const ask = async (record: RefreshRecord): Promise<void> => {
      try {
        await this.confirm(record);
        unanswered = 0;
      } catch (error) {
        trouble ??= error;
        if (error instanceof LoginFailure && error.code === 502) unanswered += 1;
      }
    };
    try {
      for await (const record of records.all()) {
        if (this.ended || unanswered >= MAX_UNANSWERED) break;
        const due = this.isDue(record.login);
        if (due === 'over') await records.remove(record);
        if (due !== 'now') continue;
        const one: Promise<void> = ask(record).then(() => void asking.delete(one));
        asking.add(one);
        if (asking.size >= AT_A_TIME) await Promise.race(asking);
      }
    } finally {
      await Promise.all(asking);
    }
    if (trouble !== undefined) failed(trouble);
  }

  private isDue({ ends, client, asked, pending }: RefreshableLogin): 'over' | 'now' | 'later' {
    const now = this.now();
    if (ends <= now || client !== this.client) return 'over';
    const { refreshMs } = this.parts.settings;
    return asked + (pending === true ? Math.max(refreshMs, LEASE_MS) : refreshMs) <= now ? 'now' : 'later';
  }

  /** One server asks: a refresh token may work only once. */
  private async confirm(record: RefreshRecord): Promise<void> {
    const { records } = this.parts;
    const claimed = await records.replace(record, { ...record.login, asked: this.now(), pending: true });
    if (claimed === undefined) return;
    const { pending: _pending, ...login } = claimed.login;
    let kept: RefreshRecord | undefined = claimed;
    const keep = async (token: string): Promise<void> => {
      kept = kept && (await records.replace(kept, { ...login, token }));
    };
    try {
      const state = await this.stateOf(login, keep);
      if (state === 'over') await endSession(this.parts.keys, login.key, FIELD_MANAGER);
      if (state !== 'stands' && kept !== undefined) await records.remove(kept);
    } catch (error) {
      if (kept === claimed) await keep(login.token);
      throw error;
    }
  }

  /** Asks the provider, and writes what it says. `keep`: stores the next token, before anything else can fail. */
  private async stateOf(login: RefreshableLogin, keep: (token: string) => Promise<void>): Promise<State> {
    const { provider, settings, users, keys, seal } = this.parts;
    const wanted = [...this.parts.ruleClaims()];
    const { token } = seal.open<{ readonly token: string }>(PURPOSE, login.token) ?? {};
    const key = (await readStored(keys, clusterScoped(login.key.name)))?.object();
    if (token === undefined || !isStanding(key, login)) return 'gone';
    if (isUnfetched(key) || asKind(OwnedAccessKey, key).spec?.disabled === true) {
      await keep(login.token);
      return 'stands';
    }
    const at = this.now();
    const answer = await provider.refresh(token);
    if (answer === undefined) return 'over';
    const next = answer.refreshToken === undefined ? login.token : this.sealed(answer.refreshToken);
    if (next === undefined) return 'over';
    await keep(next);
    const claims = await answer.claims();
    if (claims === undefined) return 'stands';
    if (claims.sub !== login.subject) return 'over';
    const identity = admitted(() => identityOf(claims, settings, wanted));
    if (identity === undefined) return 'over';
    const known = { ...identity, session: login.session, at, refresh: next };
    const state = await this.writeGroups(login, known);
    if (state === 'stands') await recordLogin(users, login.user, known, settings, login.ends);
    return state;
  }

  /** `over`: the key cannot have the groups, as its holder has filled it with other things. */
  private async writeGroups(login: RefreshableLogin, identity: LoginIdentity): Promise<State> {
    const { keys, settings } = this.parts;
    const groups = groupsOfKey(identity, settings);
    let state: State = 'gone';
    const change = (live: KubeObject): KubeObject => {
      const { spec } = asKind(OwnedAccessKey, live);
      state = isStanding(live, login) && spec?.disabled !== true ? 'stands' : 'gone';
      if (state === 'gone' || sameSet(spec?.groups ?? [], groups)) return structuredClone(live);
      const known = { ...spec?.identity, Groups: providerGroupsOfKey(identity) };
      return structuredClone({ ...live, spec: { ...spec, groups, identity: known } });
    };
    const request = { namespace: '', name: login.key.name, subresource: '', change, versionRequired: false };
    try {
      await updateObject(keys, request, loopbackOptions(FIELD_MANAGER));
    } catch (error) {
      const code = error instanceof StatusError ? (error.status.code ?? 0) : 0;
      if (code === 413 || code === 422) return 'over';
      if (code === 404) return 'gone';
      throw error;
    }
    return state;
  }
}

const sameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && new Set([...some, ...others]).size === new Set(some).size;

/** Whether an object is the key of the login, and not being deleted. */
const isStanding = (object: KubeObject | undefined, { key }: RefreshableLogin): object is KubeObject =>
  object !== undefined && object.metadata.uid === key.uid && object.metadata.deletionTimestamp === undefined;

/** Undefined where the person may not log in any more. */
function admitted<T>(identity: () => T): T | undefined {
  try {
    return identity();
  } catch (error) {
    if (error instanceof LoginFailure && error.code === 403) return undefined;
    throw error;
  }
}
