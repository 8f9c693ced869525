import { stat } from 'node:fs/promises';

export interface FollowedFiles {
  /** Whether a file was replaced or written since the last call; true at first. Never rejects. */
  changed(): Promise<boolean>;
}

/**
 * Files that may appear and disappear. Replaced files and changed links (of mounted Secrets) count as
 * changed.
 */
export function followFiles(paths: readonly string[]): FollowedFiles {
  let known: string | undefined;
  return {
    async changed() {
      const now = (await Promise.all(paths.map(markOf))).join('\n');
      const differs = now !== known;
      known = now;
      return differs;
    },
  };
}

async function markOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch {
    return '';
  }
}
