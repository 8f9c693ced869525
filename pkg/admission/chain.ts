import type { Admission, AdmissionAttributes } from '../registry/admission.js';
import type { KubeObject, ResourceDefinition } from '../../api/resource.js';
import type { Requirements } from '../registry/transaction/effects.js';

/** What a plugin requires of the commit of the write. */
export type Required = Omit<Requirements, 'rule'>;

type Kind = Pick<ResourceDefinition, 'group' | 'kind'>;

/** The kinds of a group, all or those named. */
export const kindsOf =
  (group: string, ...kinds: readonly string[]) =>
  (of: Kind): boolean =>
    of.group === group && (kinds.length === 0 || kinds.includes(of.kind));

/** One rule about writes. A plugin has either or both of the two stages, and refuses with a StatusError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether it has a rule for a kind; it is asked about no other. Absent: it is asked about all. */
  readonly concerns?: (kind: Kind) => boolean;
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
  const known = new WeakMap<Kind, Stages>();
  const stagesOf = (kind: Kind): Stages => {
    const found = known.get(kind) ?? stagesFor(plugins, kind);
    known.set(kind, found);
    return found;
  };
  return {
    async mutate(attributes, object, previous) {
      for (const plugin of stagesOf(attributes.definition).mutating)
        await plugin.mutate?.(attributes, object, previous);
    },
    async validate(attributes, object, previous) {
      const required: Requirements[] = [];
      for (const plugin of stagesOf(attributes.definition).validating) {
        const one = await plugin.validate?.(attributes, object, previous);
        if (one !== undefined) required.push({ rule: plugin.name, ...one });
      }
      return required;
    },
  };
}

/** The plugins that a kind concerns, by what they have. */
interface Stages {
  readonly mutating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
}

function stagesFor(plugins: readonly AdmissionPlugin[], kind: Kind): Stages {
  const concerned = plugins.filter(({ concerns }) => concerns?.(kind) ?? true);
  return {
    mutating: concerned.filter(({ mutate }) => mutate !== undefined),
    validating: concerned.filter(({ validate }) => validate !== undefined),
  };
}
