/**
 * The owner of an object cannot lift limits that others set for the owner: each field of the table, with each verb that
 * can change it.
 */
import { expect, test } from '@jest/globals';
import { OWNER_LIMITS } from '../../../pkg/management/limits/ownerlimitfields.js';
import { startEmbedded } from '../../fixtures/servers/engines.js';
import { LIMITED } from '../../fixtures/objects/ownerlimits.js';
import { ownersKeepLimits } from '../../fixtures/objects/ownerlimitsuite.js';

test('each field of the table is tried', () => {
  const tried = LIMITED.map(({ kind, member }) => `${kind} spec.${member}`);
  expect(tried).toEqual(OWNER_LIMITS.map(({ kind, path }) => `${kind} ${path}`));
});

ownersKeepLimits(() => startEmbedded());
