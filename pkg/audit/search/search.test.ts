import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type AuditEvent, auditLine } from '../event.js';
import { auditLogFile } from '../logfile.js';
import { MAX_LINE } from './backwards.js';
import type { RecordedEvent } from './filter.js';
import {
  type AuditSearch,
  BOUNDS,
  type Found,
  type SearchBounds,
  searchAuditLog,
  decodePosition,
} from './search.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-search-'));
  path = join(folder, 'audit.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const BEGIN = Date.parse('2026-11-23T10:00:00Z');
const user = (name: string): AuditEvent['user'] => ({ name, uid: '', groups: [], extra: {} });

/** Event `number` is recorded that number of seconds after {@link BEGIN}. */
const line = (number: number, more: Partial<AuditEvent> = {}): string =>
  auditLine({
    level: 'Metadata',
    auditId: `id-${number}`,
    stage: 'ResponseComplete',
    requestUri: '/',
    verb: 'get',
    user: user('ada'),
    impersonated: undefined,
    sourceIps: ['10.0.0.1'],
    userAgent: 'x',
    object: undefined,
    response: { code: 200 },
    annotations: {},
    received: BEGIN + number * 1000,
    at: BEGIN + number * 1000,
    ...more,
  });

const object = (resource: string, more: object = {}): AuditEvent['object'] => ({
  resource,
  namespace: '',
  name: '',
  apiGroup: '',
  apiVersion: 'v1',
  subresource: '',
  ...more,
});

const ask = (asked: Partial<AuditSearch> = {}, bounds?: SearchBounds): Promise<Found> =>
  searchAuditLog(path, { after: undefined, before: undefined, limit: 500, from: '', ...asked }, bounds);
const ids = (events: readonly RecordedEvent[]): number[] =>
  events.map(({ auditID = '' }) => Number(auditID.replace('id-', '')));
const numbers = (from: number, to: number): number[] =>
  Array.from({ length: from - to + 1 }, (_each, index) => from - index);

/** Writes events 0 to `count` as the server does, and rotates the file after every `each` events. */
async function record(count: number, each = Infinity): Promise<void> {
  const file = auditLogFile({ path, maxBytes: 1, maxBackups: 0 });
  for (let first = 0; first < count; first += each) {
    const last = Math.min(count, first + each);
    const lines = Array.from({ length: last - first }, (_each, index) => `${line(first + index)}\n`);
    await file.append(lines.join(''));
  }
  await file.close();
}

/** All pages of a search; `between` runs before each further page. */
async function pages(
  asked: Partial<AuditSearch>,
  bounds = BOUNDS,
  between = async () => {},
): Promise<Found[]> {
  const found = [await ask(asked, bounds)];
  for (let from = found[0]?.continue; from !== undefined; from = found.at(-1)?.continue) {
    await between();
    found.push(await ask({ ...asked, from }, bounds));
    expect(found.length).toBeLessThan(1000);
  }
  return found;
}

describe('a search', () => {
  test('finds nothing without recorded events', async () => {
    expect(await ask()).toEqual({ events: [], unreadable: 0 });
    path = join(folder, 'no', 'such', 'audit.log');
    expect(await ask()).toEqual({ events: [], unreadable: 0 });
  });

  test('finds the newest event first, in all files', async () => {
    await record(25, 10);
    expect(readdirSync(folder)).toHaveLength(3);
    const { events, ...rest } = await ask();
    expect(ids(events)).toEqual(numbers(24, 0));
    expect(rest).toEqual({ unreadable: 0 });
  });

  test.each<[string, Partial<AuditSearch>, number[]]>([
    ['user', { user: 'bob' }, [1]],
    ['impersonated user', { user: 'jane' }, [2]],
    ['part of a name, which is none', { user: 'bo' }, []],
    ['verb', { verb: 'create' }, [3]],
    ['resource', { resource: 'sharedsecrets' }, [6, 5]],
    ['subresource', { resource: 'sharedsecrets/status' }, [6]],
    ['namespace', { namespace: 'default' }, [5]],
    ['name', { name: 'database' }, [6, 5]],
    ['code', { code: '403' }, [4]],
    ['codes', { code: '4xx' }, [7, 4]],
    ['address', { sourceIP: '::1' }, [3]],
    ['audit id', { auditID: 'id-6' }, [6]],
    ['several', { user: 'ada', code: '200', resource: 'sharedsecrets', name: 'database' }, [6, 5]],
    ['text that is quoted in JSON', { user: 'o"b\\o\n' }, [0]],
    ['time', { after: BEGIN + 2000, before: BEGIN + 4000 }, [3, 2]],
    ['empty text', { user: '', resource: '', code: '' }, numbers(7, 0)],
  ])('by %s', async (_name, asked, found) => {
    const secret = { namespace: 'default', name: 'database' };
    writeFileSync(
      path,
      [
        line(0, { user: user('o"b\\o\n') }),
        line(1, { user: user('bob'), requestUri: '/"username":"jane"' }),
        line(2, { impersonated: user('jane') }),
        line(3, { verb: 'create', sourceIps: ['10.0.0.1', '::1'] }),
        line(4, { response: { code: 403 } }),
        line(5, { object: object('sharedsecrets', secret) }),
        line(6, {
          object: object('sharedsecrets', { ...secret, namespace: 'other', subresource: 'status' }),
        }),
        line(7, { response: { code: 404 } }),
        '',
      ].join('\n'),
    );
    expect(ids((await ask(asked)).events)).toEqual(found);
  });

  test('finds each event once, page by page, during log rotation', async () => {
    await record(100, 10);
    const file = auditLogFile({ path, maxBytes: 1, maxBackups: 0 });
    let next = 100;
    const found = await pages({ limit: 7 }, BOUNDS, () => file.append(`${line(next++)}\n`));
    await file.close();
    expect(found.flatMap(({ events }) => ids(events))).toEqual(numbers(99, 0));
    expect(found[0]?.searchedTo).toBe('2026-11-23T10:01:33.000000Z');
  });

  test('reads within its limits, and continues where it stopped', async () => {
    await record(20_000);
    const found = await pages({ auditID: 'id-3' }, { ...BOUNDS, bytes: 300_000 });
    expect(found.length).toBeGreaterThan(10);
    expect(found[0]).toMatchObject({
      events: [],
      continue: expect.any(String),
      searchedTo: expect.any(String),
    });
    expect(found.flatMap(({ events }) => ids(events))).toEqual([3]);
    const late = await pages({ limit: 500 }, { ...BOUNDS, milliseconds: -1 });
    expect(late.flatMap(({ events }) => ids(events))).toEqual(numbers(19_999, 0));
    const small = await ask({}, { ...BOUNDS, found: 1000 });
    expect(small.events.length).toBeLessThan(10);
  });

  test('does not open files from outside its time range, and ends before the range', async () => {
    const stamp = (minute: number): string =>
      join(folder, `audit-2026-11-23T10-${String(minute).padStart(2, '0')}-00.000.log`);
    writeFileSync(stamp(10), `${line(300)}\n`);
    writeFileSync(stamp(20), `${line(900)}\n`);
    writeFileSync(stamp(30), `${line(1500)}\n`);
    writeFileSync(path, `${line(2100)}\n`);
    const within = await ask({ after: BEGIN + 700_000, before: BEGIN + 1_000_000 });
    expect(ids(within.events)).toEqual([900]);
    // The search does not read the other files: it would count their lines.
    for (const file of [stamp(10), path]) writeFileSync(file, 'no event\n');
    expect(await ask({ after: BEGIN + 700_000, before: BEGIN + 1_000_000 })).toMatchObject({ unreadable: 0 });
    expect(ids((await ask({ after: BEGIN + 1_400_000, before: BEGIN + 1_600_000 })).events)).toEqual([1500]);
  });
});

describe('a log with other content than events', () => {
  test('ignores partial lines, too long lines and other texts', async () => {
    const long = line(2, { requestUri: 'x'.repeat(MAX_LINE) });
    const glued = line(3).slice(0, 100) + line(4);
    const lines = [line(0), 'x', long, glued, '[]', 'null', '{"kind":"Event"', line(5), line(6).slice(0, 50)];
    writeFileSync(path, lines.join('\n'));
    const { events, unreadable } = await ask();
    expect(ids(events)).toEqual([5, 4, 0]);
    expect(unreadable).toBe(6);
  });

  /** An event with a body that looks like another event, `forged`, which was not recorded. */
  const nesting = (number: number, forged: number): string => {
    const nested: unknown = JSON.parse(line(forged));
    return line(number, { requestObject: { nested } });
  };
  const forgedIn = (text: string, number: number): number => text.indexOf(line(number)) + line(number).length;

  test('finds no event within a body after an interrupted write', async () => {
    const cut = nesting(1, 99).slice(0, forgedIn(nesting(1, 99), 99));
    expect(cut.endsWith(line(99))).toBe(true);
    // At the end of the file, and before the next line.
    writeFileSync(path, `${line(0)}\n${cut}${nesting(2, 98)}\n${cut}`);
    const { events, unreadable } = await ask();
    expect(ids(events)).toEqual([2, 0]);
    expect(unreadable).toBe(1);
    expect((await ask({ auditID: 'id-99' })).events).toEqual([]);
  });

  test('finds no event within a body if a search ends in a too long line', async () => {
    const nested: unknown = JSON.parse(line(99));
    const long = (size: number): string => line(1, { requestObject: [nested, 'x'.repeat(size)] });
    // A search reads 128 KiB at a time, and this chunk ends behind the event in the body.
    const behind = MAX_LINE + 128 * 1024 - '\n'.length;
    const size = behind - (long(0).length - forgedIn(long(0), 99));
    writeFileSync(path, `${line(0)}\n${long(size)}\n${line(2)}\n`);
    const found = await pages({}, { ...BOUNDS, bytes: 1 });
    const ends = found.map((page) => decodePosition(page.continue ?? '')?.offset);
    expect(ends).toContain(line(0).length + 1 + forgedIn(long(size), 99));
    expect(found.flatMap(({ events }) => ids(events))).toEqual([2, 0]);
  });

  test('survives members of other types', async () => {
    const members = ['objectRef', 'sourceIPs', 'user', 'responseStatus', 'stageTimestamp', 'verb'];
    const text = { username: 'ada', resource: 'pods', namespace: 'n', ip: '10.0.0.1', code: 200 };
    const event = { kind: 'Event', apiVersion: 'audit.k8s.io/v1', text };
    const lines = [null, 5, 'text', {}].flatMap((value) =>
      members.map((name) => `${JSON.stringify({ ...event, [name]: value })}\n`),
    );
    writeFileSync(path, lines.join(''));
    expect((await ask()).events).toHaveLength(lines.length);
    const filters: Partial<AuditSearch>[] = [
      { user: 'ada' },
      { resource: 'pods' },
      { sourceIP: '10.0.0.1' },
      { namespace: 'n' },
      { code: '2xx' },
      { after: BEGIN },
    ];
    for (const filter of filters) expect((await ask(filter)).events).toEqual([]);
  });

  test('reads a file without lines in bounded steps', async () => {
    writeFileSync(path, `${line(0)}\n`);
    appendFileSync(path, Buffer.alloc(20 * MAX_LINE));
    const found = await pages({}, { ...BOUNDS, bytes: 2 * MAX_LINE });
    expect(found.length).toBeGreaterThan(5);
    expect(found.flatMap(({ events }) => ids(events))).toEqual([0]);
  });

  test('does not read other files of the folder', async () => {
    writeFileSync(path, '');
    for (const name of ['audit-x.log', 'audit.log.1', 'other.log', 'audit-2026-11-23T10-00-00.000.txt'])
      writeFileSync(join(folder, name), `${line(1)}\n`);
    expect(await ask()).toEqual({ events: [], unreadable: 0 });
  });
});

describe('a continue token', () => {
  test.each(['x', 'djEgMS0xIDE', '../../etc/passwd', Buffer.from('v1 1-1 -1').toString('base64url')])(
    'is refused if it is invalid: %s',
    async (from) => {
      await record(1);
      await expect(ask({ from: from === 'djEgMS0xIDE' ? `${from}x=` : from })).rejects.toMatchObject({
        code: expect.any(Number),
        message: expect.stringMatching(/spec\.continue/),
      });
    },
  );

  test('with another offset reads the same file, and whole lines', async () => {
    await record(3);
    const { continue: from = '' } = await ask({ limit: 1 });
    const [version, file] = Buffer.from(from, 'base64url').toString().split(' ');
    const lying = (offset: number): string =>
      Buffer.from(`${version} ${file} ${offset}`).toString('base64url');
    expect(ids((await ask({ from: lying(1e14) })).events)).toEqual([2, 1, 0]);
    expect(ids((await ask({ from: lying(line(0).length + 9) })).events)).toEqual([0]);
    expect((await ask({ from: lying(0) })).events).toEqual([]);
  });

  test('of a deleted file is rejected as expired', async () => {
    await record(30, 10);
    const { continue: from = '' } = await ask({ limit: 25 });
    for (const name of readdirSync(folder).filter((name) => name !== 'audit.log')) rmSync(join(folder, name));
    await expect(ask({ from })).rejects.toMatchObject({
      code: 410,
      message: expect.stringMatching(
        /has been deleted, or another server answered before \(status\.server\)/,
      ),
    });
  });
});
