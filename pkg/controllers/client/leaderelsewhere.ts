/**
 * Whether another server of the cluster serves: a server that runs the controllers has a store that is not
 * refused.
 */
import { membersOf, textIn } from '../../apimachinery/encoding/members.js';
import { LEASE_NAME, LEASE_SECONDS } from '../leaderelection.js';
import type { HostClient } from '../../hostclient/interface.js';

/**
 * Returns a function that reads the Lease of the controllers on each call. As in elections, clocks of
 * different machines are not compared: a holder counts until its record has not changed for the duration of a
 * lease.
 */
export function leaderElsewhere(
  { send }: Pick<HostClient, 'send'>,
  namespace: string,
  now: () => number = () => performance.now(),
): () => Promise<boolean> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases/${LEASE_NAME}`;
  let seen = { record: '', at: 0 };
  return async () => {
    const answer = await send({ method: 'GET', path }).catch(() => undefined);
    if (answer?.status !== 200) return false;
    const { spec } = membersOf(answer.body);
    const [holderIdentity = '', renewTime = ''] = [textIn(spec, 'holderIdentity'), textIn(spec, 'renewTime')];
    const record = `${holderIdentity} ${renewTime}`;
    if (record !== seen.record) seen = { record, at: now() };
    return holderIdentity !== '' && now() - seen.at < LEASE_SECONDS * 1000;
  };
}
