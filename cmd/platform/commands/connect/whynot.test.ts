import { expect, test } from '@jest/globals';
import { networkOf, whyNot } from './whynot.js';

test.each([
  ['https://127.0.0.1:6443', '127.0.0.0/8'],
  ['https://localhost:6443', '127.0.0.0/8,::1'],
  ['https://[::1]:6443', '::1'],
  ['https://192.168.49.2:8443/k8s', '192.168.49.2'],
  ['https://127.example:6443', 'CIDR, the network of 127.example,'],
])('the network for the server of %s is %s', (server, network) => {
  expect(networkOf(server)).toBe(network);
});

test.each([
  ['ECONNREFUSED', 'nothing listens on east.example:6443', false],
  ['ENETUNREACH', 'east.example:6443 does not answer the server', false],
  ['it did not answer in time', 'east.example:6443 does not answer the server', false],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'east.example:6443 does not speak TLS', true],
  ['EAI_AGAIN', 'cluster "east" cannot be reached: EAI_AGAIN', false],
])('a cluster that fails by %s: %s', (why, said, isFinal) => {
  const found = whyNot(
    'https://east.example:6443',
    `cluster "east" cannot be reached: ${why}`,
    'Unreachable',
  );
  expect(found).toMatchObject({ said, isFinal });
});

test('an address of a loopback is said to be of the machine of the server', () => {
  const at = (server: string): string =>
    whyNot(server, 'cluster "east" cannot be reached: ECONNREFUSED', 'Unreachable').mend;
  expect(at('https://127.0.0.1:6443')).toContain('of the machine of the server');
  expect(at('https://192.0.2.1:6443')).not.toContain('of the machine of the server');
});
