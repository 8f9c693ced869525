/** Fields that many kinds have in common, as pages show them. */
import type { Condition } from '../../../api/meta/v1/condition.js';
import type { ObjectMeta } from '../../../api/resource.js';

export interface NamedView {
  readonly metadata: ObjectMeta;
  readonly displayName: string;
  readonly description: string;
}

/** An object with a phase. */
export interface PhaseView extends NamedView {
  readonly phase: string;
  /** Why the object is in this phase, as a word and as a sentence. */
  readonly reason: string;
  readonly message: string;
  readonly conditions: readonly Condition[];
}

interface Named {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly displayName?: string; readonly description?: string };
}

interface Phased extends Named {
  readonly status?: Partial<Pick<PhaseView, 'phase' | 'reason' | 'message' | 'conditions'>>;
}

export const namedView = ({
  metadata,
  spec: { displayName = '', description = '' } = {},
}: Named): NamedView => ({
  metadata,
  displayName,
  description,
});

export const phaseView = (object: Phased): PhaseView => {
  const { phase = 'Pending', reason = '', message = '', conditions = [] } = object.status ?? {};
  return { ...namedView(object), phase, reason, message, conditions };
};
