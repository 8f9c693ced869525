/** Checks of `platform doctor` on the way to the server. */
import { textIn } from '../../../../pkg/apimachinery/encoding/members.js';
import { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate } from 'node:tls';
import type { Client } from '../../connection/client.js';
import type { Connection } from '../../connection/serverconnection.js';
import { isCertificateFailure } from '../../connection/unreachable.js';
import { Failure } from '../../failure.js';
import { type Check, type Finding, ok, skipped, wrong } from '../../output/finding.js';
import { peerOf } from '../../connection/peer.js';
import { ask } from '../../connection/request.js';

const MAX_CLOCK_DIFFERENCE_MS = 30_000;
const SOON_MS = 14 * 86_400_000;
const ignore = (): undefined => undefined;

export const WAY: readonly Check[] = [
  { check: 'certificate', needs: [], run: certificate },
  { check: 'server', needs: [], repeats: 'certificate', run: server },
  { check: 'clock', needs: ['server'], run: clock },
];

async function certificate({ connection }: Client): Promise<Finding> {
  const served = await servedBy(connection);
  if (served === undefined) return skipped('see server');
  const theirs = ending(Date.parse(served.valid_to), 'renew the certificate of the server');
  if (theirs.state === 'wrong' || connection.cert === undefined) return theirs;
  const own = Date.parse(new X509Certificate(connection.cert).validTo);
  const yours = ending(own, 'get another client certificate');
  return yours.state === 'wrong' ? { ...yours, found: `yours ${yours.found}` } : theirs;
}

/** Undefined if something else than the certificate keeps the server from being reached. */
async function servedBy(connection: Connection): Promise<DetailedPeerCertificate | undefined> {
  try {
    return (await peerOf(connection)).certificate;
  } catch (error) {
    if (isCertificateFailure(error)) throw error;
    return undefined;
  }
}

/** Of a certificate that is trusted. */
export function ending(ends: number, advice: string): Finding {
  const day = new Date(ends).toISOString().slice(0, 10);
  return ends - Date.now() > SOON_MS ? ok(`trusted, until ${day}`) : wrong(`ends on ${day}`, advice);
}

/** Credentials that it refuses have a check of their own. */
async function server(client: Client): Promise<Finding> {
  try {
    return ok(textIn(await client.read('/version'), 'gitVersion') ?? 'answers');
  } catch (error) {
    const refused = error instanceof Failure && ['unauthenticated', 'forbidden'].includes(error.reason);
    if (refused) return ok('answers');
    throw error;
  }
}

async function clock({ connection }: Client): Promise<Finding> {
  const { date } = await ask(connection, { method: 'GET', path: '/livez', accept: '*/*' }, ignore);
  return clockFinding(date, 'the server', 'set the clock of this machine, or of the server');
}

/** `date`: what the clock of `whose` showed just now, in milliseconds since the epoch; NaN: it tells none. */
export function clockFinding(date: number, whose: string, advice: string): Finding {
  if (Number.isNaN(date)) return skipped(`${whose} does not tell its time`);
  const seconds = Math.round(Math.abs(date - Date.now()) / 1000);
  return seconds * 1000 > MAX_CLOCK_DIFFERENCE_MS
    ? wrong(`the clocks differ by ${seconds} s`, advice)
    : ok(`agrees with ${whose}`);
}
