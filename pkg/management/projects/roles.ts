/** ClusterRoles for members of projects, which every server creates. */
export const PROJECT_ADMIN = 'management-project-admin';
export const PROJECT_USER = 'management-project-user';
export const PROJECT_VIEWER = 'management-project-viewer';
export const PROJECT_ROLES: readonly string[] = [PROJECT_ADMIN, PROJECT_USER, PROJECT_VIEWER];
