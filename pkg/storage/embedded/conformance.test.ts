import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeStorage } from '../testing/conformance.js';
import { openEmbedded } from './embedded.js';

describeStorage('embedded', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  let storage = await openEmbedded({ directory });
  return {
    storage,
    reopen: async () => {
      await storage.close();
      storage = await openEmbedded({ directory });
      return storage;
    },
    dispose: async () => {
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
});
