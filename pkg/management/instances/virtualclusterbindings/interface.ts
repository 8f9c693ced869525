/** A binding inside a virtual cluster whose right has ended. Times in ms since 1970. */
export interface EndedBinding {
  readonly holds: false;
  /** For messages: where, and why. */
  readonly what: string;
  readonly why: string;
  /** When a kubeconfig was last requested. */
  readonly written: number;
  /** When the last certificate expires. */
  readonly end: number;
  /** Whether the instance still exists. */
  readonly hasInstance: boolean;
  /** Deletes the binding. Rejects with a StatusError until it is known to be deleted. */
  readonly remove: () => Promise<void>;
  /** Deletes the record, unless a kubeconfig was requested again. */
  readonly drop: () => Promise<void>;
}

/** The bindings that kubeconfigs created in virtual clusters, by the names of their records. */
export interface VirtualClusterBindings {
  /** Calls `changed` with a binding when its right may have begun or ended. */
  follow(changed: (binding: string) => void): { cancel(): void };
  forget(binding: string): void;
  /** Throws while the list is not available. */
  all(): Iterable<string>;
  /** The virtual cluster of a binding; `''`: it no longer exists. */
  placeOf(this: void, binding: string): string;
  /** Undefined: the binding no longer exists. Rejects if the right cannot be determined now: retry. */
  check(
    binding: string,
  ): Promise<{ readonly holds: true; readonly until: number } | EndedBinding | undefined>;
}
