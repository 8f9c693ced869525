import type { KubeObject, JsonValue } from '../../../api/resource.js';

/** One update of one object. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  /** `''`, or `status`. */
  readonly subresource: string;
  /**
   * The object that the client wants, made of the one that there is; fresh each time, never a part of `live`. Called
   * again when another writer came first.
   */
  readonly change: (live: KubeObject) => KubeObject | Promise<KubeObject>;
  /** A PUT must bring a resourceVersion where the kind asks for one; a patch need not. */
  readonly versionRequired: boolean;
  /** What an apply applies: it has settled managedFields itself, and is refused where they make the object too large. */
  readonly applied?: JsonValue;
  /** Whether the client says which version it changes. */
  readonly versioned?: boolean;
}
