/** What a server opens for people and pipelines that log in: the console, invitations, and logins. */
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { inWords } from '../../../pkg/apimachinery/starterror.js';
import { openConsole, type Console } from '../../../pkg/management/console/open.js';
import type { InvitationRoutes } from '../../../pkg/management/console/invitationroutes.js';
import type { JoinTokens } from '../../../pkg/management/clusters/join/jointokens.js';
import { UsedLogins } from '../../../pkg/management/login/usedlogins.js';
import { administrators } from '../../../pkg/management/people/administrators.js';
import type { FeatureRoutes } from '../../../pkg/management/routes.js';
import type { InvitationLinks } from '../../../pkg/management/services.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import { openInvitations } from './invitations.js';
import { openJoinTokens } from './jointokens.js';
import { openLogin } from './login.js';
import type { Parts } from './requestparts.js';
import { openWorkload } from './workload.js';

export interface Features extends Pick<FeatureRoutes, 'login' | 'workload'> {
  /** Undefined: it is not served. */
  readonly console: (Console & Pick<InvitationRoutes, 'invitations' | 'keys'>) | undefined;
  /** Undefined without a console, to which the links lead. */
  readonly links: InvitationLinks | undefined;
  readonly joinTokens: JoinTokens;
  /** Called with errors of logins that are not the person's. */
  readonly failed: (error: unknown) => void;
}

export function openFeatures(parts: Parts): Features {
  const { operations, registry, authorizer, identities, pepper, accessKeys, hostTokens } = parts;
  const { config, log, address } = operations;
  const failed = (error: unknown): void => log.warn({ reason: inWords(error) }, 'a login did not work');
  const usedLogins = new UsedLogins({ storage: parts.storage, failed });
  const console = openConsole({
    isServed: config.console,
    registry,
    accessKeys,
    pepper,
    usedLogins,
    hostTokens,
    notBuilt: (directory) => log.warn({ directory }, 'the console was not built: /console is not served'),
  });
  const { invitations, links } = openInvitations(parts, config.login);
  const login = openLogin({
    config: config.login,
    registry,
    invitations,
    isAdministrator: administrators(authorizer, identities),
    usedLogins,
    storage: parts.storage,
    shutdownHooks: operations.shutdownHooks,
    url: () => address.url,
    pepper,
    console: console?.sessions,
    failed,
  });
  const keys = servedStore(registry.stores, OwnedAccessKey);
  return {
    console: console && { ...console, invitations, keys },
    links: console && links,
    joinTokens: openJoinTokens(parts, usedLogins),
    failed,
    login,
    workload: openWorkload(config.workload, registry, log),
  };
}
