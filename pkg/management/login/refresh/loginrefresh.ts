/**
 * Logins end with the account at the provider: with its refresh token each is confirmed again and again, and gets the
 * groups and claims that the person has then (OpenID Connect Core 1.0, section 12).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnedAccessKey } from '../../../../api/management.svc.example/v1/ownedaccesskey.js';
import { asKind, clusterScoped, type KubeObject } from '../../../../api/resource.js';
import { updateObject } from '../../../registry/generic/update.js';
import { loopbackOptions } from '../../../registry/loopback.js';
import { readStored, type ResourceStore } from '../../../registry/resourcestore.js';
import type { LoginKey } from '../accesskey.js';
import { identityOf } from '../claims.js';
import { LoginFailure, type LoginIdentity, type LoginSettings } from '../interface.js';
import type { Provider } from '../provider.js';
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
  private ended = false;

  constructor(private readonly parts: LoginRefreshParts) {
    this.now = parts.now ?? Date.now;
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

  /** A refresh token, for the store and for what waits for its person. */
  sealed(token: string): string {
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
      asked: now,
      ends: now + key.expiresInSeconds * 1000,
    });
  }

  /**
   * Confirms each login that has not been for the interval. Of errors of the provider the first is reported; a provider
   * that cannot be reached is left alone until the next round. Rejects with StorageError.
   */
  async confirmDue(): Promise<void> {
    const { records, settings, failed } = this.parts;
    const asking = new Set<Promise<void>>();
    let trouble: unknown;
    let unreachable = false;
    const ask = async (record: RefreshRecord): Promise<void> => {
      try {
        await this.confirm(record);
      } catch (error) {
        trouble ??= error;
        unreachable ||= error instanceof LoginFailure && error.code === 502;
      }
    };
    for await (const record of records.all()) {
      if (this.ended || unreachable) break;
      const now = this.now();
      if (record.login.ends <= now) await records.remove(record);
      if (record.login.ends <= now || record.login.asked + settings.refreshMs > now) continue;
      const one: Promise<void> = ask(record).then(() => void asking.delete(one));
      asking.add(one);
      if (asking.size >= AT_A_TIME) await Promise.race(asking);
    }
    await Promise.all(asking);
    if (trouble !== undefined) failed(trouble);
  }

  /** One server asks: a refresh token may work only once. */
  private async confirm(record: RefreshRecord): Promise<void> {
    const { records, keys, users, settings } = this.parts;
    const claimed = await records.replace(record, { ...record.login, asked: this.now() });
    if (claimed === undefined) return;
    const { login } = claimed;
    const confirmed = await this.confirmed(login);
    if (confirmed === undefined) {
      await endSession(keys, login.key, FIELD_MANAGER);
      return records.remove(claimed);
    }
    // The token first: the one before may not work again.
    await records.replace(claimed, { ...login, token: confirmed.token });
    await recordLogin(users, login.user, confirmed.identity, settings, login.ends);
    await this.writeGroups(login, confirmed.identity);
  }

  /** What the provider says of the person now, and the next token; undefined: the login is over. */
  private async confirmed(
    login: RefreshableLogin,
  ): Promise<{ readonly identity: LoginIdentity; readonly token: string } | undefined> {
    const { provider, settings, keys, seal, ruleClaims } = this.parts;
    const { token } = seal.open<{ readonly token: string }>(PURPOSE, login.token) ?? {};
    const stored = await readStored(keys, clusterScoped(login.key.name));
    if (token === undefined || stored?.object().metadata.uid !== login.key.uid) return undefined;
    const at = this.now();
    const answer = await provider.refresh(token, login.subject);
    if (answer === undefined || answer.claims.sub !== login.subject) return undefined;
    const identity = admitted(() => identityOf(answer.claims, settings, ruleClaims()));
    if (identity === undefined) return undefined;
    const { refreshToken } = answer;
    return {
      identity: { ...identity, session: login.session, at },
      token: refreshToken === undefined ? login.token : this.sealed(refreshToken),
    };
  }

  private async writeGroups(
    { key: { name, uid } }: RefreshableLogin,
    identity: LoginIdentity,
  ): Promise<void> {
    const { keys, settings } = this.parts;
    const groups = groupsOfKey(identity, settings);
    const change = (live: KubeObject): KubeObject => {
      const { spec } = asKind(OwnedAccessKey, live);
      if (live.metadata.uid !== uid) return structuredClone(live);
      const known = { ...spec?.identity, Groups: providerGroupsOfKey(identity) };
      return structuredClone({ ...live, spec: { ...spec, groups, identity: known } });
    };
    const request = { namespace: '', name, subresource: '', change, versionRequired: false };
    await updateObject(keys, request, loopbackOptions(FIELD_MANAGER));
  }
}

/** Undefined where the person may not log in any more. */
function admitted<T>(identity: () => T): T | undefined {
  try {
    return identity();
  } catch (error) {
    if (error instanceof LoginFailure && error.code === 403) return undefined;
    throw error;
  }
}
