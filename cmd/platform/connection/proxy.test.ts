import { expect, test } from '@jest/globals';
import { proxyFor } from './proxy.js';

const PROXY = 'http://proxy.example:3128';

test.each<[string, string, boolean]>([
  ['https://management.example.com', '', true],
  ['https://management.example.com', 'other.com, .example.org', true],
  ['https://management.example.com', 'example.com', false],
  ['https://management.example.com', '.example.com', false],
  ['https://management.example.com', 'ample.com', true],
  ['https://management.example.com', 'Management.Example.Com', false],
  ['https://management.example.com', '*', false],
  ['https://management.example.com:8443', 'management.example.com:8443', false],
  ['https://management.example.com', 'management.example.com:8443', true],
  ['https://10.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.1.2.3', false],
  ['https://11.1.2.3', '10.0.0.0/8,nonsense/x,1.2.3.4/99', true],
  ['https://[fd00::1]', 'fd00::/8', false],
  ['https://[fd00::1]', '10.0.0.0/8', true],
  ['https://127.0.0.1:6443', '', false],
  ['https://localhost', '', false],
])('%s with NO_PROXY=%s', async (server, except, proxied) => {
  const agent = await proxyFor(new URL(server), { HTTPS_PROXY: PROXY, NO_PROXY: except });
  expect(agent !== undefined).toBe(proxied);
});

test('a kubeconfig names one for itself', async () => {
  expect(await proxyFor(new URL('https://127.0.0.1'), {}, 'socks5://127.0.0.1:1080')).toBeDefined();
  await expect(proxyFor(new URL('https://h'), {}, 'ftp://p')).rejects.toThrow('the proxy must be');
});
