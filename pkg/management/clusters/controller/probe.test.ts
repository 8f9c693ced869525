import { expect, test } from '@jest/globals';
import type { Cluster } from '../../../../api/management.svc.example/v1/cluster.js';
import { failure } from '../../../apimachinery/errors.js';
import type { Connection } from '../client/interface.js';
import { probe, type Probed } from './probe.js';

const EAST: Cluster = {
  kind: 'Cluster',
  apiVersion: 'management.svc.example/v1',
  metadata: { name: 'east' },
  spec: { config: { secretName: 'east', secretNamespace: 'default' } },
};

/** The probe of a cluster that responds with this object to a request for its version. */
function answered(object: Readonly<Record<string, unknown>>): Promise<Probed> {
  const connection: Connection = {
    request: () => Promise.resolve({ status: 200, object }),
    watch: () => Promise.reject(new Error('nobody watches')),
    open: () => Promise.reject(new Error('not asked for')),
    close: () => undefined,
    server: 'https://east.example.com',
    authority: undefined,
  };
  return probe(EAST, { connect: () => Promise.resolve(connection), agents: () => undefined });
}

test.each([
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CertificateRefused'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'CertificateRefused'],
  ['CERT_NOT_YET_VALID', 'Unreachable'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'Unreachable'],
  ['ECONNREFUSED', 'Unreachable'],
  ['the connection broke off', 'Unreachable'],
])('a cluster that fails by %s has the reason %s', async (why, reason) => {
  const failed = failure('Timeout', `cluster "east" cannot be reached: ${why}`, {});
  const clusters = { connect: () => Promise.reject(failed), agents: () => undefined };
  expect(await probe(EAST, clusters)).toMatchObject({ online: false, reason });
});

test.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
  ['a version', { gitVersion: 'v1.36.0-rc.1+k3s1' }, 'v1.36.0-rc.1+k3s1'],
  ['what terminals obey', { gitVersion: 'v1\u001b[2J\n.36\u202e\ud800' }, 'v1[2J.36'],
  ['a long one', { gitVersion: '1'.repeat(200) }, '1'.repeat(100)],
  ['none', {}, undefined],
  ['an object that is no text', { gitVersion: { toString: 1 } }, undefined],
  ['a list', { gitVersion: ['v1'] }, undefined],
])('a cluster that answers %s is online', async (_what, answer, version) => {
  const { online, message, ...probed } = await answered(answer);
  expect([online, probed.version]).toEqual([true, version]);
  expect(message).toContain(version ?? 'the cluster answers');
});
