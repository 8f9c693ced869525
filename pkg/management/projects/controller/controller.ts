/** Reconciles the namespace and the bindings of projects, and finishes the deletion of empty projects. */
import { Project } from '../../../../api/management.svc.example/v1/project.js';
import { clusterScoped, type KubeObject } from '../../../../api/resource.js';
import {
  POD_SECURITY_LABELS,
  PROJECT_FINALIZER,
  PROJECT_HELD_ANNOTATION,
  PROJECT_LABEL,
  heldBy,
  projectNamespace,
  projectUidOf,
} from '../names.js';
import { withWantedConditions, type WantedCondition } from '../../../controllers/condition.js';
import { ignoring } from '../../../controllers/ignorederrors.js';
import { resourceOf, type ResourceClient } from '../../../controllers/interface.js';
import type { ManagementController } from '../../controllercontext.js';
import { removeOrphan, orphanIn, type OrphanOwner } from '../../sharing/controller/orphanedroles.js';
import { targetOf, uidOf } from '../../../controllers/target.js';
import { followProjects, projectOfGrant } from './follow.js';
import { repairGrants } from './grants.js';
import { Namespace } from '../../../../api/core/v1/namespace.js';

const READY: WantedCondition = { type: 'Ready', status: 'True', reason: 'NamespaceReady', message: '' };

export const projectController: ManagementController<'projectNamespacePrefix'> = {
  name: 'project-controller',
  user: 'project-controller',
  workers: 4,
  start(context) {
    const { client, projectNamespacePrefix: prefix } = context;
    const projects = resourceOf(client, Project);
    const namespaces = resourceOf(client, Namespace);
    followProjects(context);
    return {
      async reconcile(name) {
        const orphan = orphanIn(name);
        if (orphan !== undefined)
          return removeOrphan(client, (one) => orphanOwner(projects, projectOfGrant(prefix, one)), orphan);
        const project = projects.cached(clusterScoped(name))?.object();
        if (project === undefined) return;
        const within = projectNamespace(prefix, name);
        if (project.metadata.deletionTimestamp !== undefined)
          return end(projects, namespaces, project, within);
        const waits = await keepNamespace(namespaces, project, within);
        if (waits === undefined) await repairGrants(context, project);
        await report(projects, project, waits ?? READY);
      },
    };
  },
};

const orphanOwner = (resource: ResourceClient, name: string | undefined): OrphanOwner | undefined =>
  name === undefined ? undefined : { resource, namespace: '', name, wants: () => true };

/** Undefined when the namespace exists, else why it does not. */
async function keepNamespace(
  namespaces: ResourceClient,
  project: Project,
  within: string,
): Promise<WantedCondition | undefined> {
  const { name = '' } = project.metadata;
  const uid = uidOf(project);
  const labels = { [PROJECT_LABEL]: name };
  const found = namespaces.cached(clusterScoped(within))?.object();
  if (found === undefined) {
    const levels = namespaces.foreign === true ? POD_SECURITY_LABELS : {};
    const metadata = { name: within, labels: { ...labels, ...levels }, annotations: heldBy(uid) };
    await ignoring([409], namespaces.create('', { kind: 'Namespace', apiVersion: 'v1', metadata }));
    return undefined;
  }
  if (found.metadata.deletionTimestamp !== undefined)
    return {
      type: 'Ready',
      status: 'False',
      reason: 'NamespaceTerminating',
      message: `namespace ${within} is being deleted; it is created again when it is gone`,
    };
  if ((projectUidOf(found) ?? uid) !== uid)
    return {
      type: 'Ready',
      status: 'False',
      reason: 'NamespaceOfAnother',
      message: `namespace ${within} was made for another project of this name, which is not there any more: an administrator must delete it, or name this project's uid in its annotations`,
    };
  if (isAsItShouldBe(found, name)) return undefined;
  const change = (copy: KubeObject): KubeObject => {
    const { metadata } = copy;
    const annotations = { ...metadata.annotations, ...heldBy(uid) };
    return { ...copy, metadata: { ...metadata, annotations, labels: { ...metadata.labels, ...labels } } };
  };
  const { uid: seen = '' } = found.metadata;
  await ignoring([404], namespaces.update({ namespace: '', name: within, uid: seen }, change));
  return undefined;
}

const isAsItShouldBe = (namespace: KubeObject, project: string): boolean =>
  namespace.metadata.labels?.[PROJECT_LABEL] === project &&
  namespace.metadata.annotations?.[PROJECT_HELD_ANNOTATION] !== undefined;

/**
 * Removes the namespace, then the finalizer. Only this deletes namespaces of projects, while the store has
 * that very Project and it is being deleted. A Project missing from the cache causes nothing.
 */
async function end(
  projects: ResourceClient,
  namespaces: ResourceClient,
  project: Project,
  within: string,
): Promise<void> {
  const { name = '', finalizers = [] } = project.metadata;
  if (!finalizers.includes(PROJECT_FINALIZER)) return;
  const uid = uidOf(project);
  const namespace = await namespaces.live(clusterScoped(within));
  if (namespace !== undefined && isOf(namespace, name, uid)) {
    if (!(await isBeingDeleted(projects, name, uid))) return;
    if (namespace.metadata.deletionTimestamp === undefined)
      await ignoring([404, 409], namespaces.delete(clusterScoped(within), { uid: uidOf(namespace) }));
    const message = `namespace ${within} is being emptied`;
    return report(projects, project, { type: 'Ready', status: 'False', reason: 'Deleting', message });
  }
  await ignoring(
    [404],
    projects.update(targetOf(project), (copy) => {
      const left = (copy.metadata.finalizers ?? []).filter((one) => one !== PROJECT_FINALIZER);
      return { ...copy, metadata: { ...copy.metadata, finalizers: left } };
    }),
  );
}

/** Reads the store, not the cache. */
async function isBeingDeleted(projects: ResourceClient, name: string, uid: string): Promise<boolean> {
  const { metadata } = (await projects.live(clusterScoped(name))) ?? {};
  return metadata?.uid === uid && metadata.deletionTimestamp !== undefined;
}

/** A namespace that somebody else created, or that belongs to another project of the name, is not removed. */
const isOf = (namespace: KubeObject, project: string, uid: string): boolean =>
  namespace.metadata.labels?.[PROJECT_LABEL] === project && projectUidOf(namespace) === uid;

async function report(projects: ResourceClient, project: Project, condition: WantedCondition): Promise<void> {
  await ignoring(
    [404],
    projects.update(targetOf(project, 'status'), (copy) => withWantedConditions(copy, [condition])),
  );
}
