const LEFT_BEHIND_MS = 60_000;

/** Whether a draft was not written for so long that its writer must have been killed. */
export const isLeftBehind = ({ mtimeMs }: { readonly mtimeMs: number }): boolean =>
  Date.now() - mtimeMs >= LEFT_BEHIND_MS;
