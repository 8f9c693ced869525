import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeStorage } from '../testing/conformance.js';
import { openEmbedded } from '../embedded/embedded.js';
import type { Storage } from '../interface.js';
import { hkdfAesGcm } from './hkdfaesgcm.js';
import type { Keyring } from './interface.js';
import { encryptedStorage } from './storage.js';

const transformer = hkdfAesGcm(Buffer.alloc(32, 1));
/** Encrypts every record. */
const keyring: Keyring = {
  writer: () => transformer,
  reader: (header) => (header === transformer.header.toString() ? transformer : undefined),
  plaintext: () => false,
  writers: [transformer],
  readers: [transformer.header.toString()],
};

describeStorage('encrypted embedded', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'encrypted-'));
  const open = async (): Promise<Storage> => encryptedStorage(await openEmbedded({ directory }), keyring);
  const storage = await open();
  let newest = storage;
  return {
    storage,
    reopen: async () => {
      await newest.close();
      newest = await open();
      return newest;
    },
    dispose: async () => {
      await newest.close();
      await rm(directory, { recursive: true });
    },
  };
});
