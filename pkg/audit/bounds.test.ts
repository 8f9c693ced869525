import { describe, expect, test } from '@jest/globals';
import { failure } from '../apimachinery/errors.js';
import { MAX_LINE, MAX_LINE_WITH_BODIES, boundedLine } from './bounds.js';
import { auditLine, type AuditEvent } from './event.js';

const USER = { name: 'anna', uid: '1', groups: ['a'], extra: { 'example.com/k': ['v'] } };
const EVENT: AuditEvent = {
  level: 'Metadata',
  auditId: 'id',
  stage: 'ResponseComplete',
  requestUri: '/api/v1/secrets?limit=1',
  verb: 'get',
  user: USER,
  impersonated: USER,
  sourceIps: ['::1'],
  userAgent: 'curl',
  object: { resource: 'secrets', namespace: 'n', name: 's', apiGroup: '', apiVersion: 'v1', subresource: '' },
  response: { code: 403, failure: failure('Forbidden', 'no').status },
  received: 0,
  at: 1,
  annotations: { a: 'b' },
};

test('does not truncate short texts', () => {
  expect(boundedLine(EVENT)).toBe(auditLine(EVENT));
  expect(boundedLine(EVENT, true)).toBe(auditLine(EVENT));
});

/** Characters that need six, three and one bytes in JSON. */
const CHARACTERS = ['\u0000', '\ud800', '\u20ac', 'x', '"'];
const many = (text: string): string[] => Array<string>(5_000).fill(text);

describe.each(CHARACTERS)('text of %j', (character) => {
  const long = character.repeat(100_000);
  const user = {
    name: long,
    uid: long,
    groups: many(long.slice(0, 300)),
    extra: { [long]: many(long), b: [long] },
  };
  const rows: [string, Partial<AuditEvent>][] = [
    ['auditID', { auditId: long }],
    ['requestURI', { requestUri: long }],
    ['verb', { verb: long }],
    ['user', { user }],
    ['groups', { user: { ...USER, groups: many('g') } }],
    [
      'extra',
      { user: { ...USER, extra: Object.fromEntries(many('k').map((key, at) => [key + at, ['v']])) } },
    ],
    ['impersonatedUser', { impersonated: user }],
    ['sourceIPs', { sourceIps: many(long) }],
    ['userAgent', { userAgent: long }],
    [
      'objectRef',
      {
        object: {
          resource: long,
          namespace: long,
          name: long,
          apiGroup: long,
          apiVersion: long,
          subresource: long,
        },
      },
    ],
    [
      'responseStatus',
      {
        response: {
          code: 422,
          failure: {
            ...failure('Invalid', long).status,
            details: { name: long, causes: many(long).map((message) => ({ message, field: long })) },
          },
        },
      },
    ],
    ['annotations', { annotations: Object.fromEntries(many('k').map((key, at) => [key + at, long])) }],
  ];
  const all = Object.assign({}, ...rows.map(([, changed]) => changed)) as Partial<AuditEvent>;
  test.each([...rows, ['all of it', all]] as typeof rows)('truncates %s', (_member, changed) => {
    for (const tight of [false, true]) {
      const line = boundedLine({ ...EVENT, ...changed }, tight);
      expect(Buffer.byteLength(line)).toBeLessThan(MAX_LINE);
      expect(line).not.toContain('\n');
      const told = JSON.parse(line) as { user: object; stage: string };
      expect([told.stage, typeof told.user]).toEqual(['ResponseComplete', 'object']);
    }
  });
});

describe('limits each list, also in short lines', () => {
  const ITEMS = 64;
  const TEXT = 1024;
  const ALL = 4096;
  interface Told {
    readonly user: { readonly groups: readonly string[]; readonly extra: Readonly<Record<string, string[]>> };
    readonly sourceIPs: readonly string[];
    readonly annotations: Readonly<Record<string, string>>;
  }
  const told = (changed: Partial<AuditEvent>): Told =>
    JSON.parse(boundedLine({ ...EVENT, ...changed })) as Told;
  const sum = (texts: readonly string[]): number => texts.reduce((all, { length }) => all + length, 0);
  /** Many short strings, one long string, and some strings that are long together. */
  const LISTS: [string, string[]][] = [
    ['5,000 short ones', Array<string>(5_000).fill('g')],
    ['65 short ones', Array.from({ length: ITEMS + 1 }, (_none, at) => `g${at}`)],
    ['one long one', ['g'.repeat(TEXT + 1)]],
    ['ten long ones', Array<string>(10).fill('g'.repeat(TEXT - 1))],
    ['short ones before a long one', ['a', 'b', 'g'.repeat(30_000)]],
  ];

  test.each(LISTS)('%s', (_what, list) => {
    const extra = Object.fromEntries(list.map((text, at) => [`${at}${text}`, [text, text]]));
    const annotations = Object.fromEntries(list.map((text, at) => [`${at}`, text]));
    const { user, sourceIPs, ...rest } = told({
      user: { ...USER, groups: list, extra },
      sourceIps: list,
      annotations,
    });
    const values = Object.values(user.extra).flat();
    for (const kept of [user.groups, sourceIPs, values, Object.values(rest.annotations)]) {
      expect(kept.length).toBeGreaterThan(0);
      expect(kept.length).toBeLessThanOrEqual(ITEMS + 1);
      // The text that marks the truncation is not counted.
      expect(sum(kept)).toBeLessThanOrEqual(ALL + 2 * '5000 more...TRUNCATED'.length);
      if (kept !== values) expect(Math.max(...kept.map(({ length }) => length))).toBeLessThanOrEqual(TEXT);
    }
    expect(Object.keys(user.extra).every((key) => key.length <= ALL)).toBe(true);
    expect([...user.groups, ...sourceIPs].some((text) => text.endsWith('...TRUNCATED'))).toBe(true);
  });

  test('counts omitted items', () => {
    const groups = Array<string>(5_000).fill('g');
    expect(told({ user: { ...USER, groups } }).user.groups.at(-1)).toBe('4936 more...TRUNCATED');
  });

  test('does not truncate texts within the bounds', () => {
    const groups = Array.from({ length: ITEMS }, (_none, at) => `group-${at}`);
    expect(told({ user: { ...USER, groups }, sourceIps: groups })).toMatchObject({
      user: { groups },
      sourceIPs: groups,
    });
  });
});

describe('an event with bodies', () => {
  const bytes = (event: AuditEvent): number => Buffer.byteLength(auditLine(event));
  const withRequest = (size: number): AuditEvent => {
    const spare = size - bytes({ ...EVENT, requestObject: { text: '' } });
    return { ...EVENT, requestObject: { text: 'x'.repeat(spare) } };
  };

  test('keeps them in a line of 1 MiB', () => {
    const event = withRequest(MAX_LINE_WITH_BODIES);
    expect(boundedLine(event)).toBe(auditLine(event));
    expect(boundedLine(event, true)).toBe(auditLine(event));
  });

  test.each<[string, Partial<AuditEvent>]>([
    ['the request', withRequest(MAX_LINE_WITH_BODIES + 1)],
    ['the response', { responseObject: { text: '\u20ac'.repeat(MAX_LINE_WITH_BODIES / 3) } }],
    ['both together', { requestObject: 'x'.repeat(600_000), responseObject: 'x'.repeat(600_000) }],
  ])('drops and annotates both if %s makes the line longer', (_what, bodies) => {
    const annotations = Object.fromEntries(many('k').map((key, at) => [key + at, 'v']));
    for (const tight of [false, true]) {
      const line = boundedLine({ ...EVENT, ...bodies, annotations }, tight);
      expect(Buffer.byteLength(line)).toBeLessThan(MAX_LINE);
      const told: unknown = JSON.parse(line);
      expect(told).toMatchObject({ verb: 'get', annotations: { 'audit.k8s.io/truncated': 'true', k0: 'v' } });
      expect(told).not.toHaveProperty('requestObject');
      expect(told).not.toHaveProperty('responseObject');
    }
  });
});
