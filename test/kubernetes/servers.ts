/** Servers of the generic storey with kinds of Kubernetes, each on an empty store. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KINDS } from '../../pkg/registry/kinds.js';
import { openEmbedded } from '../../pkg/storage/embedded/embedded.js';
import { startGenericServer, type GenericServerOptions } from '../fixtures/servers/genericserver.js';
import { kindsOfKubernetes } from './kinds.js';

/** What `hack/obtain-kubernetes-tests.sh` builds. */
export const BUILT = fileURLToPath(new URL('../../.tools/kubernetestests', import.meta.url));

/** Tests that are not run, with the reason: by package, or `*` for packages. */
export const NOT_RUN = JSON.parse(readFileSync(new URL('notrun.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

/** The programs of tests. Throws where nothing was built. */
export function builtPrograms(): string[] {
  const programs = existsSync(BUILT) ? readdirSync(BUILT).filter((name) => name.endsWith('.test')) : [];
  if (programs.length === 0) throw new Error(`${BUILT} has no tests: run hack/obtain-kubernetes-tests.sh`);
  return programs;
}

export interface StartedServer {
  /** A folder of its own. */
  readonly directory: string;
  /** The kubeconfig of an administrator. */
  readonly kubeconfig: string;
  stop(): Promise<void>;
}

let kinds: ReturnType<typeof kindsOfKubernetes> | undefined;

export async function startServer(options: GenericServerOptions = {}): Promise<StartedServer> {
  kinds ??= kindsOfKubernetes(
    join(BUILT, 'openapi'),
    KINDS.map(({ definition }) => definition),
  );
  const directory = mkdtempSync(join(tmpdir(), 'kubernetes-tests-'));
  const storage = await openEmbedded({ directory });
  const server = await startGenericServer(storage, kinds, options);
  return {
    directory,
    kubeconfig: server.kubeconfigs.admin,
    async stop() {
      await server.stop();
      await storage.close();
      rmSync(directory, { recursive: true });
    },
  };
}
