import { SERVER_VERSION } from '../../pkg/server/version.js';
import type { Connect } from './program.js';
import { getJson } from './request.js';

/** `platform version`: this program's version, and what the server says at `/version`. */
export async function version(connect: Connect, write: (text: string) => void): Promise<void> {
  write(`Client Version: v${SERVER_VERSION}\n`);
  const { gitVersion } = (await getJson(connect(), '/version')) as { gitVersion?: unknown };
  if (typeof gitVersion !== 'string') throw new Error('the server does not say its version');
  write(`Server Version: ${gitVersion}\n`);
}
