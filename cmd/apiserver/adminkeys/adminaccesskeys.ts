/** The administrator's kubeconfig of a running server, and the OwnedAccessKey of its key. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { OwnedAccessKey } from '../../../api/management.svc.example/v1/ownedaccesskey.js';
import { clusterScoped, type KubeObject } from '../../../api/resource.js';
import { PRIVILEGED_GROUP } from '../../../pkg/authentication/groups.js';
import { ADMIN } from '../../../pkg/authentication/administrator.js';
import { StatusError } from '../../../pkg/apimachinery/errors.js';
import { generateName } from '../../../pkg/apimachinery/names.js';
import { createObject } from '../../../pkg/registry/generic/create.js';
import { deleteObject } from '../../../pkg/registry/generic/delete.js';
import { loopbackOptions } from '../../../pkg/registry/loopback.js';
import { servedStore } from '../../../pkg/registry/resourcestore.js';
import { timestamp } from '../../../pkg/registry/object/metadata.js';
import {
  keepAdminKubeconfig,
  RENEW_MS,
  renewAdminKey,
  type AdminAccessKeys,
  type KeptKey,
} from '../../../pkg/management/administrators/adminkubeconfig.js';
import type { AdminKeys } from '../../../pkg/management/administrators/adminkeys.js';
import type { Operations } from '../server/telemetry.js';
import { inWords, StartError } from '../../../pkg/apimachinery/starterror.js';
import type { State } from '../server/storagebacked.js';

const OPTIONS = loopbackOptions('apiserver');

const WAIT_TRIES = 200;
const WAIT_PAUSE_MS = 10;
const NOT_FOUND = 404;

/**
 * Maintains the administrator's kubeconfig if it is configured, and marks its key as in use. Returns its name. Throws
 * StartError.
 */
export async function keepKubeconfig(
  { config, shutdownHooks, report }: Operations,
  state: State,
  adminKeys: AdminKeys,
  { url: server, authority }: { readonly url: string; readonly authority: string },
): Promise<string | undefined> {
  const { kubeconfig: path } = config;
  if (path === undefined) return undefined;
  const { storage } = state;
  const { pepper, storeId } = state.identity;
  const accessKeys = adminAccessKeys(state);
  let key: KeptKey;
  try {
    key = await keepAdminKubeconfig({
      storage,
      accessKeys,
      pepper,
      storeId,
      path,
      server,
      authority,
    });
  } catch (error) {
    throw new StartError(`--write-kubeconfig ${path}: ${inWords(error)}`, { cause: error });
  }
  await adminKeys.waitFor(key.record);
  const renewing = setInterval(() => {
    renewAdminKey(storage, key.record).catch((error: unknown) =>
      report('the admin key is not renewed', error),
    );
  }, RENEW_MS).unref();
  shutdownHooks.push(() => clearInterval(renewing));
  return key.accessKey;
}

function adminAccessKeys({ registry, accessKeys }: Pick<State, 'registry' | 'accessKeys'>): AdminAccessKeys {
  const store = servedStore(registry.stores, OwnedAccessKey);
  const { index, authenticator } = accessKeys;
  return {
    isInForce(token) {
      const credentials = { authorization: `Bearer ${token}`, certificate: undefined, rawHeaders: [] };
      const answer = authenticator.authenticate({ ...credentials, again: true });
      return (
        'outcome' in answer && answer.outcome === 'user' && answer.user.groups.includes(PRIVILEGED_GROUP)
      );
    },
    newName: () => generateName('admin-kubeconfig-'),
    async create(name, token) {
      const object = adminAccessKey(name, token);
      await createObject(store, '', object, OPTIONS);
      for (let tries = 0; tries < WAIT_TRIES && index.find(token) !== name; tries += 1)
        await sleep(WAIT_PAUSE_MS);
      return object.metadata.uid ?? '';
    },
    async remove(name) {
      try {
        await deleteObject(store, clusterScoped(name), { dryRun: [] }, OPTIONS);
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== NOT_FOUND) throw error;
      }
    },
  };
}

/** The access key describes itself to users that list keys. */
function adminAccessKey(name: string, key: string): KubeObject {
  return {
    kind: 'OwnedAccessKey',
    apiVersion: 'management.svc.example/v1',
    metadata: { name },
    spec: {
      displayName: "Administrator's kubeconfig",
      description: `Written with --write-kubeconfig on ${hostname()} at ${timestamp()}. It may do everything. Deleting it ends it; a restart with --write-kubeconfig makes a new one.`,
      user: ADMIN.name,
      type: 'Other',
      key,
    },
  };
}
