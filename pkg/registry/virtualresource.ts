/** Kinds that are asked and answered, and never stored: reviews and token requests. */
import type { KubeObject, ObjectOf, ResourceDefinition } from '../../api/resource.js';
import type { TrackedKind } from '../apimachinery/managedfields/trackedkind.js';
import type { CompiledSchema } from '../apimachinery/schema/compile.js';
import { compileSchema } from '../apimachinery/schema/compile.js';
import type { TrackedWriteOptions, WriteContextOptions } from './generic/create.js';
import type { ManagementServices } from './management/services.js';
import type { BindingRecord } from './management/virtualclusterinstancekubeconfig/bindingrecord.js';
import type { Move } from './generic/move.js';
import type { ClusterClient } from '../clusterclient/interface.js';
import type { Requester, Strategy } from './strategy.js';
import { trackedKind } from './object/fieldmanager.js';

/** A kind that is asked for by POST. */
export interface VirtualResource<D extends ResourceDefinition = ResourceDefinition> {
  readonly definition: D;
  /** Where it is posted to, where that is a subresource of another kind: `serviceaccounts/{name}/token`. */
  readonly below?: { readonly definition: ResourceDefinition; readonly subresource: string };
  /**
   * A kind that GET asks for too, with an empty object. Its path may leave the namespace out: what the caller must be
   * allowed to do with the object of that name for it to be meant.
   */
  readonly readBy?: { readonly verb: string };
  /** Whether GET alone asks for it. */
  readonly readOnly?: boolean;
  /** May change `object` and answer it. Throws StatusError: 400, 404, 409, 422. */
  answer(object: ObjectOf<D>, context: RequestContext): Promise<KubeObject>;
}

export interface RequestContext {
  readonly user: RequestUser;
  /** Of the path; `''` for cluster-scoped kinds. */
  readonly namespace: string;
  /** Of the object of the path; `''` where the path has none. */
  readonly name: string;
  /** As whom, and how, the answer writes. */
  readonly write: TrackedWriteOptions;
  readonly services: RequestServices;
  /** Adds to the record of the request, where one is kept. */
  annotate(name: string, value: string): void;
}

/** `User` of pkg/authentication is one. */
export type RequestUser = Requester;

/** What answers need of the rest of the server. */
export interface RequestServices {
  authorize(user: RequestUser, attributes: ReviewedAttributes): Promise<ReviewDecision>;
  rulesFor(user: RequestUser, namespace: string): Promise<ReviewedRules>;
  /** `audiences`: whom the token must be for; empty: this API. */
  authenticate(token: string, audiences: readonly string[]): Promise<ReviewedToken>;
  /** Throws StatusError 404 for an object that is not there, as a GET would. */
  read(resource: 'serviceaccounts' | 'secrets', namespace: string, name: string): Promise<KubeObject>;
  /** Connected clusters. */
  readonly clusters: Pick<ClusterClient, 'connect' | 'connectBy'>;
  /** Keeps on whose right a binding inside a virtual cluster rests that is about to be made. Rejects with StorageError. */
  recordBinding(user: RequestUser, binding: Omit<BindingRecord, 'holder'>): Promise<void>;
  issueToken(claims: TokenClaims): Promise<IssuedToken>;
  readonly lifetimes: CredentialLifetimes;
  readonly management: ManagementServices;
  /** Whom a token is for that names nobody. */
  readonly audiences: readonly string[];
  readonly objects: RequestObjects;
  /** What the names of projects' namespaces begin with. */
  readonly projectNamespacePrefix: string;
}

/** How long credentials may live that are made here. */
export interface CredentialLifetimes {
  /**
   * When the credential ends that the caller uses, in ms since 1970; what it makes does not live longer. Undefined: never, as
   * far as is known, or the caller may `create` `ownedaccesskeys/unlimited`.
   */
  endFor(caller: RequestUser): Promise<number | undefined>;
  /** The access key that the caller uses, or that their token was made with; undefined: none. */
  keyOf(caller: RequestUser): KeyFingerprint | undefined;
  /** The access key that tokens end with that the caller makes; undefined: none, or the caller may as above. */
  madeWithFor(caller: RequestUser): Promise<KeyFingerprint | undefined>;
  /** Of tokens of service accounts, in seconds. */
  readonly maxTokenSeconds: number;
  /** Of client certificates for virtual clusters, in seconds. */
  readonly maxCertificateSeconds: number;
}

/** Objects that are kept. Promises reject with StatusErrors; RangeError for kinds that are not served. */
export interface RequestObjects {
  /** As the store has it now. */
  live<D extends ResourceDefinition>(
    kind: D,
    namespace: string,
    name: string,
  ): Promise<ObjectOf<D> | undefined>;
  /** As the cache has it. */
  known<D extends ResourceDefinition>(kind: D, namespace: string, name: string): ObjectOf<D> | undefined;
  /** All of a cluster-scoped kind as the cache has them, by name. */
  cached<D extends ResourceDefinition>(kind: D): Iterable<ObjectOf<D>>;
  /** As a POST would, but for the right to it. */
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

/** What a request wants to do (`k8s.io/apiserver/pkg/authorization/authorizer.Attributes`). */
export type ReviewedAttributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly kind: 'resource';
  /** `get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, `deletecollection`, … */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  /** Plural name. */
  readonly resource: string;
  /** `''` for the object itself. */
  readonly subresource: string;
  /** `''` where the request has none. */
  readonly namespace: string;
  readonly name: string;
  /** What the request is limited to; absent: nothing. They narrow what is asked for, so they may be left out. */
  readonly fieldSelector?: SelectorAttributes;
  readonly labelSelector?: SelectorAttributes;
}

/** As `authorization.k8s.io/v1` has it: one of the two. */
export interface SelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  /** `In`, `NotIn`, `Exists`, `DoesNotExist`. */
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface PathAttributes {
  readonly kind: 'path';
  /** HTTP method in lower case. */
  readonly verb: string;
  readonly path: string;
}

export interface ReviewDecision {
  readonly allowed: boolean;
  /** May be empty. */
  readonly reason: string;
}

/** `authorization.k8s.io/v1 SubjectRulesReviewStatus`. `*` stands for all. */
export interface ReviewedRules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly PathRule[];
  /** Whether there may be rules that cannot be told. */
  readonly incomplete: boolean;
}

export interface ResourceRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: any. */
  readonly resourceNames: readonly string[];
}

export interface PathRule {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** Who holds a token, and for which of the asked audiences; or why nobody does. */
export type ReviewedToken =
  | { readonly user: RequestUser; readonly audiences: readonly string[] }
  | { readonly user: undefined; readonly error: string };

/** What a token of a service account says. Times in seconds since the epoch. */
export interface TokenClaims {
  readonly namespace: string;
  readonly serviceAccount: ObjectName;
  /** The Secret that the token lives and dies with. */
  readonly secret: ObjectName | undefined;
  readonly audiences: readonly string[];
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** The access key that it ends with. */
  readonly madeWith: KeyFingerprint | undefined;
}

/** As pkg/authentication has it. */
export interface KeyFingerprint {
  readonly name: string;
  readonly uid: string;
  readonly fingerprint: string;
}

export interface IssuedToken {
  readonly token: string;
  /** Its `jti`. */
  readonly id: string;
}

/** The annotation of the record of a request that issued a token (`k8s.io/kubernetes`), with `JTI=<id>`. */
export const ISSUED_CREDENTIAL = 'authentication.kubernetes.io/issued-credential-id';

export interface ObjectName {
  readonly name: string;
  readonly uid: string;
}

/** A request kind, ready to be served. */
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
