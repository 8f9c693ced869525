import type { ProjectClusters } from '../../../../api/management.svc.example/v1/projectclusters.js';
import type { Cli } from '../../cli.js';
import type { Client } from '../../connection/client.js';
import { Failure } from '../../failure.js';
import { choose } from '../../output/terminal.js';

/**
 * The cluster for a new space or virtual cluster whose command names none: the only one that the project has, or the
 * one that is chosen at the terminal. Undefined where the project has none, or the caller may not see them. Rejects
 * with Failure, usage, where there are several and nobody can be asked.
 */
export async function chooseCluster(
  { terminal }: Cli,
  client: Client,
  project: string,
): Promise<string | undefined> {
  const names = await clustersOf(client, project);
  if (names.length > 1) {
    const instead = `name the cluster with --cluster: project "${project}" has ${names.join(', ')}`;
    return choose(terminal, 'Cluster', names, instead);
  }
  const [only] = names;
  if (only !== undefined) terminal.tell(`Cluster "${only}" is the only one of project "${project}".`);
  return only;
}

async function clustersOf(client: Client, name: string): Promise<string[]> {
  const place = { resource: 'projects', name, subresource: 'clusters' };
  const { clusters = [] } = await client
    .get<Pick<ProjectClusters, 'clusters'>>(place)
    .catch((error: unknown) => {
      if (error instanceof Failure && error.reason === 'forbidden') return { clusters: [] };
      throw error;
    });
  return clusters.flatMap((cluster) => (cluster.name === undefined ? [] : [cluster.name]));
}
