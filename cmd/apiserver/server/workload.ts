import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { WorkloadExchange } from '../../../pkg/management/login/workload/exchange.js';
import type { WorkloadIssuer } from '../../../pkg/management/login/workload/interface.js';
import { workloadVerifier } from '../../../pkg/management/login/workload/verify.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import type { WorkloadRoutes } from '../../../pkg/management/login/workload/routes.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';

/** Undefined without a configured issuer. */
export function openWorkload(
  issuers: readonly WorkloadIssuer[],
  registry: Registry,
  log: Logger,
): WorkloadRoutes | undefined {
  if (issuers.length === 0) return undefined;
  const parts = {
    users: servedStore(registry.stores, User),
    keys: servedStore(registry.stores, OwnedAccessKey),
    verify: workloadVerifier(issuers),
  };
  return {
    exchange: new WorkloadExchange(parts),
    failed: (error) => log.warn({ reason: inWords(error) }, 'a token of a workload was not exchanged'),
  };
}
