import { beforeAll, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { endOf, isIssuedBy, splitBundle } from '../../pkg/pki/servingsecret/record.js';
import { decideOnCertificates } from './etcdplan.js';
import type { Texts } from './keptsecret.js';

const DAY = 86_400_000;
const YEAR = 365 * DAY;
const NAMES = ['*.etcd.management.svc'];
const now = Date.now();

/** What is held when there is nothing more to do at that time. */
async function settled(held: Texts, at = now): Promise<Texts> {
  const verdict = await decideOnCertificates(held, NAMES, at);
  if ('use' in verdict) return verdict.use;
  if ('wait' in verdict) throw new Error(verdict.wait);
  return await settled(changed(held, verdict.write), at);
}
const changed = (held: Texts, write: Readonly<Record<string, string | undefined>>): Texts =>
  Object.fromEntries(Object.entries({ ...held, ...write }).filter(([, text]) => text !== undefined)) as Texts;
const without = (held: Texts, ...parts: string[]): Texts =>
  Object.fromEntries(Object.entries(held).filter(([part]) => !parts.includes(part)));
const bundle = (held: Texts): string[] => splitBundle(held['ca.crt'] as string);
const signer = (held: Texts): number => {
  const at = bundle(held).findIndex((authority) => isIssuedBy(held['server.crt'] as string, authority));
  expect(isIssuedBy(held['client.crt'] as string, bundle(held)[at] as string)).toBe(true);
  return at;
};

let first: Texts;
beforeAll(async () => {
  first = await settled({});
});

describe('certificates of etcd', () => {
  test('start with two trusted authorities, the first of which signs', async () => {
    expect(bundle(first)).toHaveLength(2);
    expect(signer(first)).toBe(0);
    expect(
      new X509Certificate(first['server.crt'] as string).checkHost('etcd-0.etcd.management.svc'),
    ).toBeDefined();
    expect(await settled(first, now + 200 * DAY)).toEqual(first);
  });

  test('are renewed by the same authority at a third of their life, or when one was removed', async () => {
    for (const held of [
      await settled(first, now + 250 * DAY),
      await settled(without(first, 'server.crt')),
      await settled(without(first, 'client.key')),
    ]) {
      expect(held['server.crt']).not.toBe(first['server.crt']);
      expect([held['ca.crt'], signer(held)]).toEqual([first['ca.crt'], 0]);
    }
  });

  test('are signed by the next authority when the first is removed, which is trusted for a day longer', async () => {
    const held = await settled(without(first, 'ca.key', 'server.crt'));
    expect([bundle(held).slice(0, 2), signer(held)]).toEqual([bundle(first), 1]);
    expect(bundle(held)).toHaveLength(3);
    const later = await settled(held, now + DAY);
    expect(bundle(later)).toEqual(bundle(held).slice(1));
  });

  test('are always signed by an authority that was trusted five years ago and is valid for five more', async () => {
    const history = [{ at: now, held: first }];
    for (let at = now; at < now + 40 * YEAR; at += 60 * DAY) {
      const held = await settled(history.at(-1)?.held as Texts, at);
      history.push({ at, held });
      const authority = bundle(held)[signer(held)] as string;
      expect(endOf(authority) - at).toBeGreaterThan(4 * YEAR);
      expect(endOf(held['server.crt'] as string)).toBeGreaterThan(at + 60 * DAY);
      const then = history.find((past) => past.at >= at - 4 * YEAR)?.held as Texts;
      expect(bundle(then)).toContain(authority);
    }
  });
});

describe('certificates of etcd without the keys of their authorities', () => {
  const bare = (): Texts =>
    without({ ...first, 'ca.crt': bundle(first)[0] as string }, 'ca.key', 'next-ca.key');

  test('stay until they are due, and another authority is trusted meanwhile', async () => {
    const held = await settled(bare());
    expect([held['server.crt'], held['client.key']]).toEqual([first['server.crt'], first['client.key']]);
    expect([bundle(held).length, bundle(held)[0]]).toEqual([2, bundle(first)[0]]);
    expect(signer(await settled(held, now + 250 * DAY))).toBe(1);
  });

  test('are not renewed by an authority that no member trusts', async () => {
    for (const part of ['client.key', 'ca.crt'])
      expect(await decideOnCertificates(without(bare(), part), NAMES, now)).toEqual({
        wait: `it lacks ${part}`,
      });
  });
});
