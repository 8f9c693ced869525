/** NamespaceAutoProvision: creates the missing namespace of a new object (Kubernetes' plugin of this name). */
import type { AdmissionPlugin } from '../chain.js';

export interface NamespaceProvider {
  exists(this: void, name: string): Promise<boolean>;
  /** Ignores a namespace that exists. */
  create(this: void, name: string): Promise<void>;
}

export function namespaceAutoProvision({ exists, create }: NamespaceProvider): AdmissionPlugin {
  return {
    name: 'NamespaceAutoProvision',
    async mutate({ operation, namespace, dryRun }) {
      if (operation !== 'CREATE' || namespace === '' || dryRun || (await exists(namespace))) return;
      await create(namespace);
    },
  };
}
