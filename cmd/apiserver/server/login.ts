import type { KeyObject } from 'node:crypto';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { Accounts, type AccountParts } from '../../../pkg/management/login/account.js';
import { LoginFlow } from '../../../pkg/management/login/flow.js';
import { openProvider } from '../../../pkg/management/login/provider.js';
import { createSeal } from '../../../pkg/management/login/sealedcookie.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import { LOGIN_CALLBACK, LOGIN_DEVICE } from '../../../pkg/management/login/paths.js';
import type { LoginRoutes } from '../../../pkg/management/login/routes.js';
import type { LoginConfig } from '../options/loginconfig.js';

export interface LoginParts extends Pick<AccountParts, 'usedLogins' | 'invitations' | 'isAdministrator'> {
  readonly config: LoginConfig;
  readonly registry: Registry;
  readonly pepper: KeyObject;
  /** The URL of this server, once it listens. */
  readonly url: () => string;
  readonly failed: (error: unknown) => void;
  /** Undefined: there is no console. */
  readonly console: LoginRoutes['console'];
}

/** Undefined without an identity provider. */
export function openLogin(parts: LoginParts): LoginRoutes | undefined {
  const { config, registry, usedLogins, invitations, isAdministrator } = parts;
  const { pepper, url, failed, console } = parts;
  const { externalUrl, provider: settings } = config;
  if (settings === undefined) return undefined;
  const reached = (): string => (externalUrl ?? url()).replace(/\/$/, '');
  const accounts = new Accounts({
    users: servedStore(registry.stores, User),
    keys: servedStore(registry.stores, OwnedAccessKey),
    settings,
    usedLogins,
    invitations,
    isAdministrator,
  });
  const flow = new LoginFlow({
    settings,
    accounts,
    provider: openProvider(settings),
    seal: createSeal(pepper),
    callback: () => reached() + LOGIN_CALLBACK,
    devicePage: () => `${reached()}${LOGIN_DEVICE}/`,
  });
  return { flow, url: reached, failed, console };
}
