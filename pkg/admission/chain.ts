import type { Admission, AdmissionAttributes } from '../registry/admission.js';
import type { KubeObject, ResourceDefinition } from '../../api/resource.js';
import type { Requirements } from '../registry/transaction/effects.js';

/** The requirements of a plugin for the commit of a write. */
type Required = Omit<Requirements, 'rule'>;

type Kind = Pick<ResourceDefinition, 'group' | 'kind'>;

/** Matches the named kinds of a group, or all. */
export const kindsOf =
  (group: string, ...kinds: readonly string[]) =>
  (of: Kind): boolean =>
    of.group === group && (kinds.length === 0 || kinds.includes(of.kind));

/** An admission plugin. It has one or both of the stages, and throws StatusError to refuse a write. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Whether the plugin is called for a kind. Absent: for all kinds. */
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

/** Runs the plugins in the given order, up to the first refusal. */
export class AdmissionChain implements Admission {
  private readonly stages = new WeakMap<Kind, Stages>();

  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  async mutate(
    attributes: AdmissionAttributes,
    object: KubeObject,
    previous: KubeObject | undefined,
  ): Promise<void> {
    for (const plugin of this.stagesOf(attributes.definition).mutating)
      await plugin.mutate?.(attributes, object, previous);
  }

  async validate(
    attributes: AdmissionAttributes,
    object: KubeObject | undefined,
    previous: KubeObject | undefined,
  ): Promise<readonly Requirements[]> {
    const required: Requirements[] = [];
    for (const plugin of this.stagesOf(attributes.definition).validating) {
      const one = await plugin.validate?.(attributes, object, previous);
      if (one !== undefined) required.push({ rule: plugin.name, ...one });
    }
    return required;
  }

  private stagesOf(kind: Kind): Stages {
    const stages = this.stages.get(kind) ?? stagesFor(this.plugins, kind);
    this.stages.set(kind, stages);
    return stages;
  }
}

/** The plugins that concern a kind, by stage. */
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
