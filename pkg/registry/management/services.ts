import type { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Scope } from '../../../api/management.svc.example/v1/scope.js';
import type { Team } from '../../../api/management.svc.example/v1/team.js';
import type { User as UserObject } from '../../../api/management.svc.example/v1/user.js';
import type { KeyFingerprint, User } from '../../apimachinery/user.js';

/** What request kinds of this service ask of the server. All but tokens are from memory. */
export interface ManagementServices {
  /** Undefined: neither a user nor a team of this service. */
  holder(caller: User): Holder | undefined;
  /** A user or a team as requests of theirs would be made now, in the groups that this server knows. */
  person(kind: 'User' | 'Team', name: string): User;
  /** Name of the access key that the caller uses; undefined: none. */
  usedKey(caller: User): string | undefined;
  /** The access key of this name, or the one that this is. */
  findKey(nameOrKey: string): OwnedAccessKey | undefined;
  /** Whether a scope allows nothing that the other does not. */
  scopeWithin(inner: Scope | undefined, outer: Scope | undefined): boolean;
  issueDirectToken(claims: DirectTokenClaims): Promise<IssuedToken>;
}

/** Who a credential stands for. */
export type Holder =
  | {
      readonly kind: 'User';
      readonly object: UserObject;
      readonly disabled: boolean;
      readonly teams: readonly string[];
    }
  | { readonly kind: 'Team'; readonly object: Team };

/** What a token for connected clusters says. Times in seconds since the epoch. */
export interface DirectTokenClaims {
  /** The name that the holder's requests are made under. */
  readonly subject: string;
  readonly groups: readonly string[];
  readonly holder: TokenHolder;
  /** The Cluster that it is for; `''`: any. */
  readonly cluster: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access key that it ends with. */
  readonly madeWith: KeyFingerprint | undefined;
}

export interface TokenHolder {
  readonly kind: 'User' | 'Team';
  readonly name: string;
  readonly uid: string;
  /** Tokens of an earlier generation than the holder's have ended. */
  readonly generation: number;
  readonly scope?: Scope;
}
export interface IssuedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
}
