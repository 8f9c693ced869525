import { expect, test } from '@jest/globals';
import { networkOf } from './bykubeconfig.js';

test.each([
  ['https://127.0.0.1:6443', '127.0.0.0/8'],
  ['https://localhost:6443', '127.0.0.0/8,::1'],
  ['https://[::1]:6443', '::1'],
  ['https://192.168.49.2:8443/k8s', '192.168.49.2'],
  ['https://127.example:6443', 'CIDR, the network of 127.example,'],
])('the network for the server of %s is %s', (server, network) => {
  expect(networkOf(server)).toBe(network);
});
