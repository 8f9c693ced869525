/** Creates the admission plugins that `pluginchoice.ts` lists. */
import { clusterScoped } from '../../api/resource.js';
import { OwnedAccessKey } from '../../api/management.svc.example/v1/ownedaccesskey.js';
import { Project } from '../../api/management.svc.example/v1/project.js';
import { projectOfNamespace } from './projects/names.js';
import { accessKeyLifetime, type KeyLifetimeParts } from './accesskeys/accesskeylifetime.js';
import { accessKeyOwner } from './accesskeys/accesskeyowner.js';
import { accessSubjects } from './sharing/accesssubjects.js';
import { AdmissionChain, type AdmissionPlugin } from '../admission/chain.js';
import { clusterKubeconfig } from './clusters/clusterkubeconfig.js';
import { grantedAccess } from './sharing/grantedaccess.js';
import { demandRole, grantedRoles } from './projects/grantedroles.js';
import { projectKeys } from './accesskeys/projectkeys/admission.js';
import { groupRuleTargets, type FindTarget } from './grouprules/targets.js';
import { grantedIdentities } from './accesskeys/grantedidentities/grantedidentities.js';
import { instancePlacement, type FindProject } from './instances/instanceplacement.js';
import { unknownSubjects, type IsSubject } from './sharing/unknownsubjects.js';
import { managedRoles } from './sharing/managedroles.js';
import { namespaceAutoProvision } from '../admission/namespaceautoprovision/namespaceautoprovision.js';
import { namespaceLifecycle } from '../admission/namespacelifecycle/namespacelifecycle.js';
import { ownerLimits } from './limits/ownerlimits.js';
import { ownerReferencesPermissionEnforcement } from '../admission/ownerreferences/ownerreferences.js';
import { projectQuota } from './projects/usage/projectquota.js';
import { projectSecretSource } from './projectsecrets/projectsecretsource.js';
import { rbacEscalation } from '../admission/rbacescalation/rbacescalation.js';
import { reservedMetadata } from './instances/reservedmetadata.js';
import { userLimits } from './limits/userlimits.js';
import { userUsages } from './limits/usage.js';
import { reservedStatus } from './instances/reservedstatus.js';
import { createLastUsed } from './accesskeys/authentication/lastused.js';
import { KeyLifetimes } from './accesskeys/authentication/lifetime.js';
import { peopleOf } from './standingrights/people.js';
import type { Identities } from './people/identities/interface.js';
import type { Authorizer } from '../authorization/interface.js';
import type { RbacAuthorizer } from '../authorization/rbac/authorizer.js';
import type { Cache } from '../cache/interface.js';
import type { Admission } from '../registry/admission.js';
import { cacheOf } from '../registry/keys.js';
import { createNamespace } from '../registry/core/namespace/bootstrap.js';
import { findNamespace } from '../registry/core/namespace/find.js';
import { KEY_RECORDS } from './accesskeys/keyrecord.js';
import { ORIGIN_RECORDS, readOrigin } from './accesskeys/originrecord.js';
import { USE_RECORDS } from './accesskeys/userecord.js';
import { ProjectUsage } from './projects/usage/usage.js';
import { readStored, type ResourceStore, storeOf } from '../registry/resourcestore.js';
import type { Settings } from './settings.js';
import { chosenPlugins, type PluginChoice, type PluginName } from './pluginchoice.js';
import { ServiceAccount } from '../../api/core/v1/serviceaccount.js';
import {
  serviceAccountTokens,
  type TokenSecretParts,
} from '../admission/serviceaccounttoken/serviceaccounttoken.js';
import { endFor, madeWithFor } from './accesskeys/unlimited.js';
import { Team } from '../../api/management.svc.example/v1/team.js';
import { User } from '../../api/management.svc.example/v1/user.js';
import { Secret } from '../../api/core/v1/secret.js';
import { SharedSecret } from '../../api/management.svc.example/v1/sharedsecret.js';

export interface PluginParts {
  readonly stores: readonly ResourceStore[];
  readonly cache: Pick<Cache, 'resource'>;
  readonly authorizer: Authorizer;
  /** Set if this server stores the roles. */
  readonly rbac: RbacAuthorizer;
  readonly identities: Identities;
  readonly settings: Settings;
  /** Set if this server stores Secrets and issues their tokens. */
  readonly accountTokens?: Pick<TokenSecretParts, 'issue' | 'authority'> | undefined;
}

const MAKERS: Readonly<Record<PluginName, (parts: PluginParts) => AdmissionPlugin>> = {
  NamespaceAutoProvision: ({ stores }) =>
    namespaceAutoProvision({
      exists: async (name) => (await findNamespace(stores, name)) !== undefined,
      create: (name) => createNamespace(stores, name),
    }),
  NamespaceLifecycle: ({ stores }) =>
    namespaceLifecycle((name, bypassCache) => findNamespace(stores, name, bypassCache)),
  OwnerReferencesPermissionEnforcement: ({ stores, authorizer }) => {
    const definitions = stores.map(({ definition }) => definition);
    return ownerReferencesPermissionEnforcement(authorizer, definitions);
  },
  ProjectQuota: ({ stores, settings }) => projectQuota(new ProjectUsage(stores, settings)),
};

/** The checks of privilege escalation cannot be disabled. */
export function admissionPlugins(parts: PluginParts, choice: PluginChoice): Admission {
  const chosen = chosenPlugins(choice).map((name) => MAKERS[name](parts));
  const lifetimes = lifetimesOf(parts);
  return new AdmissionChain([
    ...chosen,
    ...accountTokens(parts, lifetimes),
    reservedMetadata(parts.authorizer),
    reservedStatus(parts.authorizer),
    accessKeyOwner(parts.identities),
    groupRuleTargets(targetsIn(parts.stores)),
    managedRoles(parts.settings),
    rbacEscalation(parts.authorizer, parts.rbac),
    grantedIdentities(parts.authorizer, parts.settings),
    projectKeysOf(parts),
    accessKeyLifetime(keyLifetimeParts(parts, lifetimes)),
    instancePlacement(parts.authorizer, projectFinder(parts)),
    projectSecretSourceOf(parts),
    accessSubjects(),
    unknownSubjects(subjectsIn(parts.stores), parts.authorizer, parts.settings),
    grantedAccess(parts.authorizer),
    clusterKubeconfigOf(parts),
    grantedRoles(parts.authorizer, parts.settings),
    ownerLimits(parts.authorizer),
    // The last one: whatever is refused by others takes no turn.
    userLimits(parts.authorizer, userUsages(parts.stores)),
  ]);
}

function projectKeysOf({ stores, authorizer, identities, settings }: PluginParts): AdmissionPlugin {
  const projects = storeOf(stores, Project);
  return projectKeys({
    identities,
    findProject: (name) => projects?.cache.latest().get(name)?.object(),
    demandRole: demandRole(authorizer, settings),
  });
}

const lifetimesOf = ({ cache, identities }: PluginParts): KeyLifetimes =>
  new KeyLifetimes({
    identities,
    keys: cacheOf(cache, OwnedAccessKey),
    records: cache.resource(KEY_RECORDS.resource),
    origins: cache.resource(ORIGIN_RECORDS.resource),
    lastUsed: createLastUsed(cache.resource(USE_RECORDS.resource)).of,
  });

function accountTokens(
  { stores, authorizer, accountTokens: tokens }: PluginParts,
  lifetimes: KeyLifetimes,
): AdmissionPlugin[] {
  const accounts = storeOf(stores, ServiceAccount);
  if (tokens === undefined || accounts === undefined) return [];
  const plugin = serviceAccountTokens({
    ...tokens,
    authorizer,
    lifetimes: {
      endFor: (user) => endFor(authorizer, lifetimes, user),
      madeWithFor: (user) => madeWithFor(authorizer, lifetimes, user),
    },
    findAccount: async (key) => (await readStored(accounts, key))?.object(),
  });
  return [plugin];
}

function keyLifetimeParts({ stores, authorizer }: PluginParts, lifetimes: KeyLifetimes): KeyLifetimeParts {
  const keys = storeOf(stores, OwnedAccessKey);
  return {
    authorizer,
    lifetimes,
    async readOrigin(name) {
      const record = (await keys?.storage.get(ORIGIN_RECORDS.prefix + name))?.record;
      return record && { record: readOrigin(record.value), revision: record.revision };
    },
  };
}

function projectSecretSourceOf({ stores, cache, authorizer, identities }: PluginParts): AdmissionPlugin {
  const secrets = storeOf(stores, SharedSecret);
  return projectSecretSource(authorizer, peopleOf(cache, identities), {
    find: ({ namespace, name }) => secrets?.cache.latest().get(`${namespace}/${name}`)?.object(),
    record: async (key) => (await secrets?.storage.get(key))?.record,
  });
}

function targetsIn(stores: readonly ResourceStore[]): FindTarget {
  const found = { Team: storeOf(stores, Team), Project: storeOf(stores, Project) };
  return (kind, name) => {
    const { metadata } = found[kind]?.cache.latest().get(name)?.object() ?? {};
    return metadata?.deletionTimestamp === undefined ? metadata?.uid : undefined;
  };
}

function subjectsIn(stores: readonly ResourceStore[]): IsSubject {
  const found = { User: storeOf(stores, User), Team: storeOf(stores, Team) };
  return (kind, name) => found[kind]?.cache.latest().get(name) !== undefined;
}

function clusterKubeconfigOf({ stores, cache, authorizer, identities }: PluginParts): AdmissionPlugin {
  const secrets = storeOf(stores, Secret);
  return clusterKubeconfig(authorizer, peopleOf(cache, identities), ({ namespace, name }) =>
    secrets?.cache.latest().get(`${namespace}/${name}`)?.object(),
  );
}

function projectFinder({ stores, settings: { projectNamespacePrefix: prefix } }: PluginParts): FindProject {
  const projects = storeOf(stores, Project);
  return async (namespace) => {
    const name = projectOfNamespace(prefix, namespace);
    if (projects === undefined || name === undefined) return undefined;
    return (await readStored(projects, clusterScoped(name)))?.object();
  };
}
