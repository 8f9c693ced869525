/** Where roles and bindings are another API server's: whether they are known as they are. */
export interface RoleFreshness {
  isSo(this: void): boolean;
  /** Called when it begins not to be so, until it is cancelled. */
  onLost(this: void, listener: () => void): { cancel(): void };
  close(this: void): void;
}

/** `isSo` is asked again every second, for those who wait. */
export function roleFreshness(isSo: () => boolean, everyMs = 1_000): RoleFreshness {
  const listeners = new Set<() => void>();
  let was = true;
  const timer = setInterval(() => {
    const is = isSo();
    if (was && !is) for (const listener of [...listeners]) listener();
    was = is;
  }, everyMs).unref();
  return {
    isSo,
    onLost(listener) {
      const own = (): void => listener();
      listeners.add(own);
      return { cancel: () => void listeners.delete(own) };
    },
    close: () => clearInterval(timer),
  };
}
