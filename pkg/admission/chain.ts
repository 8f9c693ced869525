import type { Admission, AdmissionAttributes } from '../registry/admission.js';
import type { KubeObject } from '../../api/resource.js';
import type { Requirements } from '../registry/transaction/effects.js';

/** What a plugin requires of the commit of the write. */
export type Required = Omit<Requirements, 'rule'>;

/** One rule about writes. A plugin has either or both of the two stages, and refuses with a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  mutate?(
    attributes: AdmissionAttributes,
    object: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void>;
  validate?(
    attributes: AdmissionAttributes,
    object: KubeObject | undefined,
    previous: KubeObject | undefined,
  ): Promise<Required | undefined>;
}

/** Runs the plugins in the order given; the first refusal ends it. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  const mutating = plugins.filter(({ mutate }) => mutate !== undefined);
  const validating = plugins.filter(({ validate }) => validate !== undefined);
  return {
    async mutate(attributes, object, previous) {
      for (const plugin of mutating) await plugin.mutate?.(attributes, object, previous);
    },
    async validate(attributes, object, previous) {
      const required: Requirements[] = [];
      for (const plugin of validating) {
        const one = await plugin.validate?.(attributes, object, previous);
        if (one !== undefined) required.push({ rule: plugin.name, ...one });
      }
      return required;
    },
  };
}
