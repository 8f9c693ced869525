import type { KeyObject } from 'node:crypto';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { GroupRule } from '../../../api/management.svc.example/v1/grouprules/grouprule.js';
import { User } from '../../../api/management.svc.example/v1/user.js';
import { Accounts, type AccountParts } from '../../../pkg/management/login/account.js';
import { LoginFlow } from '../../../pkg/management/login/flow.js';
import { openProvider } from '../../../pkg/management/login/provider.js';
import { createSeal } from '../../../pkg/management/login/sealedcookie.js';
import { backChannelLogout } from '../../../pkg/management/login/backchannel/backchannellogout.js';
import { EndedLogins } from '../../../pkg/management/login/backchannel/endedlogins.js';
import type { LoginIdentity, LoginSettings } from '../../../pkg/management/login/interface.js';
import { LoginRefresh, type LoginRefreshParts } from '../../../pkg/management/login/refresh/loginrefresh.js';
import { RefreshRecords } from '../../../pkg/management/login/refresh/refreshrecords.js';
import { ShortRecords, type ShortRecordParts } from '../../../pkg/management/login/shortrecords.js';
import type { UsedLogins } from '../../../pkg/management/login/usedlogins.js';
import { currentRules } from '../../../pkg/management/grouprules/ruleset.js';
import { cacheOf } from '../../../pkg/registry/keys.js';
import type { Registry } from '../../../pkg/registry/registry.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import { LOGIN_CALLBACK, LOGIN_DEVICE } from '../../../pkg/management/login/paths.js';
import type { LoginRoutes } from '../../../pkg/management/login/routes.js';
import type { LoginConfig } from '../options/loginconfig.js';
import type { ShutdownHooks } from './shutdownhooks.js';

export interface LoginParts extends Pick<AccountParts, 'invitations' | 'isAdministrator'> {
  readonly usedLogins: UsedLogins;
  readonly storage: ShortRecordParts['storage'];
  readonly shutdownHooks: ShutdownHooks;
  readonly config: LoginConfig;
  readonly registry: Registry;
  readonly pepper: KeyObject;
  /** The URL of this server, once it listens. */
  readonly url: () => string;
  readonly failed: (error: unknown) => void;
  /** Undefined: there is no console. */
  readonly console: LoginRoutes['console'];
}

type Asked = Omit<LoginRefreshParts, 'settings' | 'records' | 'failed'> & {
  readonly settings: LoginSettings;
};

/** Undefined: the provider is not asked again about logins. */
function openRefreshes(
  { storage, failed, shutdownHooks }: LoginParts,
  { settings, ...asked }: Asked,
): LoginRefresh | undefined {
  const { refreshMs } = settings;
  const records = new RefreshRecords(storage);
  if (refreshMs === undefined) {
    records.clear().catch(failed);
    return undefined;
  }
  const refreshes = new LoginRefresh({ ...asked, settings: { ...settings, refreshMs }, records, failed });
  shutdownHooks.push(refreshes.begin());
  return refreshes;
}

/** Undefined without an identity provider. */
export function openLogin(parts: LoginParts): LoginRoutes | undefined {
  const { config, registry, usedLogins, invitations, isAdministrator } = parts;
  const { pepper, storage, url, failed, console } = parts;
  const { externalUrl, provider: settings } = config;
  if (settings === undefined) return undefined;
  const reached = (): string => (externalUrl ?? url()).replace(/\/$/, '');
  const users = servedStore(registry.stores, User);
  const keys = servedStore(registry.stores, OwnedAccessKey);
  const endedLogins = new EndedLogins(new ShortRecords('private/logout/', { storage, failed }));
  const rules = currentRules(cacheOf(registry.cache, GroupRule), () => undefined);
  const ruleClaims = (): Iterable<string> => rules().claims();
  const provider = openProvider(settings, ruleClaims);
  const seal = createSeal(pepper);
  const refreshes = openRefreshes(parts, { settings, provider, ruleClaims, users, keys, seal });
  const accounts = new Accounts({
    refreshes,
    users,
    keys,
    settings,
    usedLogins,
    endedLogins,
    invitations,
    isAdministrator,
  });
  const flow = new LoginFlow({
    settings,
    accounts,
    ruleClaims,
    provider,
    seal,
    refreshes,
    identities: new ShortRecords<LoginIdentity>('private/waitinglogin/', { storage, failed }),
    callback: () => reached() + LOGIN_CALLBACK,
    devicePage: () => `${reached()}${LOGIN_DEVICE}/`,
  });
  const logout = backChannelLogout({ users, keys, settings, usedLogins, endedLogins });
  return { flow, logout, url: reached, failed, console };
}
