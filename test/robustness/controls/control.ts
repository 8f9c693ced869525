/** Builds with a deliberate bug, which the judges must find. */
import type { SourceChange } from '../../fixtures/servers/changedbuild.js';
import type { JudgeName } from '../history/history.js';
import type { EngineName } from '../systems/systems.js';

/** `name`: what the server with the bug does. */
export interface Control extends SourceChange {
  /** The judge that must find it; of several, any. */
  readonly found: readonly JudgeName[];
  readonly engine: EngineName;
  /** The kinds of faults that trigger it; absent: none are needed. */
  readonly faults?: RegExp;
}
