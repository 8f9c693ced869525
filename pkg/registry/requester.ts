import type { User } from '../apimachinery/user.js';

/** The user of a write. */
export interface Requester extends User {
  /** Whether a controller of this server writes, and not a request, whatever the name of its user. */
  readonly internal?: true;
}
