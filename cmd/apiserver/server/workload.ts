import { WorkloadExchange } from '../../../pkg/management/login/workload/exchange.js';
import type { WorkloadIssuer } from '../../../pkg/management/login/workload/interface.js';
import { workloadVerifier } from '../../../pkg/management/login/workload/verify.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import type { ResourceStore } from '../../../pkg/registry/resourcestore.js';
import type { WorkloadRoutes } from '../../../pkg/management/login/workload/routes.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { inWords } from '../starterror.js';

/** Undefined without a configured issuer. */
export function openWorkload(
  issuers: readonly WorkloadIssuer[],
  registry: Registry,
  log: Logger,
): WorkloadRoutes | undefined {
  if (issuers.length === 0) return undefined;
  const storeOf = (kind: string): ResourceStore => {
    const store = registry.stores.find(({ definition }) => definition.kind === kind);
    if (store === undefined) throw new Error(`${kind} is not served`);
    return store;
  };
  const parts = {
    users: storeOf('User'),
    keys: storeOf('OwnedAccessKey'),
    verify: workloadVerifier(issuers),
  };
  return {
    exchange: new WorkloadExchange(parts),
    failed: (error) => log.warn({ reason: inWords(error) }, 'a token of a workload was not exchanged'),
  };
}
