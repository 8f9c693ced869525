import { describe, expect, test } from '@jest/globals';
import { auditLine, microTime, type AuditEvent } from './event.js';

const ANN = { name: 'ann "the" admin', uid: 'u-1', groups: ['a', 'system:authenticated'], extra: {} };
const BARE: AuditEvent = {
  level: 'Metadata',
  auditId: 'id-1',
  stage: 'ResponseComplete',
  requestUri: '/api/v1/x?y="\u2028\\',
  verb: 'get',
  user: undefined,
  impersonated: undefined,
  sourceIps: [],
  userAgent: '',
  object: undefined,
  received: Date.UTC(2026, 10, 21, 17, 40) + 1.25,
  at: Date.UTC(2026, 10, 21, 17, 40) + 999,
  annotations: {},
};
const HEAD =
  '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-1","stage":"ResponseComplete",' +
  '"requestURI":"/api/v1/x?y=\\"\u2028\\\\","verb":"get"';
const TIMES =
  '"requestReceivedTimestamp":"2026-11-21T17:40:00.001250Z","stageTimestamp":"2026-11-21T17:40:00.999000Z"';
const reference = { resource: 'secrets', namespace: 'n', name: 'é', apiGroup: 'g', apiVersion: 'v1' };

describe('a line of the audit log', () => {
  test.each<[string, Partial<AuditEvent>, string]>([
    ['the least', {}, `"user":{},"sourceIPs":[],${TIMES},"annotations":{}}`],
    [
      'who, as whom, from where, by what',
      {
        user: ANN,
        impersonated: { name: 'ben', uid: '', groups: [], extra: { 'a/b': ['c', '"'] } },
        sourceIps: ['::1'],
        userAgent: 'curl/8 "x"',
      },
      '"user":{"username":"ann \\"the\\" admin","uid":"u-1","groups":["a","system:authenticated"]},' +
        '"impersonatedUser":{"username":"ben","extra":{"a/b":["c","\\""]}},"sourceIPs":["::1"],' +
        `"userAgent":"curl/8 \\"x\\"",${TIMES},"annotations":{}}`,
    ],
    [
      'an object',
      { object: { ...reference, subresource: 'status' } },
      '"user":{},"sourceIPs":[],"objectRef":{"resource":"secrets","namespace":"n","name":"é","apiGroup":"g",' +
        `"apiVersion":"v1","subresource":"status"},${TIMES},"annotations":{}}`,
    ],
    [
      'a list of the core group, all over',
      { object: { ...reference, namespace: '', name: '', apiGroup: '', subresource: '' } },
      `"user":{},"sourceIPs":[],"objectRef":{"resource":"secrets","apiVersion":"v1"},${TIMES},"annotations":{}}`,
    ],
    [
      'an answer, bodies, annotations',
      {
        response: { code: 201 },
        requestObject: { a: ['"'] },
        responseObject: null,
        annotations: { 'authorization.k8s.io/reason': 'by "x"\n' },
      },
      '"user":{},"sourceIPs":[],"responseStatus":{"metadata":{},"code":201},"requestObject":{"a":["\\""]},' +
        `"responseObject":null,${TIMES},"annotations":{"authorization.k8s.io/reason":"by \\"x\\"\\n"}}`,
    ],
    [
      'a failure',
      {
        response: {
          code: 404,
          failure: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 },
        },
      },
      '"user":{},"sourceIPs":[],"responseStatus":{"metadata":{},"status":"Failure","reason":"NotFound","code":404},' +
        `${TIMES},"annotations":{}}`,
    ],
  ])('%s', (_name, more, rest) => {
    expect(auditLine({ ...BARE, ...more })).toBe(`${HEAD},${rest}`);
  });

  test('truncates a long user agent', () => {
    const { userAgent } = JSON.parse(auditLine({ ...BARE, userAgent: 'x'.repeat(1025) })) as AuditEvent;
    expect(userAgent).toBe(`${'x'.repeat(1024)}...TRUNCATED`);
  });
});

test.each([
  [0, '1970-01-01T00:00:00.000000Z'],
  [999.9995, '1970-01-01T00:00:00.999999Z'],
  [1000, '1970-01-01T00:00:01.000000Z'],
  [1_795_282_800_999.5, '2026-11-21T17:40:00.999500Z'],
  [1_795_282_800_000, '2026-11-21T17:40:00.000000Z'],
])('%d ms', (milliseconds, text) => expect(microTime(milliseconds)).toBe(text));
