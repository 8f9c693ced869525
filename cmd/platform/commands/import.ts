import type { Verb } from '../cli.js';
import { managementObject } from '../objects.js';
import { projectNamespace } from '../project.js';

const EXAMPLES = `
Example:
  platform import vcluster legacy --cluster prod --namespace vcluster-legacy --project web
`;

interface ImportOptions {
  readonly cluster: string;
  readonly namespace: string;
  readonly project: string;
  readonly name?: string;
  readonly ingress?: boolean;
}

/** `platform import vcluster NAME`. */
export const importVerb: Verb = (program, cli) => {
  program
    .command('import')
    .description('Import an object of a connected cluster into a project.')
    .command('vcluster <name>')
    .description('Import a virtual cluster.')
    .requiredOption('--cluster <cluster>', 'Connected cluster that it runs on.')
    .requiredOption('--namespace <namespace>', 'Its namespace there.')
    .requiredOption('--project <project>', 'Project to import it into.')
    .option('--name <name>', 'Name that it gets in the project (default: its own).')
    .option(
      '--ingress',
      'It is reached at its ingress, whose host its status or its cluster names (default: by an agent).',
    )
    .addHelpText('after', EXAMPLES)
    .action(async (source: string, { cluster, namespace, project, name, ingress }: ImportOptions) => {
      const client = await cli.connect();
      const place = { resource: 'projects', name: project, subresource: 'importvirtualcluster' };
      const sourceVirtualCluster = {
        name: source,
        namespace,
        cluster,
        ...(name !== undefined && { importName: name }),
      };
      await client
        .during(`Importing from cluster "${cluster}"`)
        .create(place, managementObject('ProjectImportVirtualCluster', {}, { sourceVirtualCluster }));
      if (ingress === true) {
        const within = await projectNamespace(client, project);
        const instance = { resource: 'virtualclusterinstances', namespace: within, name: name ?? source };
        await client.merge(instance, { spec: { accessPoint: { ingress: { enabled: true } } } });
      }
      cli.terminal.tell(`Imported virtual cluster "${name ?? source}" into project "${project}".`);
    });
};
