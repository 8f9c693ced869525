import { beforeAll, describe, expect, test } from '@jest/globals';
import { X509Certificate } from 'node:crypto';
import { nextRecord, type ServingSituation } from './plan.js';
import {
  decodeRecord,
  encodeRecord,
  endOf,
  isIssuedBy,
  joinBundle,
  splitBundle,
  type ServingRecord,
} from './record.js';
import type { SecretData } from '../../hostclient/secret.js';

const DAY = 86_400_000;
const wishes = {
  names: ['serving.management.svc', '127.0.0.1'],
  lives: { authorityMs: 360 * DAY, servingMs: 90 * DAY },
};
const now = Date.now();
let first: ServingRecord;

/** The next record in the usual situation with these changes. */
const next = (situation: Partial<ServingSituation>) =>
  nextRecord({ record: first, remembered: undefined, published: true, now, ...situation }, wishes);

async function required(situation: Partial<ServingSituation>): Promise<ServingRecord> {
  const record = await next(situation);
  if (record === undefined) throw new Error('nothing is to be done');
  return record;
}

beforeAll(async () => {
  first = await required({ record: undefined });
});

describe('the serving certificates', () => {
  test('begin with one authority and its certificate for the names', () => {
    const certificate = new X509Certificate(first.serving.certificate);
    expect(first.authorities).toHaveLength(1);
    expect(isIssuedBy(first.serving.certificate, first.authorities[0] as string)).toBe(true);
    expect(certificate.checkHost('serving.management.svc')).toBeDefined();
    expect(certificate.checkIP('127.0.0.1')).toBeDefined();
    expect(Math.round((endOf(first.serving.certificate) - now) / DAY)).toBe(90);
    expect(splitBundle(first.serving.certificate)).toHaveLength(2);
  });

  test.each([[0], [1], [59]])('do not change on day %i', async (day) => {
    expect(await next({ now: now + day * DAY })).toBeUndefined();
  });

  test('are renewed by the same authority when a third of their lifetime is left, published or not', async () => {
    const renewed = await required({ now: now + 61 * DAY, published: false });
    expect(renewed.authorities).toEqual(first.authorities);
    expect(renewed.serving).not.toEqual(first.serving);
    expect(await next({ record: renewed, now: now + 61 * DAY })).toBeUndefined();
  });

  test('are reissued for new names', async () => {
    const wider = { ...wishes, names: [...wishes.names, 'other.svc'] };
    const record = await nextRecord({ record: first, remembered: first, published: true, now }, wider);
    expect(new X509Certificate(record?.serving.certificate ?? '').checkHost('other.svc')).toBeDefined();
  });
});

describe('an authority near its end', () => {
  const late = now + 250 * DAY;
  let serving: ServingRecord;
  let beside: ServingRecord;
  beforeAll(async () => {
    serving = { ...first, serving: (await required({ now: now + 200 * DAY })).serving };
    beside = await required({ record: serving, now: late });
  });

  test('gets a successor, which does not sign before it is published', async () => {
    expect(beside.authorities).toHaveLength(2);
    expect(beside.authorities[1]).toBe(first.authorities[0]);
    expect(beside.serving).toEqual(serving.serving);
    expect(await next({ record: beside, now: late, published: false })).toBeUndefined();
  });

  test('is replaced once the successor is published, and removed when it has expired', async () => {
    const served = await required({ record: beside, now: late });
    expect(isIssuedBy(served.serving.certificate, beside.authorities[0] as string)).toBe(true);
    expect(served.authorities).toEqual(beside.authorities);
    expect(await next({ record: served, now: late + DAY })).toBeUndefined();
    const ended = now + 361 * DAY;
    const renewed = await required({ record: served, now: ended });
    expect(renewed.authorities).toEqual([beside.authorities[0]]);
  });

  test('is replaced without publication when its last certificate is about to expire', async () => {
    const end = endOf(serving.serving.certificate);
    const served = await required({ record: beside, now: end - 8 * DAY, published: false });
    expect(isIssuedBy(served.serving.certificate, beside.authorities[0] as string)).toBe(true);
  });

  test('never issues a certificate that outlives it', async () => {
    const record = await required({ now: now + 200 * DAY });
    expect(endOf(record.serving.certificate)).toBeLessThanOrEqual(endOf(first.authorities[0] as string));
  });
});

describe('a missing Secret', () => {
  test('is replaced by a new authority, as in a rotation', async () => {
    const record = await required({ record: undefined, remembered: first });
    expect(record.serving).toEqual(first.serving);
    expect(record.authorities).toEqual([record.authorities[0], first.authorities[0]]);
    const after = await required({ record, remembered: first });
    expect(isIssuedBy(after.serving.certificate, record.authorities[0] as string)).toBe(true);
  });

  test('is not restored from an expired certificate', async () => {
    const record = await required({ record: undefined, remembered: first, now: now + 91 * DAY });
    expect(record.authorities).toHaveLength(1);
    expect(record.serving).not.toEqual(first.serving);
  });
});

describe('the Secret', () => {
  test('decodes to the encoded record', () => {
    expect(decodeRecord(encodeRecord(first))).toEqual(first);
  });

  const damage = (part: SecretData): SecretData => ({ ...encodeRecord(first), ...part });
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  test.each<[string, () => SecretData | undefined]>([
    ['a missing Secret', () => undefined],
    ['an empty Secret', () => ({})],
    ['a missing certificate', () => damage({ 'tls.crt': '' })],
    ['an invalid certificate', () => damage({ 'tls.crt': base64('text') })],
    ['an invalid key', () => damage({ 'tls.key': base64('text') })],
    ['invalid base64', () => damage({ 'ca.crt': '%%%' })],
    ["the authority's key for the server's", () => damage({ 'tls.key': base64(first.authorityKey) })],
    ["the server's key for the authority's", () => damage({ 'ca.key': base64(first.serving.key) })],
    ['half a bundle', () => damage({ 'ca.crt': base64(joinBundle(first.authorities).slice(0, 200)) })],
  ])('ignores %s', (_name, data) => {
    expect(decodeRecord(data())).toBeUndefined();
  });

  test('ignores the bundle of another authority', async () => {
    const other = await required({ record: undefined });
    const data = damage({ 'ca.crt': base64(joinBundle(other.authorities)) });
    expect(decodeRecord(data)).toBeUndefined();
    expect(decodeRecord({ ...data, 'ca.key': base64(other.authorityKey) })).toBeUndefined();
  });
});
