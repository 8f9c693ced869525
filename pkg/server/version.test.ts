import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { SERVER_VERSION, versionInfo } from './version.js';

test('the version is a numeric Kubernetes version and the version of the package', () => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(SERVER_VERSION).toBe(version);
  const { major, minor, gitVersion } = versionInfo();
  expect([major, minor]).toEqual([expect.stringMatching(/^\d+$/), expect.stringMatching(/^\d+$/)]);
  expect(gitVersion).toBe(`v${major}.${minor}.0+management${version}`);
});
