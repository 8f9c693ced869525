/** Logs after a backup: the state at each of their times, and files that do not follow each other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { watchedChanges, type ChangeReader } from '../changes.js';
import { openEmbedded } from '../embedded/embedded.js';
import { readEmbedded } from '../embedded/readonly.js';
import { newDataKey } from '../encryption/keyfile.js';
import { dataKeyring, noKeys } from '../encryption/keyring.js';
import { openEncrypted, type EncryptedStore } from '../encryption/openencrypted.js';
import type { Storage } from '../interface.js';
import { ALL_KEYS } from '../pages.js';
import { recordsOfChain, verifyChain, type ChainFile, type VerifiedChain } from './chain.js';
import { lineageAt } from './lineage.js';
import { readSegment } from './readsegment.js';
import type { Mark } from './segmentformat.js';
import { writeBackup } from './write.js';
import { writeSegment } from './writesegment.js';
import { SecretRecords } from '../encryption/selection.js';

const SECRETS = new SecretRecords(['registry/core/secrets/']);

const KEYRING = dataKeyring([newDataKey()], SECRETS);
const START = Date.parse('2026-01-02T03:00:00Z');
const SECOND = 1_000;

let directory: string;
let engine: Storage;
let store: EncryptedStore;
/** The clock of the machine that writes the log. */
let clock: number;

const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const secret = (name: string): string => `registry/core/secrets/default/${name}`;
const put = (name: string, value: unknown): Promise<unknown> =>
  store.storage.commit([{ key: secret(name), value: json(value), expect: 'any' }]);
const remove = (name: string): Promise<unknown> =>
  store.storage.commit([{ key: secret(name), expect: 'present' }]);

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'chain-'));
  engine = await openEmbedded({ directory: join(directory, 'store') });
  store = await openEncrypted(engine, KEYRING, 'test');
  await store.begin();
  clock = START;
  for (let at = 0; at < 20; at += 1) await put(`s${at}`, { secret: `planted-${at}` });
});
afterEach(async () => {
  await engine.close();
  rmSync(directory, { recursive: true });
});

interface Made {
  readonly bytes: Buffer;
  readonly checksum: string;
  readonly last: Mark;
}

async function base(): Promise<Made> {
  const revision = await engine.currentRevision();
  const chunks: Buffer[] = [];
  let checksum = '';
  const header = { program: '0.1.0', time: new Date(clock).toISOString(), revision, engine: 'embedded' };
  const done = (_: unknown, sum: string): void => void (checksum = sum);
  for await (const chunk of writeBackup(engine, { header, seal: KEYRING.writers[0], done }))
    chunks.push(chunk);
  return { bytes: Buffer.concat(chunks), checksum, last: { time: clock, revision } };
}

/** Writes the segment after `before`. Between reads of the store it runs `steps`, each a second later. */
async function segment(
  before: readonly [Made, ...Made[]],
  changes: ChangeReader,
  steps: readonly (() => Promise<unknown>)[] = [],
): Promise<Made> {
  const previous = before.at(-1) ?? before[0];
  const chunks: Buffer[] = [];
  let [checksum, last] = ['', previous.last];
  const left = [...steps];
  const header = { program: '0.1.0', engine: 'embedded', base: before[0].checksum, number: before.length };
  const written = writeSegment({
    header: { ...header, previous: previous.checksum, after: last.revision },
    last,
    seal: KEYRING.writers[0],
    changes,
    now: () => clock,
    lineageAt: (revision) => lineageAt(engine, revision),
    wait: async () => {
      clock += SECOND;
      const step = left.shift();
      await step?.();
      return step !== undefined;
    },
    done: (end, sum) => ([checksum, last] = [sum, { time: end.time, revision: end.revision }]),
  });
  for await (const chunk of written) chunks.push(chunk);
  changes.close();
  return { bytes: Buffer.concat(chunks), checksum, last };
}

/** Reads changes from the watch of the engine, or from its files. */
async function following(after: number, files = false): Promise<ChangeReader> {
  if (!files) return watchedChanges(engine, after);
  const beside = await readEmbedded(join(directory, 'store'));
  if (beside === undefined) throw new Error('no store');
  const reader = beside.changes(after);
  return { untilNow: () => reader.untilNow(), close: () => void beside.close() };
}

async function* inPieces(bytes: Buffer, size = 5_003): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const fileOf = (bytes: Buffer, nth: number): ChainFile => ({
  path: `file${nth}`,
  read: () => inPieces(bytes),
});
async function naming<T>(path: string, step: Promise<T>): Promise<T> {
  return step.catch((error: unknown) => {
    throw new Error(`${path} ${error instanceof Error ? error.message : ''}`, { cause: error });
  });
}
const verified = (files: readonly Buffer[], until?: number, keyring = KEYRING): Promise<VerifiedChain> => {
  const [first, ...segments] = files.map(fileOf);
  if (first === undefined) throw new Error('no file');
  return verifyChain(first, segments, { keyring, until, naming });
};

async function stateAt(files: readonly Buffer[], until: number): Promise<Map<string, string>> {
  const chain = await verified(files, until);
  const [first, ...segments] = files.map(fileOf);
  const found = new Map<string, string>();
  if (first === undefined) throw new Error('no file');
  for await (const page of recordsOfChain(first, segments, chain, naming))
    for (const { key, value } of page) {
      expect(found.has(key)).toBe(false);
      found.set(key, value.toString('latin1'));
    }
  return found;
}
const stored = async (revision: number): Promise<Map<string, string>> =>
  new Map(
    (await engine.scan(ALL_KEYS, { revision })).records.map(({ key, value }) => [
      key,
      value.toString('latin1'),
    ]),
  );

/** A backup and three segments with one change each. */
async function chainOf(): Promise<[Made, Made, Made, Made]> {
  const first = await base();
  const one = await segment([first], await following(first.last.revision), [() => put('s1', 'one')]);
  const two = await segment([first, one], await following(one.last.revision), [() => remove('s2')]);
  const three = await segment([first, one, two], await following(two.last.revision), [() => put('s2', 3)]);
  return [first, one, two, three];
}

describe('a log', () => {
  test.each([
    ['a watch', false],
    ['the files', true],
  ])('has the state at each of its times, read by %s', async (_, files) => {
    const first = await base();
    const revisions: [number, number][] = [[clock, first.last.revision]];
    const noted = (step: () => Promise<unknown>) => async (): Promise<void> => {
      await step();
      revisions.push([clock, await engine.currentRevision()]);
    };
    const steps = [
      () => remove('s3'),
      () => put('s3', 'back'),
      () => put('new', 'n'.repeat(700_000)),
      () => Promise.all(Array.from({ length: 80 }, (_one, at) => put(`s${at}`, { at }))),
      () => remove('new'),
      () => put('s4', 'last'),
    ].map(noted);
    const one = await segment([first], await following(first.last.revision, files), steps.slice(0, 3));
    const two = await segment([first, one], await following(one.last.revision, files), steps.slice(3));
    const chain = [first.bytes, one.bytes, two.bytes];
    expect(revisions).toHaveLength(7);
    for (const [time, revision] of revisions)
      for (const until of [time, time + SECOND - 1])
        expect(await stateAt(chain, until)).toEqual(await stored(revision));
    expect(await stateAt(chain, Infinity)).toEqual(await stored(await engine.currentRevision()));
    expect(Buffer.concat(chain).includes('planted')).toBe(false);
  });

  test('continues after the clock was set back', async () => {
    const first = await base();
    clock -= 3_600 * SECOND;
    const one = await segment([first], await following(first.last.revision), [() => put('s1', 'one')]);
    const { point, end } = await verified([first.bytes, one.bytes], START);
    expect([point, end]).toEqual([one.last, { ...one.last, time: START }]);
  });

  test('has times for periods without changes', async () => {
    const first = await base();
    const one = await segment(
      [first],
      await following(first.last.revision),
      Array(12).fill(async () => {}),
    );
    const marks: Mark[] = [];
    for await (const part of readSegment(inPieces(one.bytes)))
      if (part.part === 'mark') marks.push(part.mark);
    expect(marks.map(({ time }) => (time - START) / SECOND)).toEqual([5, 10, 13]);
  });

  test('fails when the history of the store was compacted', async () => {
    const first = await base();
    await put('s1', 1);
    await engine.compact(await engine.currentRevision());
    for (const files of [false, true])
      await expect(segment([first], await following(first.last.revision, files))).rejects.toThrow(
        'compacted',
      );
  });

  test('requires its keys', async () => {
    const files = (await chainOf()).map(({ bytes }) => bytes);
    const name = KEYRING.writers[0]?.keyName;
    expect((await verified(files)).checked).toEqual({
      byKey: expect.anything(),
      lacking: [],
      faults: [],
    });
    const none = await verified(files, undefined, noKeys);
    expect(none.checked.lacking).toContain(name);
    expect(none.segments.map(({ seal }) => seal?.fault)).toEqual(
      Array(3).fill(expect.stringContaining(String(name))),
    );
  });
});

describe('a chain', () => {
  test('with a segment out of order is refused', async () => {
    const [b, one, two, three] = (await chainOf()).map(({ bytes }) => bytes) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const again = await base();
    const other = await segment([again], await following(again.last.revision), [() => put('s9', 9)]);
    const fork = await segment([again], await following(again.last.revision), [() => put('s9', 0)]);
    const third = await segment([again, fork], await following(fork.last.revision));
    for (const [files, why] of [
      [[b, two], 'file1 is segment 2 of the log, and segment 1 is missing'],
      [[b, one, three], 'file2 is segment 3 of the log, and segment 2 is missing'],
      [[b, two, one, three], 'file1 is segment 2 of the log, and segment 1 is missing'],
      [[b, one, one, two], 'file2 is segment 1 of the log, and stands where segment 2 belongs'],
      [[b, other.bytes], 'file1 is of the log of another backup'],
      [[again.bytes, one], 'file1 is of the log of another backup'],
      [[again.bytes, other.bytes, third.bytes], 'file2 is segment 2 of the log, and was not written after'],
      [[one, two], 'file0 is no backup'],
      [[b, b], 'file1 is no segment of a log'],
    ] as const)
      await expect(verified(files)).rejects.toThrow(why);
    expect((await verified([b, one, two, three])).segments).toHaveLength(3);
  });

  test('with a segment truncated or a bit flipped is refused', async () => {
    const [b, one] = (await chainOf()).map(({ bytes }) => bytes) as [Buffer, Buffer];
    for (let at = 0; at < one.length; at += at % 7 === 0 ? 5 : 1) {
      await expect(verified([b, one.subarray(0, at)])).rejects.toThrow(/cut short|no segment/);
      const changed = Buffer.from(one);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await expect(verified([b, changed])).rejects.toThrow(/damaged|cut short|no segment|newer/);
    }
    await expect(verified([b, Buffer.concat([one, one])])).rejects.toThrow('damaged');
  });

  test('of another store with the same content is refused', async () => {
    const copy = await openEmbedded({ directory: join(directory, 'copy') });
    const second = await openEncrypted(copy, KEYRING, 'test');
    await second.begin();
    const at = Math.min(await engine.currentRevision(), await copy.currentRevision());
    expect(await lineageAt(copy, at)).not.toBe(await lineageAt(engine, at));
    await copy.close();
  });
});
