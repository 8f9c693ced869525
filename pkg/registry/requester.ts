import type { User } from '../apimachinery/user.js';

/** The user of a write. */
export interface Requester extends User {
  /** Whether a controller of this server writes, and not a request, whatever the name of its user. */
  readonly internal?: true;
}

/** The user of the server's own writes (`k8s.io/apiserver/pkg/authentication/user.APIServerUser`). */
export const LOOPBACK_USER = 'system:apiserver';
