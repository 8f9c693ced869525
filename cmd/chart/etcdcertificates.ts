import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { HostClient } from '../../pkg/hostclient/interface.js';
import { writePrivateTogether } from '../../pkg/pki/files.js';
import { splitBundle } from '../../pkg/pki/servingsecret/record.js';
import { decideOnCertificates } from './etcdplan.js';
import { checkSecret, once, type KeptSecret, type Texts, type Verdict } from './keptsecret.js';
import { pollUntil } from './poll.js';
import type { Say } from './words.js';
import { messageOf } from '../../pkg/apimachinery/caught.js';

export interface EtcdCertificateWishes {
  /** `namespace/name` */
  readonly secret: string;
  /** DNS names of the members. */
  readonly names: readonly string[];
  /** A directory. */
  readonly out: string;
}

const secretOf = ({ secret, names }: EtcdCertificateWishes): KeptSecret => ({
  secret,
  decide: (held) => decideOnCertificates(held, names, Date.now()),
});

/**
 * Writes `ca.crt`, `tls.crt` and `tls.key` of an etcd member from the Secret. The first member that finds it
 * empty fills it, also for servers, which mount it. A Secret that is missing or lacks the authority is not
 * filled: another authority would separate starting members from running ones. Rejects if it does not appear
 * in time.
 */
export async function writeEtcdCertificates(
  host: HostClient,
  wishes: EtcdCertificateWishes,
  say: Say,
): Promise<void> {
  const { secret, out } = wishes;
  const tell = once((problem) => say(`waits for the Secret ${secret}: ${problem}`));
  const options = secretOf(wishes);
  const held = await pollUntil(`the Secret ${secret}`, () => checkSecret(host, options, tell));
  await writePrivateTogether(out, filesOf(held));
}

/**
 * Repeats this while the member runs, until `stopped`: renews certificates near their end, and writes changed
 * ones, which etcd reads with its next connection. A Secret that was lost and recreated empty gets its former
 * content. Failures are logged once and retried.
 */
export async function keepEtcdCertificates(
  host: HostClient,
  wishes: EtcdCertificateWishes & { readonly everySeconds: number },
  say: Say,
  stopped: AbortSignal,
): Promise<void> {
  const { secret, out, everySeconds } = wishes;
  const tell = once((problem) => say(`the Secret ${secret}: ${problem}`));
  const options = secretOf(wishes);
  let last: Texts | undefined;
  const decide = (held: Texts): Verdict | Promise<Verdict> => {
    if (Object.keys(held).length > 0) return options.decide(held);
    return last === undefined ? { wait: 'it is empty' } : { write: last };
  };
  const turn = async (): Promise<boolean> => {
    const held = await checkSecret(host, { secret, decide }, tell);
    if (held === undefined) return false;
    if (last !== undefined && !shareAuthority(held, last)) {
      tell('it has another authority, which takes a restart of all members');
      return true;
    }
    const [before, files] = [last && filesOf(last), filesOf(held)];
    if (!isDeepStrictEqual(files, before)) await writePrivateTogether(out, files);
    if (before !== undefined && !isDeepStrictEqual(files, before)) say('wrote other certificates');
    last = held;
    return true;
  };
  while (!stopped.aborted) {
    try {
      // Retried at once if the Secret was changed.
      if (!(await turn())) await turn();
    } catch (error) {
      tell(messageOf(error));
    }
    await sleep(everySeconds * 1000, undefined, { signal: stopped }).catch(() => undefined);
  }
}

const shareAuthority = (one: Texts, other: Texts): boolean => {
  const trusted = splitBundle(one['ca.crt'] ?? '');
  return splitBundle(other['ca.crt'] ?? '').some((authority) => trusted.includes(authority));
};

const filesOf = (held: Texts): Texts => ({
  'ca.crt': held['ca.crt']!,
  'tls.crt': held['server.crt']!,
  'tls.key': held['server.key']!,
});
