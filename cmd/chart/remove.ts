import type { HostClient } from '../../pkg/hostclient/interface.js';
import { pollUntil } from './poll.js';
import { refused, type Say } from './words.js';

/**
 * Deletes objects one after another, by their paths in the API. Rejects when one still exists after a while.
 */
export async function removeObjects(host: HostClient, paths: readonly string[], say: Say): Promise<void> {
  for (const path of paths) {
    await pollUntil(`the end of ${path}`, async () => {
      const answer = await host.send({ method: 'DELETE', path });
      if (answer.status === 404) return true;
      if (answer.status >= 300) throw refused(`delete ${path}`, answer);
      return undefined;
    });
    say(`${path} is gone`);
  }
}
