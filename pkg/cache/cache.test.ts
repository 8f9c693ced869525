import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeCache } from './testing/conformance.js';
import { openEmbedded } from '../storage/embedded/embedded.js';

describeCache('the embedded engine', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'cache-'));
  const storage = await openEmbedded({ directory });
  return {
    storage,
    dispose: async () => {
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
});
