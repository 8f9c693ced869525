import { unavailableTokenAuthenticator } from '../../../pkg/management/unavailabletokens.js';
import { rbacAuthorizer } from '../../../pkg/authorization/rbac/authorizer.js';
import { storeUnavailable } from '../../../pkg/registry/generic/storeunavailable.js';
import type { Handler } from '../../../pkg/server/httpexchange.js';
import { StoreRefused } from '../../../pkg/management/storeguard/refused.js';
import { closeAll, type ShutdownHooks } from '../server/shutdownhooks.js';
import { degradedHandler } from './degradedhandler.js';
import type { HostParts } from './hostparts.js';
import { leaderElsewhere } from '../../../pkg/controllers/client/leaderelsewhere.js';
import { openAggregatedStore } from './storage.js';
import { isIgnoredRole } from '../../../pkg/management/sharing/managednames.js';
import type { RbacCaches } from '../../../pkg/authorization/rbac/caches.js';
import { CacheUnavailable, type ResourceCache } from '../../../pkg/cache/interface.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../../pkg/server/logging/log.js';

const unloaded = (): never => {
  throw new CacheUnavailable('roles and bindings are not loaded yet');
};

const cache = (resource: string): ResourceCache => ({
  resource: `rbac.authorization.k8s.io/${resource}`,
  latest: unloaded,
  subscribe: unloaded,
  at: () => undefined,
  undecryptable: () => new Map(),
  isDerived: () => false,
  shadowed: () => new Map(),
  reach: () => Promise.resolve(false),
  revision: () => 0,
});

/** Empty caches, for the time before roles and bindings are loaded. */
const UNLOADED: RbacCaches = {
  isIgnored: isIgnoredRole,
  roles: cache('roles'),
  clusterRoles: cache('clusterroles'),
  roleBindings: cache('rolebindings'),
  clusterRoleBindings: cache('clusterrolebindings'),
};

/** How long `/readyz` waits for a store that is unreachable. */
const READY_TIMEOUT_MS = 5_000;

/** Serves the store while it is open, and a degraded handler before that and after the store was lost. */
export class ServedStore {
  private readonly parts: HostParts;
  private readonly leaderElsewhere: () => Promise<boolean>;
  /** Closes what is open for the store. */
  private readonly shutdownHooks: ShutdownHooks = [];
  private handler: Handler;
  private authority = '';
  private adopt: boolean;

  constructor(parts: HostParts) {
    this.parts = parts;
    this.adopt = parts.host.adoptStore;
    this.leaderElsewhere = leaderElsewhere(parts.hostClient, parts.host.leaseNamespace);
    this.handler = handlerWithoutStore(parts);
  }

  handle: Handler = (exchange) => this.handler(exchange);

  /** Opens the store, however long that takes. `authority`: PEM, of the server's certificate. */
  open(authority: string): void {
    const { store } = this.parts;
    this.authority = authority;
    const timer = setTimeout(() => (store.awaited = true), READY_TIMEOUT_MS).unref();
    this.shutdownHooks.push(() => clearTimeout(timer));
    void this.retry();
  }

  close(): Promise<void> {
    return closeAll(this.shutdownHooks, this.parts.operations.log);
  }

  private retry(): Promise<void> {
    return retryUntilSuccess((opened) => this.attempt(opened), {
      log: this.parts.operations.log,
      shutdownHooks: this.shutdownHooks,
      failed: (error) => this.failed(error),
    });
  }

  private async attempt(opened: ShutdownHooks): Promise<void> {
    const { operations, store } = this.parts;
    let refusal: StoreRefused | undefined;
    let opening = true;
    const lost = (reason: StoreRefused): void => {
      if (refusal !== undefined) return;
      refusal = reason;
      if (!opening) void this.reopen(opened, reason);
    };
    const options = { adopt: this.adopt, lost };
    const handler = await openAggregatedStore(this.parts, this.authority, opened, options);
    opening = false;
    if (refusal !== undefined) throw refusal;
    // --adopt-store accepts one store. An administrator reviews the store that takes its place.
    this.adopt = false;
    this.handler = handler;
    store.served = true;
    operations.log.info({ url: operations.address.url, engine: operations.config.storage.engine }, 'ready');
  }

  private failed(error: unknown): void {
    const { operations, store } = this.parts;
    store.failed(error instanceof StoreRefused ? error : undefined);
    if (store.refused !== undefined)
      void this.leaderElsewhere().then((elsewhere) => (store.elsewhere = elsewhere));
    operations.report('what is stored cannot be opened', error);
  }

  /** Stops serving a store that was lost, closes it, and opens the store again. */
  private async reopen(opened: ShutdownHooks, reason: StoreRefused): Promise<void> {
    const { operations, store } = this.parts;
    const { log, watches } = operations;
    this.handler = handlerWithoutStore(this.parts);
    store.lost(reason);
    log.error({ reason: reason.reason }, `the store is not served any more: ${reason.message}`);
    watches.endAll();
    await closeAll(opened, log);
    watches.endAll();
    await this.retry();
  }
}

function handlerWithoutStore(parts: HostParts): Handler {
  const { operations, documents, health, delegated, trust, store } = parts;
  const authenticator = delegated.authenticator(trust, [
    unavailableTokenAuthenticator(() => storeUnavailable()),
  ]);
  const authorizer = delegated.authorizer(rbacAuthorizer(UNLOADED), UNLOADED, []);
  const refused = (): string | undefined => store.refused?.message;
  return degradedHandler({ operations, documents, health, authenticator, authorizer, refused });
}

interface RetryOptions {
  readonly log: Logger;
  /** Gets the hooks of the attempt that succeeded. Running them ends the retries. */
  readonly shutdownHooks: ShutdownHooks;
  /** Called with the error of each attempt that failed. */
  readonly failed: (error: unknown) => void;
}

const MIN_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

/**
 * Retries until an attempt succeeds or `shutdownHooks` run. The hooks of an attempt that failed run at once. Never
 * rejects.
 */
async function retryUntilSuccess(
  attempt: (shutdownHooks: ShutdownHooks) => Promise<void>,
  { log, shutdownHooks, failed }: RetryOptions,
): Promise<void> {
  const closing = new AbortController();
  shutdownHooks.push(() => closing.abort());
  for (let delay = MIN_DELAY_MS; !closing.signal.aborted; delay = Math.min(2 * delay, MAX_DELAY_MS)) {
    const opened: ShutdownHooks = [];
    try {
      await attempt(opened);
      if (!closing.signal.aborted) return void shutdownHooks.push(() => closeAll(opened, log));
    } catch (error) {
      if (!closing.signal.aborted) failed(error);
    }
    await closeAll(opened, log);
    await sleep(delay, undefined, { signal: closing.signal }).catch(() => undefined);
  }
}
