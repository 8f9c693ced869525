/** The one suite that every storage engine passes. An engine's test is one call of {@link describeStorage}. */
import { afterEach, describe, expect, test } from '@jest/globals';
import type { StorageCase, StorageFixture } from './conformance/case.js';
import { commitCases } from './conformance/commits.js';
import { concurrencyCases } from './conformance/concurrency.js';
import { historyCases } from './conformance/history.js';
import { lifecycleCases } from './conformance/lifecycle.js';
import { limitCases } from './conformance/limits.js';
import { rangeCases } from './conformance/ranges.js';
import { watchCases } from './conformance/watches.js';
import { watchEndCases } from './conformance/watchends.js';

export type { StorageFixture } from './conformance/case.js';

const THEMES: Readonly<Record<string, readonly StorageCase[]>> = {
  commits: commitCases,
  concurrency: concurrencyCases,
  ranges: rangeCases,
  history: historyCases,
  limits: limitCases,
  watches: watchCases,
  'ends of watches': watchEndCases,
  lifecycle: lifecycleCases,
};

/**
 * Declares the suite for one engine.
 *
 * @param open gives each case an empty store of its own (a fresh directory, a fresh key prefix).
 * @param skips case name to the reason why the engine cannot pass it. A skipped case still runs, and the suite
 *   fails when it passes, or when no case has that name.
 */
export function describeStorage(
  name: string,
  open: () => Promise<StorageFixture>,
  skips: Readonly<Record<string, string>> = {},
): void {
  describe(`storage: ${name}`, () => {
    let fixture: StorageFixture | undefined;
    afterEach(async () => {
      await fixture?.dispose();
      fixture = undefined;
    });

    for (const [theme, cases] of Object.entries(THEMES)) {
      describe(theme, () => {
        test.each(cases.map((one) => [titleOf(one, skips), one] as const))('%s', async (_title, one) => {
          fixture = await open();
          await runOrExpectFailure(one, fixture, skips[one.name]);
        });
      });
    }

    test('case names are unique, and every skip names a case and a reason', () => {
      const names = Object.values(THEMES).flatMap((cases) => cases.map((one) => one.name));
      expect(names.filter((one, index) => names.indexOf(one) !== index)).toEqual([]);
      expect(Object.keys(skips).filter((skip) => !names.includes(skip))).toEqual([]);
      expect(Object.values(skips).filter((reason) => reason.trim() === '')).toEqual([]);
    });
  });
}

function titleOf(one: StorageCase, skips: Readonly<Record<string, string>>): string {
  const reason = skips[one.name];
  return reason === undefined ? one.name : `${one.name} (fails: ${reason})`;
}

async function runOrExpectFailure(one: StorageCase, fixture: StorageFixture, reason: string | undefined) {
  if (reason === undefined) return one.run(fixture);
  const passed = await one.run(fixture).then(
    () => true,
    () => false,
  );
  if (passed) throw new Error(`the case passes now: remove its skip (${reason})`);
}
