/** Annotation of a disabled OwnedAccessKey: the name of the user who disabled it. Only the server writes it. */
export const DISABLED_BY_ANNOTATION = 'management.svc.example/disabled-by';
