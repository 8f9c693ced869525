/** The dependencies of request handling, and the observation of an answered request. */
import type { IncomingMessage } from 'node:http';
import type { ResourceDefinition } from '../../api/resource.js';
import type { RequestInfo } from './requestinfo.js';
import type { User } from '../apimachinery/user.js';
import type { Exchange, Filter, Handler } from './httpexchange.js';
import type { Logger } from './logging/log.js';
import type { Authenticator } from '../authentication/interface.js';
import type { Authorizer } from '../authorization/interface.js';
import type { Visibility } from '../authorization/visibility.js';
import type { RequestServices } from '../registry/virtualresource.js';
import type { BeginAudit } from './filters/audit.js';
import type { Admit } from './filters/flowcontrol/flowcontrol.js';
import type { NewestRevision } from '../cache/watch/consistent.js';
import type { WaitUntilFresh } from './filters/freshness.js';
import type { Activity } from './activity.js';
import type { ResourceStores } from './resources.js';
import type { AccessRevision } from './revalidation/accessrevision.js';
import type { WatchRegistry } from './watch/watchregistry.js';
import type { StageTimes } from './stages.js';
import type { RequestTracing } from '../tracing/interface.js';
import type { BlockCache } from './responsewriters/listgzip/blockcache.js';

/** An object that holds up the deletion of its owner. */
interface BlockingDependent {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
}

/** The cached objects that block the foreground deletion of an owner. */
export type BlockingDependents = (owner: string) => Iterable<BlockingDependent>;

/** An answered request, for logs and metrics. */
export interface Observation {
  readonly info: RequestInfo;
  /** Whether it is a PATCH that applies. */
  readonly applies: boolean;
  /** Whether this server has the resource and subresource. */
  readonly served: boolean;
  readonly code: number;
  readonly milliseconds: number;
  /** Whether the client determines its duration: a watch, a tunnel, a request forwarded to a cluster. */
  readonly longRunning: boolean;
  readonly stages: () => StageTimes;
  /** The authenticated user. */
  readonly user: string;
  /** The impersonated user, if any. */
  readonly impersonated: string | undefined;
  readonly auditId: string;
  /** The id of its trace, if that is exported. */
  readonly traceId?: string | undefined;
  /** For the log: address, protocol, user agent. */
  readonly request: Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>;
}

/** Clusters whose agents have dialled this server. */
export interface ClusterTunnels {
  /**
   * Passes a request that is marked so on to its cluster. `user`: of a token for that cluster. Rejects with
   * StatusError.
   */
  pass(exchange: Exchange, user: User): Promise<void>;
  /** Makes a request a tunnel that asks to become one; undefined of every other. Its caller may. Rejects with StatusError. */
  accept(exchange: Exchange, info: RequestInfo, user: User): Promise<void> | undefined;
}

export interface HandlerDependencies {
  readonly stores: ResourceStores;
  /** Of the store. */
  readonly newestRevision: NewestRevision;
  /** Absent if no other server writes to the store. */
  readonly waitUntilFresh?: WaitUntilFresh | undefined;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly visibility: Visibility;
  /** Absent where nothing is served that rights could be taken from. */
  readonly access?: AccessRevision | undefined;
  /** The services for virtual resources. */
  readonly services: RequestServices;
  /** Whether requests without credentials for a path go on as `system:anonymous`. */
  readonly anonymous: (path: string) => boolean;
  /** Whether everybody may ask for a path, which judges its requests itself; absent: for none. */
  readonly alwaysAllowed?: (path: string) => boolean;
  /**
   * Whether an anonymous request does not close its HTTP/2 connection: it is answered from memory, and browsers send
   * many at a time. Absent: none.
   */
  readonly keepsConnection?: (path: string, method: string) => boolean;
  /** Answers everything that is not a resource. */
  readonly other: Handler;
  readonly blockingDependents: BlockingDependents;
  readonly watches: WatchRegistry;
  readonly log: Pick<Logger, 'error' | 'warn'>;
  readonly observe: (observation: Observation) => void;
  readonly activity: Activity;
  /** Compressed pieces of lists. */
  readonly blocks: BlockCache;
  readonly audit: BeginAudit;
  readonly admit: Admit;
  /** Before all stages, in this order. */
  readonly filters: readonly Filter[];
  /** Absent where requests are not traced. */
  readonly tracing?: RequestTracing | undefined;
  /** Absent if no cluster is accessible through this server. */
  readonly clusters?: ClusterTunnels;
}

/** The dependencies that all verbs share. */
export type DispatchDependencies = Pick<
  HandlerDependencies,
  'stores' | 'watches' | 'authorizer' | 'visibility' | 'services' | 'blockingDependents' | 'blocks'
>;
