/** `store free-space`: frees the space of an etcd whose quota is used up, and disarms its alarm. */
import {
  type FreedMember,
  type FreedSpace,
  freeSpace,
  type SpaceProblem,
} from '../../../pkg/storage/etcd/space/freespace.js';
import { needingStore } from '../../../pkg/management/upkeep/openstorage.js';
import { StartError } from '../../../pkg/apimachinery/starterror.js';
import type { StorageConfig } from '../../../pkg/management/upkeep/storageconfig.js';

const MIB = 1024 * 1024;
/** As the alert ManagementEtcdSpaceLow of the chart. */
const MUCH = 0.8;
const RAISE = '--quota-backend-bytes of every member (etcd.quota of the chart)';

/** Throws StartError, also where something is left to do. */
export async function freeStoreSpace(config: StorageConfig, tell: (text: string) => void): Promise<void> {
  if (config.engine !== 'etcd')
    throw new StartError(
      'store free-space: the embedded store frees its space itself; name an etcd with --etcd-servers',
    );
  const { engine: _engine, ...options } = config;
  const space = await needingStore(
    config,
    freeSpace(options, (member) => tell(`${memberText(member)}\n`)),
  );
  const unsolved = problemText(space.problem);
  if (unsolved !== undefined) throw new StartError(`store free-space: ${unsolved}`);
  tell(`${outcomeText(space)}\n`);
}

const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const quotaText = (quotaBytes: number | undefined): string =>
  quotaBytes === undefined ? '' : `, of a quota of ${mebibytes(quotaBytes)}`;

const memberText = ({ url, before, after }: FreedMember): string =>
  `${url}: ${mebibytes(before.sizeBytes)} before, ${mebibytes(after.sizeBytes)} now${quotaText(after.quotaBytes)}`;

function outcomeText({ disarmed, freed }: FreedSpace): string {
  const outcome = disarmed
    ? 'the alarm NOSPACE is disarmed: etcd takes writes again'
    : 'no alarm NOSPACE was raised: etcd takes writes';
  const much = freed.some(({ after }) => after.sizeBytes > MUCH * (after.quotaBytes ?? Infinity));
  return much ? `${outcome}\nthe quota is nearly used up: raise ${RAISE}` : outcome;
}

function problemText(problem: SpaceProblem): string | undefined {
  switch (problem.code) {
    case 'none':
      return undefined;
    case 'corrupt':
      return `nothing was done: etcd has raised the alarm CORRUPT for ${problem.members.join(', ')}. Replace that member first`;
    case 'members missing':
      return `no endpoint leads to ${problem.members.join(', ')} of etcd, or it does not answer. Name all members in --etcd-servers, and run this again`;
    case 'too large': {
      const { url, after } = problem.member;
      return (
        `what is stored does not fit: ${url} has ${mebibytes(after.sizeBytes)}${quotaText(after.quotaBytes)}. ` +
        `Raise ${RAISE}, and run this again`
      );
    }
  }
}
