import type { SignToken } from '../../../pkg/authentication/issuedtoken/sign.js';
import type { KeyObject } from 'node:crypto';
import type { Identities } from '../../../pkg/management/people/identities/interface.js';
import type { Authenticator } from '../../../pkg/authentication/interface.js';
import type { Deciders } from '../../../pkg/management/authorizers.js';
import type { ObjectRightsAuthorizer } from '../../../pkg/management/sharing/objectrights/authorizer.js';
import type { RightsVisibility } from '../../../pkg/management/visibility/visibility.js';
import type { ClusterClient } from '../../../pkg/management/clusters/client/interface.js';
import type { SigningKeys } from '../../../pkg/clusteridentity/signingkeys.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import type { ResourceStores } from '../../../pkg/server/resources.js';
import type { HealthEndpoint } from '../../../pkg/server/routes/health.js';
import type { Storage } from '../../../pkg/storage/interface.js';
import type { Presence } from '../../../pkg/tunnel/accept.js';
import type { Tunnels } from '../../../pkg/tunnel/tunnels.js';
import type { AccessKeys } from '../../../pkg/management/openaccesskeys.js';
import type { ServedDocuments } from '../../../pkg/server/routes/documents.js';
import type { Operations } from './telemetry.js';
import type { RequestServices } from '../../../pkg/registry/virtualresource.js';

/** The parts of the request path. */
export interface Parts {
  readonly operations: Operations;
  /** The kinds that are served. */
  readonly stores: ResourceStores;
  readonly documents: ServedDocuments;
  readonly health: readonly HealthEndpoint[];
  readonly storage: Pick<Storage, 'capabilities' | 'get' | 'scan' | 'commit'>;
  readonly registry: Registry;
  readonly authenticator: Authenticator;
  /** The tokens that TokenReviews of this server accept. */
  readonly reviewed: Authenticator;
  /** Authenticates tokens of the host, for logins to the console; absent: there is no host. */
  readonly hostTokens?: Authenticator;
  readonly authorizer: Deciders['authorizer'];
  readonly objects: ObjectRightsAuthorizer;
  readonly identities: Identities;
  readonly visibility: RightsVisibility;
  readonly signingKeys: SigningKeys;
  readonly issuerUrl: () => string;
  readonly sign: SignToken;
  readonly issueAccountToken: RequestServices['issueToken'];
  readonly pepper: KeyObject;
  readonly accessKeys: Pick<AccessKeys, 'authenticator' | 'index' | 'lifetimes'>;
  readonly clusters: ClusterClient;
  /** The tunnels of agents to this server. */
  readonly tunnels: Tunnels;
  /** This server among those of the store. */
  readonly presence: Presence;
  /** Calls the listener when a credential outside the registry may have ended. */
  readonly onCredentialsEnded?: (listener: () => void) => void;
}
