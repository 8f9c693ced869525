/** The support file: the state of the program and the server, without objects, keys or values. */
import { SERVER_VERSION } from '../../../../pkg/server/version.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { ask } from '../../connection/request.js';
import { messageOf } from '../../failure.js';
import { replaceFile } from '../../files/atomicfile.js';
import { NOUNS } from '../../nouns.js';
import { redacted, secretsOf } from '../../output/redact.js';

/** Asked as they are; what is not for the caller says so. `/debug/requests` is not: it has names of objects. */
const PATHS = [
  '/version',
  '/readyz?verbose',
  '/livez?verbose',
  '/apis',
  '/metrics',
  '/statusz',
  '/flagz',
  '/debug/process',
  '/debug/caches',
];
const LONGEST = 4 * 1024 * 1024;
/** Variables that change what the program does: that they are set, not what they hold. */
const NAMES = /^(PLATFORM_\w+|KUBECONFIG|HTTPS?_PROXY|NO_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS)$/i;

/** Writes the file, which only its owner may read. `findings`: those of the doctor. */
export async function writeBundle(cli: Cli, path: string, findings: unknown): Promise<void> {
  const client = await cli.connect().catch(() => undefined);
  const bundle = {
    client: {
      version: SERVER_VERSION,
      node: process.version,
      platform: `${process.platform}/${process.arch}`,
      variables: Object.keys(cli.env)
        .filter((name) => NAMES.test(name))
        .sort(),
    },
    findings,
    ...(client !== undefined && {
      server: {
        origin: client.connection.server.origin,
        authority: client.connection.ca === undefined ? 'of the machine' : 'pinned',
        credentials: client.connection.token === undefined ? 'certificate or password' : 'token',
        verified: client.connection.rejectUnauthorized,
      },
      answers: Object.fromEntries(
        await Promise.all(PATHS.map(async (each) => [each, await answerOf(cli, client, each)] as const)),
      ),
      objects: Object.fromEntries(
        await Promise.all(NOUNS.map(async ({ plural }) => [plural, await countOf(client, plural)] as const)),
      ),
    }),
  };
  const secrets = secretsOf(client?.connection ?? {}, cli.env);
  const clean = (_key: string, value: unknown): unknown =>
    typeof value === 'string' ? redacted(value, secrets) : value;
  await replaceFile(path, `${JSON.stringify(bundle, clean, 2)}\n`);
}

async function answerOf(cli: Cli, { connection }: Client, path: string): Promise<object> {
  try {
    const { code, text } = await ask(connection, { method: 'GET', path, accept: '*/*' }, cli.trace);
    return { code, text: text.slice(0, LONGEST) };
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

/** How many there are, and nothing of them. */
async function countOf(client: Client, resource: string): Promise<number | string> {
  try {
    const list = await client.get<{ items: unknown[]; metadata: { remainingItemCount?: number } }>({
      resource,
      query: 'limit=1',
    });
    return list.items.length + (list.metadata.remainingItemCount ?? 0);
  } catch (error) {
    return messageOf(error);
  }
}
