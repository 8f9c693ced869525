import type { KubeObject, JsonValue } from '../../../api/resource.js';

/** One update of one object. */
export interface UpdateRequest {
  readonly namespace: string;
  readonly name: string;
  /** `''`, or `status`. */
  readonly subresource: string;
  /**
   * Returns the requested object: a new one for each call, which shares nothing with `live`. Called again after a
   * conflict.
   */
  readonly change: (live: KubeObject) => KubeObject | Promise<KubeObject>;
  /** Whether a resourceVersion is required if the kind requires one: for PUT, not for PATCH. */
  readonly versionRequired: boolean;
  /**
   * The configuration of an apply. It has computed managedFields already, and is refused if they make the object too
   * large.
   */
  readonly applied?: JsonValue;
  /** Whether the request has a resourceVersion. */
  readonly versioned?: boolean;
}
