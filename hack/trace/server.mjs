// A server of dist/ with a store of its own, which a debugger can follow.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../dist/hack/bench/client.js';
import { freePort, start } from '../../dist/hack/bench/processes.js';
import { ADMIN_TOKEN, TOKEN_LINES } from '../../dist/hack/bench/targets/target.js';

/** Starts it. `address`: of its debugger; `client` sends requests as the administrator, on one connection. */
export async function startServer() {
  const folder = mkdtempSync(join(tmpdir(), 'trace-'));
  const [log, tokens] = [join(folder, 'server.log'), join(folder, 'tokens.csv')];
  writeFileSync(tokens, TOKEN_LINES, { mode: 0o600 });
  const port = await freePort();
  const args = [
    ...['--inspect=127.0.0.1:0', 'dist/cmd/apiserver/main.js', `--data-dir=${join(folder, 'data')}`],
    ...[`--secure-port=${port}`, `--token-auth-file=${tokens}`],
  ];
  const server = start(process.execPath, args, log);
  const client = createClient({ port, token: ADMIN_TOKEN }, 1);
  await server.waitUntil(async () => (await client.send({ path: '/readyz' })).code === 200);
  const [, address] = /^Debugger listening on (ws:\S+)$/m.exec(readFileSync(log, 'utf8'));
  return {
    address,
    client,
    async stop() {
      client.close();
      await server.stop();
      rmSync(folder, { recursive: true });
    },
  };
}
