import type { ObjectKey, ResourceDefinition } from '../../api/resource.js';
import type { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import type { Project } from '../../api/management.svc.example/v1/project.js';
import type { Scope } from '../../api/management.svc.example/v1/scope.js';
import type { Team } from '../../api/management.svc.example/v1/team.js';
import type { User as UserObject } from '../../api/management.svc.example/v1/user.js';
import type { KeyFingerprint, User } from '../apimachinery/user.js';
import type { IssuedToken, AnswerContext, RequestServices } from '../registry/virtualresource.js';
import type { AuditAnswer, AuditQuery } from './auditsearch/query.js';
import type { ClusterClient } from './clusters/client/interface.js';
import type { JoinTokens } from './clusters/join/jointokens.js';
import type { InvitationLink } from './login/invited.js';
import type { Holder as RightHolder } from './standingrights/standing.js';
import type { SubjectLocator } from './subjectlocator.js';
import type { UsedQuota } from './projects/usage/used.js';
import type { BindingRecord } from './instances/kubeconfig/bindingrecord.js';
import type { UserInside } from './instances/kubeconfig/certificate.js';

/** What virtual resources of this group need of the server. */
export interface ManagementServices extends RequestServices, Identification {
  /** Connected clusters. */
  readonly clusters: Pick<ClusterClient, 'connect' | 'connectBy'>;
  readonly joinTokens: Pick<JoinTokens, 'allows' | 'make'>;
  /**
   * Records the user on whose right a new binding inside a virtual cluster depends. Rejects with StatusError 403, and
   * StorageError.
   */
  recordBinding(
    user: User,
    binding: Omit<BindingRecord, 'holder' | 'binding' | 'end'>,
  ): Promise<RecordedBinding>;
  /** Rejects with StatusError: 400 and 410 for `from`, 429 where the caller has searches under way. */
  searchAudit(caller: User, query: AuditQuery): Promise<AuditAnswer>;
  readonly subjects: SubjectLocator & {
    /** Whether no other API server decides, too. */
    readonly decidesAlone: boolean;
  };
  /** The objects of a kind that lists show to the user, in their order. `start`: the path of the first; `''`: all. */
  seenBy(user: User, kind: ResourceDefinition, start: string): Iterable<ObjectKey>;
  /** The quotas of a project with their use, as of the newest revision. */
  projectUsage(project: Project): Promise<readonly UsedQuota[]>;
  issueDirectToken(claims: DirectTokenClaims): Promise<IssuedToken>;
  /** Undefined: there is no console, to which links of invitations lead. */
  readonly invitations: InvitationLinks | undefined;
  /** The prefix of the namespaces of projects. */
  readonly projectNamespacePrefix: string;
}

export interface RecordedBinding {
  /** Whom to bind. */
  readonly inside: UserInside;
  /** Records the expiry of the certificate, in ms since 1970. Rejects with StorageError. */
  readonly issued: (end: number) => Promise<void>;
}

export interface InvitationLinks {
  /** Whether people log in with an identity provider. */
  readonly hasProvider: boolean;
  /** The link of a record: a URL, or a path if the external URL of the server is not known. */
  link(of: InvitationLink, lifeMs: number): string;
  /** The creator as the record has them. */
  creator(user: User): RightHolder;
}

export type ManagementAnswerContext = AnswerContext<ManagementServices>;

/** Who callers are, from memory. */
interface Identification {
  /** The User or Team of a credential; undefined: neither. */
  holder(caller: User): Holder | undefined;
  /** The user of requests that a User or Team would make now, with the groups that this server knows. */
  person(kind: 'User' | 'Team', name: string): User;
  /** The name of the caller's access key; undefined: none. */
  usedKey(caller: User): string | undefined;
  /** The access key with this name or value. */
  findKey(nameOrKey: string): OwnedAccessKey | undefined;
}

/** The holder of a credential. */
export type Holder =
  | {
      readonly kind: 'User';
      readonly object: UserObject;
      readonly disabled: boolean;
      readonly teams: readonly string[];
    }
  | { readonly kind: 'Team'; readonly object: Team };

/** The claims of a token for connected clusters. Times in seconds since the epoch. */
export interface DirectTokenClaims {
  /** The user name of the holder's requests. */
  readonly subject: string;
  readonly groups: readonly string[];
  readonly holder: TokenHolder;
  /** The Cluster of the token; `''`: any. */
  readonly cluster: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access key with which the token ends. */
  readonly madeWith: KeyFingerprint | undefined;
}

export interface TokenHolder {
  readonly kind: 'User' | 'Team';
  readonly name: string;
  readonly uid: string;
  /** The holder's generation: tokens of an earlier one are revoked. */
  readonly generation: number;
  readonly scope?: Scope;
}
