/** Virtual resources: kinds that are answered and never stored, such as reviews and token requests. */
import type { KubeObject, ObjectKey, ObjectOf, ResourceDefinition } from '../../api/resource.js';
import type { TrackedKind } from '../apimachinery/managedfields/trackedkind.js';
import { compileSchema, type CompiledSchema } from '../apimachinery/schema/compile.js';
import type { TrackedWriteOptions, WriteContextOptions } from './generic/create.js';
import type { Move } from './generic/move.js';
import type { Attributes, Rules } from '../apimachinery/attributes.js';
import type { KeyFingerprint, User } from '../apimachinery/user.js';
import type { Strategy } from './strategy.js';
import { trackedKind } from './object/fieldmanager.js';

/** A kind that clients POST. `Services`: what its answers need of the server. */
export interface VirtualResource<
  D extends ResourceDefinition = ResourceDefinition,
  Services extends RequestServices = RequestServices,
> {
  readonly definition: D;
  /** Set if it is a subresource of another kind: `serviceaccounts/{name}/token`. */
  readonly below?: { readonly definition: ResourceDefinition; readonly subresource: string };
  /**
   * A kind that GET serves too, as a POST of an empty object. Its path may omit the namespace: it then means the object
   * of that name on which the caller has this verb.
   */
  readonly readBy?: { readonly verb: string };
  /** Whether only GET is served. */
  readonly readOnly?: boolean;
  /** Whether objects of the kind are stored: then only POST is answered here. */
  readonly stored?: boolean;
  /** May modify `object` and return it. Throws StatusError: 400, 404, 409, 422. */
  answer(object: ObjectOf<D>, context: AnswerContext<Services>): Promise<KubeObject>;
}

export interface AnswerContext<Services extends RequestServices = RequestServices> {
  readonly user: User;
  /** The namespace of the path; `''` for cluster-scoped kinds. */
  readonly namespace: string;
  /** The name of the object of the path; `''` if the path has none. */
  readonly name: string;
  /** The user and the options of writes. */
  readonly write: TrackedWriteOptions;
  /** The IP address that the request came from; `''`: not known. */
  readonly sourceAddress: string;
  readonly services: Services;
  /** Adds an annotation to the audit event, if there is one. */
  annotate(name: string, value: string): void;
}

/** What virtual resources need of the server. */
export interface RequestServices {
  authorize(user: User, attributes: Attributes): Promise<ReviewDecision>;
  rulesFor(user: User, namespace: string): Promise<Rules>;
  /** `audiences`: the accepted audiences of the token; empty: this API. */
  authenticate(token: string, audiences: readonly string[]): Promise<ReviewedToken>;
  /** Throws StatusError 404 for an object that does not exist, as GET does. */
  read(resource: 'serviceaccounts' | 'secrets', key: ObjectKey): Promise<KubeObject>;
  issueToken(claims: TokenClaims): Promise<IssuedToken>;
  readonly lifetimes: CredentialLifetimes;
  /** The audience of tokens that request none. */
  readonly audiences: readonly string[];
  readonly objects: RequestObjects;
}

/** Limits of the lifetime of credentials that the request creates. */
interface CredentialLifetimes {
  /**
   * Expiry of the credential of the request, in ms since 1970; credentials that it creates do not outlive it.
   * Undefined: no known expiry, or the caller may `create` `ownedaccesskeys/unlimited`.
   */
  endFor(caller: User): Promise<number | undefined>;
  /** The access key of the request, or the one that its token was created with; undefined: none. */
  keyOf(caller: User): KeyFingerprint | undefined;
  /** The access key with which tokens of the caller end; undefined: none, or the caller is exempt as above. */
  madeWithFor(caller: User): Promise<KeyFingerprint | undefined>;
}

/** Access to stored objects. Promises reject with StatusErrors; RangeError for kinds that are not served. */
export interface RequestObjects {
  /** Reads from the store. */
  live<D extends ResourceDefinition>(kind: D, key: ObjectKey): Promise<ObjectOf<D> | undefined>;
  /** Reads from the cache. */
  known<D extends ResourceDefinition>(kind: D, key: ObjectKey): ObjectOf<D> | undefined;
  /** All objects of a cluster-scoped kind from the cache, by name. */
  cached<D extends ResourceDefinition>(kind: D): Iterable<ObjectOf<D>>;
  /** The objects of a cluster-scoped kind that have this value in a selectable field, from the cache. */
  selected<D extends ResourceDefinition>(kind: D, field: string, value: string): Selected<ObjectOf<D>>;
  /** Creates an object like POST, without authorization. */
  create(
    kind: ResourceDefinition,
    namespace: string,
    object: KubeObject,
    write: TrackedWriteOptions,
  ): Promise<void>;
  move<D extends ResourceDefinition>(
    kind: D,
    move: Omit<Move<ObjectOf<D>>, 'dependents' | 'isEverywhere'>,
    write: WriteContextOptions,
  ): Promise<void>;
}

interface Selected<T extends KubeObject> {
  readonly count: number;
  objects(): Iterable<T>;
}

interface ReviewDecision {
  readonly allowed: boolean;
  /** May be empty. */
  readonly reason: string;
}

/** The user of a token and its audiences, or why it is invalid. */
export type ReviewedToken =
  | { readonly user: User; readonly audiences: readonly string[] }
  | { readonly user: undefined; readonly error: string };

/** The contents of a service account token. Times in seconds since the epoch. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectName;
  /** The Secret that the token is bound to. */
  readonly secret?: ObjectName | undefined;
  /** The name of the Secret that holds the token, with which it ends. */
  readonly heldBy?: string | undefined;
  /** Absent: this API. */
  readonly audiences?: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access key that the token ends with. */
  readonly madeWith: KeyFingerprint | undefined;
}

export interface IssuedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
}

/** The annotation of the audit event of a TokenRequest (`k8s.io/kubernetes`), with `JTI=<id>`. */
export const ISSUED_CREDENTIAL = 'authentication.kubernetes.io/issued-credential-id';

export interface ObjectName {
  readonly name: string;
  readonly uid: string;
}

/** A virtual resource, ready to be served. */
export interface VirtualResourceStore extends VirtualResource {
  readonly schema: CompiledSchema;
  readonly strategy: Strategy;
  readonly tracked: TrackedKind;
}

export function virtualResourceStore(kind: VirtualResource): VirtualResourceStore {
  const { definition } = kind;
  let tracked: TrackedKind | undefined;
  return {
    ...kind,
    schema: compileSchema(definition),
    strategy: { generation: false },
    get tracked() {
      return (tracked ??= trackedKind(definition));
    },
  };
}
