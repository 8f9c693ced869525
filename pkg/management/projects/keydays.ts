/** How long keys of a project live. */
import type { Project } from '../../../api/management.svc.example/v1/project.js';

/** Of a project that does not say it. */
export const DEFAULT_MAX_KEY_DAYS = 365;
/** A hundred years, as of every key. */
export const MOST_KEY_DAYS = 36_500;
const DAY_SECONDS = 86_400;

export const maxKeyDays = ({ spec }: { readonly spec?: Project['spec'] }): number =>
  spec?.maxKeyDays ?? DEFAULT_MAX_KEY_DAYS;

export const maxKeySeconds = (project: Pick<Project, 'spec'>): number => maxKeyDays(project) * DAY_SECONDS;
