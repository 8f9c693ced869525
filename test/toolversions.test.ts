import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

test('prints the versions of the programs that tests run', () => {
  const script = fileURLToPath(new URL('../hack/tool-versions.sh', import.meta.url));
  const lines = execFileSync(script, { encoding: 'utf8' }).trim().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(`tests run with node ${process.versions.node}`);
  for (const line of lines) expect(line).toMatch(/^tests run (with \w+ \d+\.\d+\S*|without \w+)$/);
});
