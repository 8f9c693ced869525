import { expect, test } from '@jest/globals';
import { createLog } from './log.js';
import { plainLine, plainLog } from './plainlog.js';

test('writes each log entry as a line of text', () => {
  let text = '';
  const log = createLog({ verbosity: 0, destination: plainLog((line) => (text += line)) });
  log.info({ url: 'https://127.0.0.1:6443', engine: 'embedded', count: 2 }, 'ready');
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}ready url=https:\/\/127\.0\.0\.1:6443 engine=embedded count=2\n$/,
  );
});

test('escapes control characters and newlines of clients', () => {
  const line = plainLine(
    JSON.stringify({ level: 'warn', time: '', msg: 'a\nb', agent: 'x\u001b[2J\u009b1m y\u202e' }),
  );
  expect(line).toMatch(/^[ -~]+\n$/);
  expect(line).toContain('agent="x\\u001b[2J\\u009b1m y\\u202e"');
});

test('leaves a line that is not JSON unchanged', () => {
  expect(plainLine('text\n')).toBe('text\n');
});
