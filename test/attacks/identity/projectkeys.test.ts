/** Keys of a project: what they give, when they end, and what nobody gets by them. */
import { afterAll, beforeAll, describe } from '@jest/globals';
import { startEmbedded, type EngineServer } from '../../fixtures/servers/engines.js';
import { ADMIN_TOKEN } from '../../fixtures/servers/server.js';
import { ProjectKeyRealm } from '../../fixtures/objects/projectkeyrealm.js';
import { projectKeysSuite } from '../../fixtures/objects/projectkeysuite.js';

describe('keys of a project', () => {
  let running: EngineServer;
  beforeAll(async () => {
    running = await startEmbedded({ controllers: '*' });
  });
  afterAll(() => running.remove());
  projectKeysSuite(() => Promise.resolve(new ProjectKeyRealm(running.server.url, ADMIN_TOKEN)));
});
