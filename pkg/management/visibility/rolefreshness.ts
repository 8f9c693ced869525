/** Whether the cached roles and bindings of another API server are current. */
export interface RoleFreshness {
  isSo(this: void): boolean;
  /** Called when it begins not to be so, until it is cancelled. */
  onLost(this: void, listener: () => void): { cancel(): void };
  close(this: void): void;
}

/** `isSo` is called every second while a caller waits. */
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
