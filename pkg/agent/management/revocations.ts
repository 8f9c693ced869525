/** Revocations of single tokens. */
import { mapSink } from './people.js';
import type { ObjectSink } from './follow.js';

export interface Revocations {
  readonly revocations: ObjectSink;
  /** Whether the token with this `jti` was revoked. */
  isRevoked(this: void, id: string): boolean;
}

/** The management API removes a revocation when its token has expired. */
export function tokenRevocations(): Revocations {
  const known = new Map<string, true>();
  return { revocations: mapSink(known, () => true), isRevoked: (id) => known.has(id) };
}
