import { describe, expect, test } from '@jest/globals';
import type { IEvent } from 'etcd3';
import { decodeRevision } from './events.js';
import { keySpace } from '../keyspace.js';
import { encodeValue } from '../record.js';

const keys = keySpace('/p/');

function event(type: 'Put' | 'Delete', key: Buffer, value: Buffer = Buffer.alloc(0)): IEvent {
  return { type, kv: { key, value, mod_revision: '9' } } as IEvent;
}
const put = (key: string, position: number, last = true) =>
  event('Put', keys.dataKey(key), encodeValue(Buffer.from(key), position, last));
const foreign = (key: string) => event('Put', keys.dataKey(key), Buffer.from(key));
const remove = (key: string) => event('Delete', keys.dataKey(key));
const record = (...open: string[]) =>
  event('Put', keys.batchKey('lane'), encodeValue(Buffer.from(JSON.stringify({ open })), 0, true));

describe('events of one etcd revision', () => {
  test.each<[string, IEvent[], string[] | undefined]>([
    ['puts carry their positions', [record(), put('a', 1), put('b', 7)], ['a@1.', 'b@7.']],
    ['a delete follows the event before it', [record(), put('a', 4), remove('b')], ['a@4.', '-b@5.']],
    ['a leading delete follows the record', [record(), remove('a'), put('b', 4)], ['-a@1.', 'b@4.']],
    ['a delete inside its commit', [record('a'), remove('a'), put('b', 2)], ['-a@1', 'b@2.']],
    ['a put inside its commit', [record(), put('a', 1, false), put('b', 2)], ['a@1', 'b@2.']],
    ['deletes without a record are one commit', [remove('a'), remove('b')], ['-a@0', '-b@1.']],
    ['one foreign put', [foreign('a')], ['a@0.']],
    ['a foreign put, then deletes', [foreign('a'), remove('b')], ['a@0', '-b@1.']],
    ['two foreign puts have no order', [foreign('a'), foreign('b')], undefined],
    [
      '64 deletes',
      Array.from({ length: 64 }, () => remove('a')),
      Array.from({ length: 64 }, (_, at) => (at < 63 ? `-a@${at}` : '-a@63.')),
    ],
    ['65 deletes are too many', Array.from({ length: 65 }, () => remove('a')), undefined],
    ['keys of no record are ignored', [event('Put', Buffer.from('/p/other'), Buffer.from('x'))], []],
  ])('%s', (_name, events, expected) => {
    const decoded = decodeRevision(keys, { etcdRevision: 9, events });
    const texts = decoded?.map(
      ({ event: { key, value, revision, commitEnd } }) =>
        `${value === undefined ? '-' : ''}${key}@${revision - 9 * 64}${commitEnd ? '.' : ''}`,
    );
    expect(texts).toEqual(expected);
  });
});
