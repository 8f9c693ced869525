import { dirname, resolve } from 'node:path';
import { parseYamlFile } from '../../../pkg/apimachinery/encoding/yaml/yamlfile.js';
import { WorkloadExchange } from '../../../pkg/management/login/workload/exchange.js';
import type { WorkloadIssuer } from '../../../pkg/management/login/workload/interface.js';
import { parseWorkloadConfig } from '../../../pkg/management/login/workload/parseconfig.js';
import { workloadVerifier } from '../../../pkg/management/login/workload/verify.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import type { ResourceStore } from '../../../pkg/registry/resourcestore.js';
import type { WorkloadRoutes } from '../../../pkg/management/login/workload/routes.js';
import { parseFlagFile, readFlagFile } from '../options/flagfiles.js';
import type { Logger } from '../../../pkg/server/logging/log.js';
import { inWords } from '../starterror.js';
import type { Options } from '../options/options.js';

const FLAG = 'workload-identity-config';

/** Empty: workload tokens are not exchanged. Paths in the file are relative to it. Throws StartError. */
export function workloadOf({ workloadIdentityConfig: path }: Options): readonly WorkloadIssuer[] {
  if (path === undefined) return [];
  const read = (named: string): string => readFlagFile(FLAG, resolve(dirname(path), named));
  return parseFlagFile(FLAG, path, (text) => parseWorkloadConfig(parseYamlFile(text), read));
}

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
