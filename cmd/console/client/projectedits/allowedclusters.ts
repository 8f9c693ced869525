import { changeSpec } from '../edits/undo.js';
import { PROJECTS, type ProjectView } from '../projects.js';

/**
 * Lets a project use one more cluster; `*` is all. It is set on the version that is shown: 409 if somebody else changed
 * the project first. Rejects with ApiError.
 */
export const allowCluster = ({ metadata, clusters }: ProjectView, cluster: string) =>
  changeSpec(PROJECTS, metadata, {
    allowedClusters: [...clusters.filter((name) => name !== cluster), cluster].map((name) => ({ name })),
  });
