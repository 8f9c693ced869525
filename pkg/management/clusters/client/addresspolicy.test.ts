import type { lookup as resolve } from 'node:dns';
import { expect, test } from '@jest/globals';
import {
  AddressRefused,
  addressPolicy,
  checkHost,
  parseNetwork,
  policedLookup,
  type Network,
} from './addresspolicy.js';

const networks = (...texts: string[]): Network[] => texts.map((text) => parseNetwork(text) as Network);
const OWN = networks('10.20.30.40/24', 'fd12:3456::7/64', '203.0.113.9/32');
const policy = addressPolicy([], () => OWN);

test.each([
  '127.0.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0.1.2.3',
  '169.254.169.254',
  '169.254.0.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '0:0:0:0:0:0:0:1',
  'fe80::1',
  'fe80::1%eth0',
  'febf::1',
  'fec0::1',
  'ff02::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:a9fe:a9fe',
  '::ffff:10.20.30.1',
  '::ffff:0:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b::a14:1e28',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:a9fe:a9fe::1',
  '2002:a14:1e01::',
  '2001:0:7f00:1::',
  'fd00:ec2::254',
  '2001:db8::5efe:127.0.0.1',
  '2001:db8::200:5efe:7f00:1',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd20:ce::254',
  '10.20.30.40',
  '10.20.30.255',
  'fd12:3456::1',
  'fd12:3456:0:0:ffff::',
  '203.0.113.9',
  '',
  'localhost',
  '2130706433',
  '127.1',
  '0x7f000001',
])('refuses %s', (address) => expect(policy.permits(address)).toBe(false));

test.each([
  '10.20.31.1',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '203.0.113.10',
  '8.8.8.8',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2002:808:808::1',
  '2606:4700::1111',
  'fd12:3456:0:1::1',
])('permits %s', (address) => expect(policy.permits(address)).toBe(true));

test('permits only the networks that the operator allows', () => {
  const loopback = addressPolicy(networks('127.0.0.0/8', '10.20.30.7', 'fe80::/64'), () => OWN);
  const asked = [
    '127.0.0.1',
    '::ffff:127.0.0.1',
    '10.20.30.7',
    'fe80::1',
    '10.20.30.8',
    '::1',
    '169.254.169.254',
  ];
  expect(asked.filter((address) => loopback.permits(address))).toEqual(asked.slice(0, 4));
});

test('reads the networks of the machine', () => {
  expect(addressPolicy([]).permits('127.0.0.1')).toBe(false);
});

test.each([
  ['https://127.0.0.1:6443', 'https://2130706433/', 'https://0x7f.1', 'https://0177.0.0.1', 'https://127.1'],
  [
    'https://[::1]:6443/',
    'https://[::ffff:127.0.0.1]',
    'https://[0:0:0:0:0:ffff:7f00:1]',
    'https://0/',
    'https://127。0。0。1',
  ],
])('refuses URLs of such addresses in any notation', (...urls) => {
  for (const url of urls) expect(() => checkHost(policy, url)).toThrow(AddressRefused);
  expect(() => checkHost(policy, 'https://192.0.2.1')).not.toThrow();
});

type Found = { address: string; family: number }[];

function asking(found: Found | Error, options: { all?: boolean } = {}): Promise<unknown> {
  const lookup = ((_name: string, _options: object, done: (error: Error | null, all: Found) => void) =>
    found instanceof Error ? done(found, []) : done(null, found)) as unknown as typeof resolve;
  return new Promise((resolved) => {
    policedLookup(policy, lookup)('name.example', options, (error, address) => resolved(error ?? address));
  });
}

test('connects only to the permitted addresses of a name', async () => {
  const [good, bad] = [
    { address: '192.0.2.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ];
  expect(await asking([bad, good], { all: true })).toEqual([good]);
  expect(await asking([bad, good])).toBe('192.0.2.1');
  expect(await asking([bad], { all: true })).toBeInstanceOf(AddressRefused);
  expect(await asking([bad])).toBeInstanceOf(AddressRefused);
});

test('reports a name without addresses like a refused one', async () => {
  const none = await asking(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }));
  const refused = await asking([{ address: '::1', family: 6 }]);
  expect(String(none)).toBe(String(refused));
});

test.each(['10.0.0.0/8', '::1', 'fe80::/10', '1.2.3.4/32'])('reads the network %s', (text) =>
  expect(parseNetwork(text)).toBeDefined(),
);
test.each(['', '10.0.0.0/33', '10/8', 'x/8', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0.0/-1'])(
  'rejects the network %s',
  (text) => expect(parseNetwork(text)).toBeUndefined(),
);
