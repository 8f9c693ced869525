import { clusterScoped } from '../../../../api/resource.js';
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { ProjectMigrateSpaceInstance } from '../../../../api/management.svc.example/v1/instances/projectmigratespaceinstance.js';
import {
  SpaceInstance as Space,
  type SpaceInstance,
} from '../../../../api/management.svc.example/v1/spaceinstance.js';
import {
  conflict,
  fieldInvalid,
  fieldRequired,
  forbidden,
  invalid,
  notFound,
  quote,
} from '../../../apimachinery/errors.js';
import { MOVED_FROM_ANNOTATION, projectNamespace, projectOfNamespace } from '../../projects/names.js';
import type { VirtualResource } from '../../../registry/virtualresource.js';
import type { ManagementAnswerContext, ManagementServices } from '../../services.js';
import { allowsCluster, demandRights, projectOfPath } from '../../projects/requestrights.js';

/** Finalizers of this service move along without running. */
const OWN_FINALIZER = /^management\.svc\.example\//;

interface Source {
  readonly name: string;
  readonly namespace: string;
  /** The project of that namespace. */
  readonly project: string;
}

/** Moves a space to another project atomically; its namespace in the cluster is unchanged. */
export const kind: VirtualResource<typeof ProjectMigrateSpaceInstance, ManagementServices> = {
  definition: ProjectMigrateSpaceInstance,
  below: { definition: Project, subresource: 'migratespaceinstance' },
  async answer(request, context) {
    const to = projectNamespace(context.services.projectNamespacePrefix, context.name);
    const { name, namespace, project: from } = sourceOf(request, context, to);
    await demandRights(context, [
      { verb: 'delete', kind: Space, namespace, name },
      { verb: 'use', kind: Space, namespace, name },
      { verb: 'create', kind: Space, namespace: to, name: '' },
    ]);
    const project = await projectOfPath(context);
    if ((await context.services.objects.live(Project, clusterScoped(from))) === undefined)
      throw notFound(Project, from);
    await context.services.objects.move(
      Space,
      {
        name,
        from: namespace,
        to,
        check(source) {
          checkMovable(source);
          const { cluster = '' } = source.spec?.clusterRef ?? {};
          if (cluster === '' || allowsCluster(project, cluster)) return;
          throw forbidden(
            Space,
            name,
            `project ${quote(context.name)} does not allow cluster ${quote(cluster)}`,
          );
        },
        change({ metadata }) {
          metadata.annotations = { ...metadata.annotations, [MOVED_FROM_ANNOTATION]: `${namespace}/${name}` };
        },
      },
      context.write,
    );
    delete request.status;
    return request;
  },
};

function sourceOf(
  request: ProjectMigrateSpaceInstance,
  context: ManagementAnswerContext,
  to: string,
): Source {
  const { name = '', namespace = '' } = request.sourceSpaceInstance ?? {};
  const path = 'sourceSpaceInstance';
  const errors = [
    ...(name === '' ? [fieldRequired(`${path}.name`)] : []),
    ...(namespace === '' ? [fieldRequired(`${path}.namespace`)] : []),
  ];
  const project = projectOfNamespace(context.services.projectNamespacePrefix, namespace);
  if (namespace !== '' && project === undefined)
    errors.push(fieldInvalid(`${path}.namespace`, namespace, 'must be the namespace of a project'));
  if (namespace === to)
    errors.push(
      fieldInvalid(`${path}.namespace`, namespace, 'must be of another project than the one it is moved to'),
    );
  if (errors.length > 0 || project === undefined)
    throw invalid(ProjectMigrateSpaceInstance, request.metadata.name ?? '', errors);
  return { name, namespace, project };
}

/** Throws StatusError 409 for a space that cannot move. */
function checkMovable({ metadata }: SpaceInstance): void {
  const { name = '', deletionTimestamp, finalizers = [] } = metadata;
  if (deletionTimestamp !== undefined) throw conflict(Space, name, 'it is being deleted');
  const foreign = finalizers.find((finalizer) => !OWN_FINALIZER.test(finalizer));
  if (foreign !== undefined) throw conflict(Space, name, `the finalizer ${quote(foreign)} cannot be moved`);
}
