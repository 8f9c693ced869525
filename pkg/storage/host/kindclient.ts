/** Requests for objects of one kind. */
import type { ResourceDefinition } from '../../../api/resource.js';
import type { HostAnswer, HostClient, HostRequest } from '../../hostclient/interface.js';
import type { StoredRecord } from '../interface.js';
import { kindPaths, type KindPaths } from './paths.js';
import { notReached, refusal } from './refusals.js';
import { answeredObject, recordOf } from './values.js';

export interface KindClient {
  readonly definition: ResourceDefinition;
  readonly paths: KindPaths;
  readonly watch: HostClient['watch'];
  /** Returns any response. Rejects with StorageError `unavailable`. */
  send(this: void, request: HostRequest): Promise<HostAnswer>;
  /** The record at the host. Rejects with StorageError `unavailable`, and StatusError as `refusal`. */
  get(this: void, key: string): Promise<StoredRecord | undefined>;
}

export function kindClient(client: HostClient, definition: ResourceDefinition): KindClient {
  const paths = kindPaths(definition);
  const send: KindClient['send'] = async (request) => {
    try {
      return await client.send(request);
    } catch (error) {
      throw notReached(error);
    }
  };
  return {
    definition,
    paths,
    watch: client.watch,
    send,
    async get(key) {
      const answer = await send({ method: 'GET', path: paths.object(key) });
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw refusal({ verb: 'get', definition, path: paths.shown(key) }, answer);
      return recordOf(definition, paths, answeredObject(answer.body, 'none'));
    },
  };
}
