const LEFT_BEHIND_MS = 60_000;

/** Whether nobody wrote to a draft for so long that its writer was killed. */
export const isLeftBehind = ({ mtimeMs }: { readonly mtimeMs: number }): boolean =>
  Date.now() - mtimeMs >= LEFT_BEHIND_MS;
