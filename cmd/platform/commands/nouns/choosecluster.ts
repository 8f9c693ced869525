import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { choose } from '../../output/terminal.js';
import { clustersOf } from '../projectparts/parts.js';

/**
 * The cluster for a new space or virtual cluster whose command names none: the only one that the project has, or the
 * one that is chosen at the terminal. Undefined where the project has none, or the caller may not see them. Rejects
 * with Failure, usage, if there are several and no terminal to ask at.
 */
export async function chooseCluster(
  { terminal }: Cli,
  client: Client,
  project: string,
): Promise<string | undefined> {
  const clusters = (await clustersOf(client, project)) ?? [];
  const names = clusters.flatMap(({ name }) => name ?? []);
  if (names.length > 1) {
    const instead = `name the cluster with --cluster: project "${project}" has ${names.join(', ')}`;
    return choose(terminal, 'Cluster', names, instead);
  }
  const [only] = names;
  if (only !== undefined) terminal.tell(`Cluster "${only}" is the only one of project "${project}".`);
  return only;
}
