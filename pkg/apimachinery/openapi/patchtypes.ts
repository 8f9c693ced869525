/**
 * Media types of PATCH in OpenAPI documents. kubectl reads them: without `application/strategic-merge-patch+json` its
 * client-side apply sends merge patches.
 */
export const PATCH_MEDIA_TYPES: readonly string[] = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
