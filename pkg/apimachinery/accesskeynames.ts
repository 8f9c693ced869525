/** Annotation of a disabled OwnedAccessKey, which the server alone writes: the name of who disabled it. */
export const DISABLED_BY_ANNOTATION = 'management.svc.example/disabled-by';
