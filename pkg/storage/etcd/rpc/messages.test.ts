/** The messages as the package's own definition of them reads and writes them. */
import { describe, expect, test } from '@jest/globals';
import { createRequire } from 'node:module';
import type { ITxnRequest } from 'etcd3';
import protobuf from 'protobufjs';
import { countRequest, headerOf, txnAnswer, txnRequest } from './messages.js';

const require = createRequire(import.meta.url);
const etcd = protobuf.loadSync(require.resolve('etcd3/proto/rpc.proto'));
const type = (name: string): protobuf.Type => etcd.lookupType(`etcdserverpb.${name}`);

/** As the package shows a message. */
const shown = (name: string, message: Uint8Array): unknown =>
  type(name).toObject(type(name).decode(message), { longs: Number, enums: String, bytes: String });

const written = (name: string, members: object): Buffer =>
  Buffer.from(type(name).encode(type(name).fromObject(members)).finish());

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const KEY = Buffer.from('/p/key');
const REVISION = 2 ** 45 + 7;

const REQUEST: ITxnRequest = {
  compare: [{ key: KEY, target: 'Mod', result: 'Equal', mod_revision: REVISION }],
  success: [
    { request_put: { key: KEY, value: Buffer.from([0, 255]) } },
    {
      request_txn: {
        compare: [
          { key: KEY, target: 'Create', result: 'Greater', create_revision: 0 },
          { key: KEY, target: 'Value', result: 'Less', value: Buffer.from([129]) },
        ],
        success: [{ request_delete_range: { key: KEY } }],
        failure: [{ request_range: { key: KEY } }],
      },
    },
  ],
};

describe('requests', () => {
  test('a transaction has all its members', () => {
    const key = KEY.toString('base64');
    expect(shown('TxnRequest', txnRequest(REQUEST))).toEqual({
      compare: [{ key, target: 'Mod', result: 'Equal', modRevision: REVISION }],
      success: [
        { requestPut: { key, value: 'AP8=' } },
        {
          requestTxn: {
            compare: [
              { key, target: 'Create', result: 'Greater', createRevision: 0 },
              { key, target: 'Value', result: 'Less', value: 'gQ==' },
            ],
            success: [{ requestDeleteRange: { key } }],
            failure: [{ requestRange: { key } }],
          },
        },
      ],
    });
  });

  test('a count asks for no values', () => {
    expect(shown('RangeRequest', countRequest(KEY))).toEqual({
      key: KEY.toString('base64'),
      countOnly: true,
    });
  });
});

const HEADER = { clusterId: '18446744073709551615', memberId: '1', revision: REVISION, raftTerm: 3 };

describe('answers', () => {
  test('a transaction: what was found, and which of its parts were done', () => {
    const kv = { key: base64('k'), value: base64('v'), createRevision: 1, modRevision: REVISION, version: 9 };
    const message = written('TxnResponse', {
      header: HEADER,
      succeeded: true,
      responses: [
        { responsePut: { header: HEADER, prevKv: kv } },
        { responseTxn: { succeeded: true, responses: [{ responseDeleteRange: { deleted: 1 } }] } },
        { responseTxn: { responses: [{ responseRange: { kvs: [kv], count: 1 } }, { responseRange: {} }] } },
      ],
    });
    expect(txnAnswer(message)).toEqual({
      header: { cluster_id: HEADER.clusterId, revision: REVISION },
      succeeded: true,
      responses: [
        {},
        { response_txn: { header: undefined, succeeded: true, responses: [{}] } },
        {
          response_txn: {
            header: undefined,
            succeeded: false,
            responses: [
              { response_range: { kvs: [{ value: Buffer.from('v'), mod_revision: REVISION }] } },
              { response_range: { kvs: [] } },
            ],
          },
        },
      ],
    });
  });

  test('the header of any answer', () => {
    const message = written('RangeResponse', { header: HEADER, kvs: [{ value: base64('v') }] });
    expect(headerOf(message)).toEqual({ cluster_id: HEADER.clusterId, revision: REVISION });
    expect(headerOf(written('RangeResponse', { count: 1 }))).toBeUndefined();
    expect(headerOf(written('RangeResponse', { header: { clusterId: '1' } }))).toBeUndefined();
  });

  test.each([
    ['without a header', written('TxnResponse', { succeeded: true })],
    ['cut off', written('TxnResponse', { header: HEADER }).subarray(0, -1)],
    ['with a member longer than itself', Buffer.from([0x1a, 100, 1])],
    ['with a number that does not end', Buffer.from([0x0a, 2, 0x18, 0x80])],
    ['of no fields', Buffer.from([0xff, 0xff, 0xff])],
  ])('a message %s is refused', (_what, message) => {
    expect(() => txnAnswer(message)).toThrow(Error);
  });
});
